#pragma once

// The sampling laws: the probability p_j of each row.
//   row-norm  p_j ∝ w_j‖a_j‖²      (the paper's; eta = 1)
//   uniform   p_j = 1/n over the rows that are not zero
//   mixed     the mean of both      (eta ≤ 2, and no small row is very rare)
//   given     by the user

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polyak/options.hpp"
#include "sampling/sampler.hpp"

namespace polyak::internal {

/// The law of this name in options; row-norm for any other name.
Sampling law_named(const std::string& name);

/// Sums over all rows that a law needs.
struct LawTotals {
  double nonzero = 0.0;  ///< rows that are not zero
  double sum = 0.0;      ///< Σ w_j‖a_j‖²
};

/// `norms2[j]` = w_j‖a_j‖²; zero rows get probability zero under every law.
/// `given` are the probabilities of Sampling::given, else unused.
std::vector<double> law_weights(Sampling law, std::span<const double> norms2,
                                std::span<const double> given);
/// The same for a part of the rows, with the totals of all.
std::vector<double> law_weights(Sampling law, std::span<const double> norms2,
                                std::span<const double> given, const LawTotals& all);

/// The first row that is not zero and has probability zero, which is an error.
std::optional<Index> neglected_row(std::span<const double> norms2, std::span<const double> given);
[[noreturn]] void refuse_probability(Index row, double value);

/// eta = max_j w_j‖a_j‖²/(p_j‖A‖_F²), Assumption 1 of the paper, over the rows of
/// the sampler; `norms2` has an entry for each row of A.
double sampling_eta(const Sampler& sampler, std::span<const double> norms2, double frobenius2);

}  // namespace polyak::internal
