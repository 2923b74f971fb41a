#pragma once

// What `polyak theory` is asked: numbers about A, or where to find A, and what
// one would run on it.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "option_set.hpp"
#include "solve_request.hpp"

namespace polyak::cli {

struct TheoryRequest {
  // A, in one of three ways.
  std::optional<std::string> decay;
  std::optional<double> rho, kappa;
  std::optional<double> lambda_min, lambda_max, frobenius2;
  std::optional<std::string> matrix;
  // The first two ways need cols and may have the others.
  std::optional<Index> cols, rows;
  std::optional<double> eta;

  double gamma = 1e-3;
  std::string sampling = "row-norm";
  std::optional<double> batch, k_star, residual_norm, residual_sigma;
  bool json = false;
  DataOptions data;
};

OptionSet theory_option_set(TheoryRequest& request, MessageOptions& messages);

/// Error usage for numbers that are missing, contradict each other or would be
/// ignored. `given` are the names of the options that were set.
void check_theory(const TheoryRequest& request, const std::set<std::string>& given);

}  // namespace polyak::cli
