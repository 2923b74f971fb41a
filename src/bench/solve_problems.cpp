#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "bench/solve_contest.hpp"
#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/tomography_phantom.hpp"
#include "problem/least_squares.hpp"

namespace polyak::bench {
namespace {

Problem problem_of(MatrixPtr A, Array b, Array reference) {
  ProblemData parts;
  parts.A = std::move(A);
  parts.b = std::move(b);
  parts.reference = std::move(reference);
  return Problem(std::move(parts));
}

Problem problem_of(GeneratedProblem made) {
  return problem_of(std::move(made.A), std::move(made.b), std::move(made.x_least_squares));
}

}  // namespace

Problem with_reference(MatrixPtr A, Array b, int threads) {
  ThreadTeam team(threads);
  auto answer = qr_least_squares(*A, b.view(), {}, {}, team);
  const Index d = A->cols();
  return problem_of(std::move(A), std::move(b), Array(std::move(answer.x), d));
}

GenerateOptions Problems::options(double noise) const {
  return {.seed = seed, .noise = noise, .threads = threads};
}

std::vector<double> Problems::normals(Index count, std::uint64_t which) const {
  std::vector<double> out(to_size(count));
  Random(seed, stream::entries).normals(which, static_cast<std::uint64_t>(count), out.data());
  return out;
}

Problem Problems::solved(MatrixPtr A, std::vector<double> b) const {
  const Index n = A->rows();
  return with_reference(std::move(A), Array(std::move(b), n), threads);
}

SpectrumProblem Problems::shape(Decay decay, double rho, double kappa) const {
  SpectrumProblem out;
  out.rows = rows;
  out.cols = rows >= 100'000 ? 100 : 20;
  out.decay = decay;
  out.rho = rho;
  out.kappa = kappa;
  return out;
}

Problem Problems::paper(Decay decay, double rho, double kappa, double noise) const {
  return problem_of(generate(shape(decay, rho, kappa), options(noise)));
}

// |b| is about √(Σ lambda_j), as x is N(0, 1).
Problem Problems::noisy(Decay decay, double rho, double kappa) const {
  const auto values = squared_singular_values(shape(decay, rho, kappa));
  const double b2 = std::accumulate(values.begin(), values.end(), 0.0);
  return paper(decay, rho, kappa, 0.1 * std::sqrt(b2));
}

Problem Problems::graded(double condition) const {
  SpectrumProblem out;
  out.rows = rows / 5;
  out.cols = std::min<Index>(200, rows / 20);
  out.decay = Decay::given;
  for (Index j = 0; j < out.cols; ++j)
    out.squared_singular_values.push_back(
        std::pow(condition, -2.0 * static_cast<double>(j) / static_cast<double>(out.cols - 1)));
  return problem_of(generate(out, options(1e-3)));
}

Index Problems::gaussian_columns() const { return std::clamp<Index>(rows / 500, 20, 2000); }

Problem Problems::gaussian(double noise) const {
  return problem_of(generate(GaussianProblem{rows / 5, gaussian_columns()}, options(noise)));
}

Problem Problems::heavy() const {
  const Index n = rows / 5, d = 50;
  std::vector<double> A = normals(n * d, 1);
  for (Index k = 0; k < 20; ++k)
    for (Index j = 0; j < d; ++j) A[to_size(k * (n / 20) * d + j)] *= 1000.0;
  return solved(dense_matrix(std::move(A), n, d), normals(n, 2));
}

Problem Problems::repeated() const {
  const Index n = rows / 10, d = 60;
  std::vector<double> A = normals(n * d, 3);
  for (Index i = 0; i < n; ++i) A[to_size(i * d + 7)] = A[to_size(i * d + 50)];
  return solved(dense_matrix(std::move(A), n, d), normals(n, 4));
}

Problem Problems::wide() const {
  const Index n = std::min<Index>(400, rows / 100), d = 10 * n;
  return solved(dense_matrix(normals(n * d, 5), n, d), normals(n, 6));
}

// One entry in each twentieth of the columns.
Problem Problems::sparse() const {
  constexpr Index entries = 20;
  const Index d = std::max<Index>(entries, rows / 100);
  const Random places(seed, stream::entries + 1);
  const std::vector<double> x = normals(d, 7);
  Csr<double, std::int32_t> csr{{0}, {}, normals(rows * entries, 8), d};
  std::vector<double> b(to_size(rows), 0.0);
  for (Index i = 0; i < rows; ++i) {
    for (Index t = 0; t < entries; ++t) {
      const double u = places.uniform(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(t));
      const Index from = d * t / entries, to = d * (t + 1) / entries;
      const Index j = from + static_cast<Index>(u * static_cast<double>(to - from));
      b[to_size(i)] += csr.values[csr.columns.size()] * x[to_size(j)];
      csr.columns.push_back(static_cast<std::int32_t>(j));
    }
    csr.row_start.push_back(std::ssize(csr.columns));
  }
  return problem_of(csr_matrix(std::move(csr)), Array(std::move(b), rows), Array(x, d));
}

Problem Problems::scan() const {
  using namespace tomography;
  const bool large = rows >= 100'000;
  Geometry g;
  const Index side = large ? 64 : 12, views = large ? 720 : 60;
  for (Index k = 0; k < views; ++k)
    g.angles.push_back(std::numbers::pi * static_cast<double>(k) / static_cast<double>(views));
  g.detectors = 2 * side;
  g.image = {side, side, 1.0};
  MatrixPtr A = system_matrix(g, RayModel::line, threads);
  std::vector<double> image = draw(shepp_logan(), g.image);
  std::vector<double> b = projections(*A, image, threads);
  const Index n = A->rows(), d = A->cols();
  return problem_of(std::move(A), Array(std::move(b), n), Array(std::move(image), d));
}

}  // namespace polyak::bench
