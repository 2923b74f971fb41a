#pragma once

// What memory there is.

namespace polyak::cli {

struct MachineMemory {
  double total = 0.0;      ///< bytes, or what the control group allows if that is less
  double available = 0.0;  ///< without pushing anybody out; at most the total
};

MachineMemory machine_memory();

}  // namespace polyak::cli
