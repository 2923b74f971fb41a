#pragma once

// What is known of A, however it was described, and the best model of the
// sampling noise that this allows.

#include <optional>
#include <string>
#include <vector>

#include "messages.hpp"
#include "polyak/theory.hpp"
#include "theory_request.hpp"

namespace polyak::cli {

struct TheoryFacts {
  std::string input;  ///< for people: what A is
  theory::MatrixNumbers numbers;
  /// False: uniform sampling, and nothing says how far row norms differ; then
  /// numbers.eta is 1 and nothing that is proved with it may be shown.
  bool eta_known = true;
  /// False: lambda_min and lambda_max are Lanczos estimates.
  bool exact = true;
  std::vector<double> eigenvalues;  ///< empty where only the ends are known
  std::optional<Index> rows, rank, zero_rows;
  std::optional<double> eta_effective;

  /// For the recipe: eta·‖A‖_F², or what Gaussian rows have in its place.
  std::optional<double> energy;
  std::optional<theory::Model> model;
  std::string model_name;
  std::optional<theory::Model> tuning;  ///< one that can be searched; may be the same
  Array dense;                          ///< the rows that an exact model reads
};

TheoryFacts theory_facts(const TheoryRequest& request, Messages& messages);
/// The part of it that reads --matrix.
TheoryFacts matrix_facts(const TheoryRequest& request, Messages& messages);

/// Adds the model of Gaussian rows with these eigenvalues.
void add_gaussian_model(const TheoryRequest& request, TheoryFacts& facts);

/// Valid for any A with these numbers; eta must be known.
theory::Model certificate(const TheoryFacts& facts);

}  // namespace polyak::cli
