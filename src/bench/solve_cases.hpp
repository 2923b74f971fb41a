#pragma once

// The cases of `bench solve`: what users bring, from the paper's problems to
// those that break normal equations, with the methods and peers that could do it.

#include <functional>
#include <string>
#include <vector>

#include "polyak/bench.hpp"
#include "polyak/problem.hpp"

namespace polyak::bench {

struct SolveCase {
  std::string name;
  std::function<Problem()> make;     ///< with the least squares solution as its reference
  std::vector<std::string> methods;  ///< to run beside auto
  std::vector<std::string> peers;    ///< of the script
  bool consistent = false;           ///< auto may then be certified by samples too
  bool sampling_wins = false;        ///< algebraic, kappa 30 or more: far ahead of LSQR is asked
  bool from_file = false;            ///< also as a process that reads files
};

/// With `rows` rows where rows are many. Ask for the names, then make one
/// problem after the other.
std::vector<SolveCase> solve_cases(const Options& options);

/// Those of the folder; what has no right-hand side is told to `note`. Error
/// no_input for a folder that is not there, or holds no matrix.
std::vector<SolveCase> given_cases(const std::string& folder, int threads,
                                   const std::function<void(const std::string&)>& note);

/// For each text between commas: the case of that name, or else all whose names
/// hold it. Error usage for one that none does.
std::vector<SolveCase> chosen_cases(std::vector<SolveCase> all, const std::string& texts);

}  // namespace polyak::bench
