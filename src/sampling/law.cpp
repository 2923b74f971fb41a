#include "sampling/law.hpp"

#include <algorithm>
#include <string>

#include "polyak/error.hpp"

namespace polyak {

Sampling law_named(const std::string& name) {
  if (name == "uniform") return Sampling::uniform;
  if (name == "mixed") return Sampling::mixed;
  if (name == "given") return Sampling::given;
  return Sampling::row_norm;
}

std::vector<double> law_weights(Sampling law, std::span<const double> norms2,
                                std::span<const double> given) {
  const auto nonzero = static_cast<double>(
      std::count_if(norms2.begin(), norms2.end(), [](double v) { return v > 0.0; }));
  double sum = 0.0;
  for (double v : norms2) sum += v;
  std::vector<double> weights(norms2.size(), 0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (norms2[j] == 0.0) continue;
    switch (law) {
      case Sampling::row_norm: weights[j] = norms2[j]; break;
      case Sampling::uniform: weights[j] = 1.0; break;
      case Sampling::mixed: weights[j] = 0.5 / nonzero + 0.5 * (norms2[j] / sum); break;
      case Sampling::given: weights[j] = given[j]; break;
    }
    if (!(weights[j] > 0.0) && law == Sampling::given) {
      throw Error(ErrorCode::bad_data,
                  {.what = "a row that is not zero has probability zero, which biases the answer",
                   .where = "probabilities, row " + std::to_string(j + 1),
                   .found = std::to_string(weights[j]),
                   .expected = "a positive number"});
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

}  // namespace polyak
