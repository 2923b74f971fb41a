#pragma once

// The steps of `polyak theory`: request -> facts about A -> answer.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "polyak/theory.hpp"
#include "solve/request.hpp"

namespace polyak::cli {

/// A, described in one of three ways, and the method parameters of interest.
struct TheoryRequest {
  // A formula for the spectrum.
  std::optional<std::string> decay;
  std::optional<double> rho, kappa;
  // The ends of the spectrum.
  std::optional<double> lambda_min, lambda_max, frobenius2;
  // A file.
  std::optional<std::string> matrix;
  // With the first two: cols is required, rows and eta are optional.
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

/// The known numbers of A, and the most precise model of the sampling noise that they
/// allow.
struct TheoryFacts {
  std::string input;  ///< a description of A for people
  theory::MatrixNumbers numbers;
  /// False for uniform sampling without --eta, when the spread of the row norms is
  /// unknown: numbers.eta is then 1, and no result proved with eta may be shown.
  bool eta_known = true;
  /// False if lambda_min and lambda_max are Lanczos estimates.
  bool exact = true;
  std::vector<double> eigenvalues;  ///< empty if only the ends are known
  std::optional<Index> rows, rank, zero_rows;
  std::optional<double> eta_effective;

  /// eta·‖A‖_F², or its replacement for Gaussian rows; the recipe needs it.
  std::optional<double> energy;
  std::optional<theory::Model> model;
  std::string model_name;
  std::optional<theory::Model> tuning;  ///< a model cheap enough for a search; may be `model`
  Array dense;                          ///< the rows of an exact model
};

TheoryFacts theory_facts(const TheoryRequest& request, Messages& messages);

/// A model valid for any A with these numbers; eta must be known.
theory::Model certificate(const TheoryFacts& facts);

/// The answer as a JSON object. Infinite numbers are "inf"; unknown ones are absent.
nlohmann::ordered_json theory_answer(const TheoryRequest& request, const TheoryFacts& facts);

}  // namespace polyak::cli
