#pragma once

/// \file simd.hpp
/// Which vector instructions the kernels use: the widest that this machine has,
/// chosen at run time. Gradients have the same bits with all of them; the Gram
/// matrix AᵀA, and quantities computed from it, may differ in the last bits.

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace polyak {

/// The targets that this machine and this build support, best first; the last is "plain".
std::vector<std::string> simd_targets();

/// The target in use.
std::string simd_target();

/// Selects the target `name` for all later calls; returns false if it is not
/// supported. Must not be called during a solve.
bool use_simd_target(const std::string& name);

}  // namespace polyak
#pragma GCC visibility pop
