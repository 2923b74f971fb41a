#pragma once

/// \file methods.hpp
/// The methods by name, and which options each one uses.

#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace polyak {

/// What a method uses; an option that needs a trait the method lacks is an
/// error, never silently ignored.
namespace trait {
constexpr unsigned batch = 1;
constexpr unsigned step_size = 2;
constexpr unsigned momentum = 4;
constexpr unsigned lambda_min = 8;
constexpr unsigned lambda_max = 16;
constexpr unsigned gamma = 32;
constexpr unsigned sampling = 64;
constexpr unsigned bounds = 128;  ///< works with lower and upper bounds
constexpr unsigned ridge = 256;   ///< works with a ridge term
constexpr unsigned spectrum = lambda_min | lambda_max;
}  // namespace trait

struct MethodInfo {
  std::string name;
  std::string summary;
  unsigned traits = 0;
  bool sampled = false;  ///< draws rows at random

  /// One row per iteration, each step from the x of the one before: several ranks cannot share
  /// the work.
  bool single_row() const { return sampled && !(traits & trait::batch); }
};

/// All methods, in the order of help and reports.
std::span<const MethodInfo> method_table();

/// nullptr when there is none of that name.
const MethodInfo* find_method(const std::string& name);

}  // namespace polyak
#pragma GCC visibility pop
