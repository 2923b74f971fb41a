// The recipe from estimated spectra: twenty Lanczos steps or a sketch in place of
// the exact ends, and it must still be stable, by the exact second moments.

#include "polyak/theory.hpp"
#include "sampling/law.hpp"
#include "spectrum/extremes.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

// Gaussian-like, coherent, one rare feature, nearly orthogonal rows.
Rows make(int kind, unsigned seed) {
  const Index n = 120, d = 32;
  Rows A = random(n, d, seed);
  if (kind == 1) A.topRows(4) *= 30.0;
  if (kind == 2) {
    A.col(0).setZero();
    A(7, 0) = 3.0;
  }
  if (kind == 3) {
    A *= 1e-3;
    for (Index i = 0; i < n; ++i) A(i, i % d) += 1.0 + static_cast<double>(i % d);
  }
  return A;
}

TEST(the_recipe, is_stable_with_estimated_ends_for_any_batch_and_law) {
  ThreadTeam team(1);
  for (unsigned seed = 0; seed < 64; ++seed) {
    const Rows A = make(static_cast<int>(seed % 4), 100 + seed);
    const Problem problem(data(A, Rows::Ones(A.rows(), 1)));
    const MatrixFacts facts = gather_facts(problem, team);
    const Extremes exact = exact_extremes(problem, facts, team, true);
    const Extremes lanczos = lanczos_extremes(problem, facts, team, seed, 20);
    const Extremes sketch = sketch_extremes(problem, facts, team, seed, 256);
    for (Sampling law : {Sampling::row_norm, Sampling::uniform}) {
      const Sampler sampler(law_weights(law, facts.norms2, {}));
      std::vector<double> p;
      for (Index i = 0; i < A.rows(); ++i) p.push_back(sampler.probability(i));
      const double energy =
          sampling_eta(sampler, facts.norms2, facts.frobenius2) * facts.frobenius2;
      const theory::Model model =
          theory::exact_model(exact.values, exact.vectors,
                              theory::noise_of_rows({A.data(), A.rows(), A.cols(), A.cols()}, p));
      for (const Extremes* estimated : {&lanczos, &sketch}) {
        for (double batch : {1.0, 8.0, 64.0}) {
          const theory::SafeRecipe chosen =
              theory::safe_recipe(estimated->lambda_min, estimated->lambda_max, energy, batch);
          EXPECT_LE(chosen.stability_number, 0.92);
          EXPECT_LT(
              theory::stability_threshold(model, theory::Method::heavy_ball, chosen.parameters),
              batch)
              << "seed " << seed << ", batch " << batch << ", " << estimated->source;
        }
      }
    }
  }
}

}  // namespace
}  // namespace polyak::test
