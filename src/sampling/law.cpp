#include "sampling/law.hpp"

#include <algorithm>
#include <string>

#include "polyak/error.hpp"

namespace polyak::internal {

Sampling law_named(const std::string& name) {
  if (name == "uniform") return Sampling::uniform;
  if (name == "mixed") return Sampling::mixed;
  if (name == "given") return Sampling::given;
  return Sampling::row_norm;
}

std::optional<Index> neglected_row(std::span<const double> norms2, std::span<const double> given) {
  for (std::size_t j = 0; j < norms2.size(); ++j)
    if (norms2[j] != 0.0 && !(given[j] > 0.0)) return static_cast<Index>(j);
  return std::nullopt;
}

void refuse_probability(Index row, double value) {
  throw Error(ErrorCode::bad_data,
              {.what = "a row that is not zero has probability zero, which biases the answer",
               .where = "probabilities, row " + std::to_string(row + 1),
               .found = std::to_string(value),
               .expected = "a positive number"});
}

std::vector<double> law_weights(Sampling law, std::span<const double> norms2,
                                std::span<const double> given) {
  if (const auto row = law == Sampling::given ? neglected_row(norms2, given) : std::nullopt)
    refuse_probability(*row, given[to_size(*row)]);
  LawTotals all;
  for (double v : norms2) {
    all.nonzero += v > 0.0;
    all.sum += v;
  }
  return law_weights(law, norms2, given, all);
}

std::vector<double> law_weights(Sampling law, std::span<const double> norms2,
                                std::span<const double> given, const LawTotals& all) {
  std::vector<double> weights(norms2.size(), 0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (norms2[j] == 0.0) continue;
    switch (law) {
      case Sampling::row_norm: weights[j] = norms2[j]; break;
      case Sampling::uniform: weights[j] = 1.0; break;
      case Sampling::mixed: weights[j] = 0.5 / all.nonzero + 0.5 * (norms2[j] / all.sum); break;
      case Sampling::given: weights[j] = given[j]; break;
    }
  }
  return weights;
}

double sampling_eta(const Sampler& sampler, std::span<const double> norms2, double frobenius2) {
  double eta = 0.0;
  for (Index j = sampler.first(); j < sampler.first() + sampler.rows(); ++j) {
    const double norm2 = norms2[to_size(j)];
    if (norm2 > 0.0) eta = std::max(eta, norm2 / frobenius2 / sampler.probability(j));
  }
  return eta;
}

}  // namespace polyak::internal
