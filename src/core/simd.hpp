#pragma once

// Which vector instructions the kernels use: the best this machine has, chosen
// at run time. Results have the same bits with all of them, unless a kernel
// says otherwise.

#include <string>
#include <vector>

namespace polyak {

/// What this machine and this build can do, best first; the last is "plain".
std::vector<std::string> simd_targets();

/// The one in use.
std::string simd_target();

/// Uses `name` from here on; false if this machine cannot. For tests, and for
/// the environment variable POLYAK_SIMD. Not while a kernel runs.
bool use_simd_target(const std::string& name);

}  // namespace polyak
