#include "bench/solve_cases.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/generate.hpp"
#include "problem/least_squares.hpp"

namespace polyak::bench {
namespace {

// Sizes follow from the number of rows; every problem from the seed.
struct Maker {
  Index rows;
  std::uint64_t seed;
  int threads;

  Problem paper(Decay decay, double rho, double kappa, double noise) const {
    SpectrumProblem shape;
    shape.rows = rows;
    shape.decay = decay;
    shape.rho = rho;
    shape.kappa = kappa;
    return problem_of(generate(shape, options(noise)));
  }

  // |b| is about √(Σ lambda_j), as x is N(0, 1).
  Problem noisy() const {
    SpectrumProblem shape;
    shape.decay = Decay::algebraic;
    shape.rho = 1.0;
    double sum = 0.0;
    for (double v : squared_singular_values(shape)) sum += v;
    return paper(Decay::algebraic, 1.0, shape.kappa, 0.1 * std::sqrt(sum));
  }

  Problem graded(double condition) const {
    SpectrumProblem shape;
    shape.rows = rows / 5;
    shape.cols = std::min<Index>(200, rows / 20);
    shape.decay = Decay::given;
    for (Index j = 0; j < shape.cols; ++j)
      shape.squared_singular_values.push_back(std::pow(
          condition, -2.0 * static_cast<double>(j) / static_cast<double>(shape.cols - 1)));
    return problem_of(generate(shape, options(1e-3)));
  }

  Problem many_columns() const {
    const GaussianProblem shape{rows / 20, std::min<Index>(1000, rows / 200)};
    return problem_of(generate(shape, options(10.0)));
  }

  Problem heavy() const {
    const Index n = rows / 5, d = 50;
    std::vector<double> A = normals(n * d, 1);
    for (Index k = 0; k < 20; ++k)
      for (Index j = 0; j < d; ++j) A[to_size(k * (n / 20) * d + j)] *= 1000.0;
    return solved(dense_matrix(std::move(A), n, d), normals(n, 2));
  }

  Problem repeated() const {
    const Index n = rows / 10, d = 60;
    std::vector<double> A = normals(n * d, 3);
    for (Index i = 0; i < n; ++i) A[to_size(i * d + 7)] = A[to_size(i * d + 50)];
    return solved(dense_matrix(std::move(A), n, d), normals(n, 4));
  }

  Problem wide() const {
    const Index n = std::min<Index>(400, rows / 100), d = 10 * n;
    return solved(dense_matrix(normals(n * d, 5), n, d), normals(n, 6));
  }

  // Consistent; one entry in each twentieth of the rows/100 columns.
  Problem sparse() const {
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
    ProblemData parts;
    parts.A = csr_matrix(std::move(csr));
    parts.b = Array(std::move(b), rows);
    parts.reference = Array(x, d);
    return Problem(std::move(parts));
  }

 private:
  GenerateOptions options(double noise) const {
    return {.seed = seed, .noise = noise, .threads = threads};
  }

  std::vector<double> normals(Index count, std::uint64_t which) const {
    std::vector<double> out(to_size(count));
    Random(seed, stream::entries).normals(which, static_cast<std::uint64_t>(count), out.data());
    return out;
  }

  static Problem problem_of(GeneratedProblem made) {
    ProblemData parts;
    parts.A = std::move(made.A);
    parts.b = std::move(made.b);
    parts.reference = std::move(made.x_least_squares);
    return Problem(std::move(parts));
  }

  // The reference by QR, of least norm.
  Problem solved(MatrixPtr A, std::vector<double> b) const {
    ThreadTeam team(threads);
    ProblemData parts;
    const Index n = A->rows(), d = A->cols();
    auto answer = qr_least_squares(*A, {b.data(), n, 1, 1}, {}, 0.0, team);
    parts.A = std::move(A);
    parts.b = Array(std::move(b), n);
    parts.reference = Array(std::move(answer.x), d);
    return Problem(std::move(parts));
  }
};

}  // namespace

std::vector<SolveCase> solve_cases(Index rows, std::uint64_t seed, int threads) {
  const Maker m{rows, seed, threads};
  const std::vector<std::string> sampled = {"rk", "minibatch-hbm", "normal", "lsqr"};
  const std::vector<std::string> full = {"normal", "sketch-hbm", "direct", "lsqr"};
  const std::vector<std::string> stable = {"normal", "sketch-hbm", "direct"};
  std::vector<SolveCase> out;
  for (double kappa : {10.0, 30.0, 100.0})
    out.push_back({fmt::format("paper, algebraic 1, kappa {:g}", kappa),
                   [=] { return m.paper(Decay::algebraic, 1.0, kappa, 0.0); }, sampled,
                   {"normal", "lsqr", "lsmr"}, true});
  out.push_back({"paper, exponential 0.5, kappa 100",
                 [=] { return m.paper(Decay::exponential, 0.5, 100.0, 0.0); }, sampled,
                 {"normal", "lsqr"}, true});
  out.push_back({"paper, inconsistent, kappa 50",
                 [=] { return m.paper(Decay::exponential, 0.5, 50.0, 1e-5); }, full,
                 {"normal", "lsqr"}});
  out.push_back({"10 % noise, algebraic 1, kappa 100", [=] { return m.noisy(); }, full,
                 {"normal", "lsqr", "lsmr"}});
  for (double condition : {1e6, 1e10})
    out.push_back({fmt::format("condition {:.0e}, noise", condition),
                   [=] { return m.graded(condition); }, stable, {"normal", "gels", "lstsq"}});
  out.push_back({"1000 columns, noise", [=] { return m.many_columns(); }, stable,
                 {"normal", "gels"}});
  out.push_back({"20 heavy rows, noise", [=] { return m.heavy(); }, full, {"normal", "gels"}});
  out.push_back({"sparse, 20 a row", [=] { return m.sparse(); }, {"rk", "lsqr", "cgls"},
                 {"sparse_lsqr", "sparse_lsmr"}, true});
  out.push_back({"two equal columns, noise", [=] { return m.repeated(); }, {"direct", "lsqr"},
                 {"lstsq"}});
  out.push_back({"wide", [=] { return m.wide(); }, {"direct", "lsqr"}, {"lstsq"}, true});
  return out;
}

}  // namespace polyak::bench
