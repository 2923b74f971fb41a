#include "problem/varied.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "problem/least_squares.hpp"
#include "problem/planted.hpp"

namespace polyak {
using namespace polyak::internal;

namespace internal::varied {
namespace {

struct Kind {
  const char* name;
  Recipe (*draw)(Draws&);
};

constexpr std::array<Kind, 12> kinds{{{"spectrum", spectrum},
                                      {"sparse", sparse},
                                      {"binary", binary},
                                      {"one-hot", one_hot},
                                      {"banded", banded},
                                      {"near-square", near_square},
                                      {"skewed", skewed},
                                      {"counts", counts},
                                      {"polynomial", polynomial},
                                      {"lagged", lagged},
                                      {"blurred", blurred},
                                      {"offset", offset}}};
constexpr std::array<double, 4> noises{0.0, 1e-6, 1e-2, 1.0};

// Seeds 2m and 2m + 1 have the same kind, so that even and odd seeds give the same mixture: among
// 24 consecutive seeds both contain every kind once, among 96 every kind with every noise.
std::size_t kind_of(std::uint64_t seed) { return seed / 2 % kinds.size(); }
double noise_of(std::uint64_t seed) {
  return noises[(seed / 2 / kinds.size() + kind_of(seed)) % noises.size()];
}

Recipe recipe_of(std::uint64_t seed) {
  Draws draws(seed);
  return kinds[kind_of(seed)].draw(draws);
}

std::vector<double> product(const RowMatrix& A, const std::vector<double>& x, ThreadTeam& team) {
  std::vector<double> out(to_size(A.rows()));
  const ConstView at{x.data(), 1, A.cols(), A.cols()};
  for_row_ranges(A.rows(), team, [&](Index first, Index last) {
    A.multiply(first, last, at, {out.data() + first, last - first, 1, 1});
  });
  return out;
}

double norm(const std::vector<double>& v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

}  // namespace

Index Draws::count_between(Index low, Index high) {
  const double found = log_between(static_cast<double>(low), static_cast<double>(high) + 1.0);
  return std::clamp(static_cast<Index>(found), low, high);
}

Shape dense_shape(Draws& draws, const Limits& limits) {
  const double larger = draws.chance(1.0 / 12.0) ? 4.0 : 1.0;
  const Index cols = draws.count_between(limits.min_cols, limits.max_cols);
  const auto d = static_cast<double>(cols);
  const double upper = std::min(
      {limits.max_rows, larger * limits.max_entries / d, larger * limits.max_work / (d * d)});
  const double min_rows = std::max(200.0, limits.min_ratio * d);
  const double lower = std::max(min_rows, std::min(draws.min_entries(3e5) / d, 0.5 * upper));
  return {static_cast<Index>(draws.log_between(lower, std::max(lower, upper))), cols};
}

GeneratedProblem system_of(std::uint64_t seed, ThreadTeam& team) {
  Made made = recipe_of(seed).make(seed, team);
  GeneratedProblem out;
  std::vector<double> x = normal_solution(made.A->cols(), {.seed = seed});
  for (std::size_t j = 0; j < made.units.size(); ++j) x[j] /= made.units[j];
  std::vector<double> b = product(*made.A, x, team);
  if (const double noise = noise_of(seed); noise > 0.0) {
    const std::vector<double> epsilon = noise_of_norm(noise * norm(b), made.A->rows(), seed, team);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] += epsilon[i];
  }
  out.b = Array(std::move(b), made.A->rows());
  out.x_planted = Array(std::move(x), made.A->cols());
  out.A = std::move(made.A);
  return out;
}

}  // namespace internal::varied

std::vector<std::string> varied_kinds() {
  std::vector<std::string> out;
  for (const varied::Kind& kind : varied::kinds) out.emplace_back(kind.name);
  return out;
}

VariedProblem varied_problem(std::uint64_t seed) {
  const varied::Recipe recipe = varied::recipe_of(seed);
  VariedProblem out;
  out.kind = varied::kinds[varied::kind_of(seed)].name;
  out.rows = recipe.shape.rows;
  out.cols = recipe.shape.cols;
  out.relative_noise = varied::noise_of(seed);
  out.text = fmt::format("{}, {} x {}, {}, noise {:g}", out.kind, out.rows, out.cols, recipe.text,
                         out.relative_noise);
  return out;
}

GeneratedProblem generate_varied(std::uint64_t seed, int threads) {
  require_size("threads", threads, 0);
  ThreadTeam team(threads);
  GeneratedProblem out = varied::system_of(seed, team);
  if (varied::noise_of(seed) == 0.0) {
    out.x_least_squares = out.x_planted;
    return out;
  }
  RefinedSolution best = refined_least_squares(*out.A, out.b.view(), team);
  out.x_least_squares = Array(std::move(best.x), out.A->cols());
  out.residual_norm = best.residual_norm;
  return out;
}

}  // namespace polyak
