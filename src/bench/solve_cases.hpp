#pragma once

// The problems of `bench solve`: what users bring, from the paper's to those
// that break normal equations.

#include <functional>
#include <string>
#include <vector>

#include "polyak/problem.hpp"

namespace polyak::bench {

struct SolveCase {
  std::string name;
  std::function<Problem()> make;     ///< with the least squares solution as its reference
  std::vector<std::string> methods;  ///< to run beside auto
  std::vector<std::string> peers;    ///< of the script
  bool consistent = false;  ///< auto may then be certified by samples too
};

/// With `rows` rows where rows are many.
std::vector<SolveCase> solve_cases(Index rows, std::uint64_t seed, int threads);

}  // namespace polyak::bench
