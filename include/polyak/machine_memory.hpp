#pragma once

/// \file machine_memory.hpp
/// The memory of this machine.

#include <string>

#pragma GCC visibility push(default)
namespace polyak {

struct MachineMemory {
  double total = 0.0;      ///< bytes; at most what the control group allows
  double available = 0.0;  ///< bytes free without swapping; at most the total
};
MachineMemory machine_memory();

/// Bytes that the control groups of this process allow it, of version 1 and 2 at any depth;
/// infinity without a limit. `root` is put before /proc and the folders of the groups.
double control_group_limit(const std::string& root = "");

}  // namespace polyak
#pragma GCC visibility pop
