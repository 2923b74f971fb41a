#pragma once

/// \file simd.hpp
/// Which vector instructions the kernels use: the best this machine has, chosen
/// at run time. Gradients have the same bits with all of them; the Gram matrix,
/// and what follows from it, may differ in the last ones.

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace polyak {

/// What this machine and this build can do, best first; the last is "plain".
std::vector<std::string> simd_targets();

/// The one in use.
std::string simd_target();

/// Uses `name` from here on; false if this machine cannot. Not while something
/// is being solved.
bool use_simd_target(const std::string& name);

}  // namespace polyak
#pragma GCC visibility pop
