#pragma once

// Which rows, how often: the sampling laws by name.
//   row-norm  p_j ∝ w_j‖a_j‖²      (the paper's; eta = 1)
//   uniform   p_j = 1/n over the rows that are not zero
//   mixed     half of each          (eta ≤ 2, and no row is neglected)

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polyak/options.hpp"
#include "sampling/sampler.hpp"

namespace polyak {

/// By the name it has in options; row-norm for any other.
Sampling law_named(const std::string& name);

/// What a law has to know of all rows.
struct LawTotals {
  double nonzero = 0.0;  ///< rows that are not zero
  double sum = 0.0;      ///< Σ w_j‖a_j‖²
};

/// `norms2[j]` = w_j‖a_j‖²; zero rows get probability zero under every law.
/// `given` are the probabilities of Sampling::given, else unused.
std::vector<double> law_weights(Sampling law, std::span<const double> norms2,
                                std::span<const double> given);
/// Of some of the rows, with the totals of all.
std::vector<double> law_weights(Sampling law, std::span<const double> norms2,
                                std::span<const double> given, const LawTotals& all);

/// The first row that is not zero and has no probability, which no law may have.
std::optional<Index> neglected_row(std::span<const double> norms2, std::span<const double> given);
[[noreturn]] void refuse_probability(Index row, double value);

/// eta = max_j w_j‖a_j‖²/(p_j‖A‖_F²), Assumption 1 of the paper, over the rows that
/// the sampler has; `norms2` is as long as all rows.
double sampling_eta(const Sampler& sampler, std::span<const double> norms2, double frobenius2);

}  // namespace polyak
