// Where some rows are too many to factor, cg on them comes first: consistent data
// are solved by it, and all rows check that.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "solve/auto/row_subset.hpp"
#include "solve/auto/stages.hpp"
#include "solve/auto/subset_stages.hpp"
#include "support/decompositions.hpp"
#include "support/keeper.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test::subset_cg {
using namespace polyak::internal;

namespace {

constexpr Index n = 40000, d = 400, entries = 20;

Index rows_of_subset_cg(const ProblemShape& shape, double tol = 1e-8) {
  SolveOptions options;
  options.tol = tol;
  const AutoPlan plan(shape, options);
  return plan.subset_cg() ? plan.subset_cg()->rows : 0;
}

struct Size {
  Index rows = n, cols = d, entries = subset_cg::entries;
};

struct Sparse {
  Csr<double, std::int32_t> A;
  ProblemData data;

  template <class Visit>  // visit(column, value)
  void row(Index i, Visit visit) const {
    for (Index k = A.row_start[to_size(i)]; k < A.row_start[to_size(i) + 1]; ++k)
      visit(static_cast<Index>(A.columns[to_size(k)]), A.values[to_size(k)]);
  }
  double weight(Index i) const { return data.weights.empty() ? 1.0 : data.weights[to_size(i)]; }
};

// One entry in each of as many parts of the columns, which are 1 to `spread` in size.
Sparse sparse(double spread, double noise, bool weighted = false, Size size = {}) {
  Sparse out{{{0}, {}, {}, size.cols}, {}};
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const Rows x = test::random(size.cols, 1, 5);
  const Index width = size.cols / size.entries;
  std::vector<double> b;
  for (Index i = 0; i < size.rows; ++i) {
    b.push_back(noise * normal(random));
    for (Index t = 0; t < size.entries; ++t) {
      const auto j = static_cast<Index>(random() % static_cast<std::uint64_t>(width)) + t * width;
      const double at = static_cast<double>(j) / static_cast<double>(size.cols - 1);
      out.A.columns.push_back(static_cast<std::int32_t>(j));
      out.A.values.push_back(std::pow(spread, at) * normal(random));
      b.back() += out.A.values.back() * x(j);
    }
    out.A.row_start.push_back(std::ssize(out.A.columns));
    if (weighted) out.data.weights.push_back(1.0 + static_cast<double>(i % 5));
  }
  out.data.A = csr_matrix(out.A);
  out.data.b = Array(std::move(b), size.rows);
  out.data.reference = array(x);
  return out;
}

// By the normal equations, at a condition of ten or so.
Rows fitted(const Sparse& made) {
  Rows gram = Rows::Zero(d, d), against_b = Rows::Zero(d, 1);
  for (Index i = 0; i < n; ++i)
    made.row(i, [&](Index j, double a) {
      against_b(j) += made.weight(i) * a * made.data.b(i);
      made.row(i, [&](Index k, double c) { gram(j, k) += made.weight(i) * a * c; });
    });
  return spd_solution(gram, against_b);
}

double residual(const Sparse& made, const Rows& x) {
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    double r = -made.data.b(i);
    made.row(i, [&](Index j, double a) { r += a * x(j); });
    sum += made.weight(i) * r * r;
  }
  return std::sqrt(sum);
}

SolveOptions automatic(Index threads = 1) {
  SolveOptions options;
  options.threads = threads;
  return options;
}

bool same_bits(const Report& one, const Report& other) {
  const Rows a = solution(one), b = solution(other);
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

double relative(const Rows& found, const Rows& expected) {
  return (found - expected).norm() / expected.norm();
}

TEST(subset_cg, solves_consistent_data_and_checks_every_row) {
  const Sparse made = sparse(2.0, 0.0);
  const Report report = solve(Problem(made.data), automatic());
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(report.method, "subset-cg");
  EXPECT_EQ(report.certified, "full");
  EXPECT_EQ(report.rows, n);
  EXPECT_LE(*report.backward_error, 1e-8);
  EXPECT_LE(*report.error, 1e-7);  // at a condition of two or so
  ASSERT_EQ(report.stages.size(), 2u);
  EXPECT_EQ(report.stages[0].method, "subset-cg");
  EXPECT_NE(report.stages[0].outcome.find("converged"), std::string::npos);
  EXPECT_EQ(report.stages[1].method, "check");
  EXPECT_LT(report.passes, 0.05 * static_cast<double>(report.iterations) + 2.0);
  EXPECT_EQ(report.history.size(), 1u);  // of all rows
}

TEST(subset_cg, has_the_same_bits_for_any_number_of_threads) {
  const Sparse made = sparse(10.0, 0.01);
  const Report one = solve(Problem(made.data), automatic());
  for (Index threads : {2, 3})
    EXPECT_TRUE(same_bits(one, solve(Problem(made.data), automatic(threads))));
}

TEST(subset_cg, sees_rows_that_contradict_each_other_and_tells_what_cg_would_take) {
  for (const bool weighted : {false, true}) {
    const Sparse made = sparse(10.0, 1.0, weighted);
    const Report report = solve(Problem(made.data), automatic());
    EXPECT_EQ(report.status, Status::converged) << report.reason;
    ASSERT_GE(report.stages.size(), 2u);
    EXPECT_NE(report.stages[0].outcome.find("contradict"), std::string::npos)
        << report.stages[0].outcome;
    EXPECT_LE(relative(solution(report), fitted(made)), 1e-6) << report.method;
    // The first measurement is of all rows, from where some have led.
    ASSERT_FALSE(report.history.empty());
    EXPECT_LT(report.history.front().residual_norm, 0.5 * residual(made, Rows::Zero(d, 1)));
    EXPECT_GE(report.history.front().residual_norm, *report.residual_norm);
  }
}

// 10⁻³/√d parts noise from rows that agree at a condition up to 1000.
TEST(subset_cg, takes_no_slow_convergence_for_a_contradiction) {
  const Report report = solve(Problem(sparse(100.0, 0.0).data), automatic());
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_EQ(report.stages[0].outcome.find("contradict"), std::string::npos);
}

TEST(subset_cg, leaves_a_report_of_all_rows_where_a_limit_ends_it) {
  const Sparse made = sparse(10.0, 0.0);
  SolveOptions iterations = automatic(), passes = automatic(), seconds = automatic();
  iterations.max_iterations = 3;
  passes.max_passes = 0.3;
  seconds.time_limit_s = 1e-9;
  for (const auto& [options, reason] : {std::pair{iterations, "iteration limit of 3 reached"},
                                        {passes, "limit of 0.3 passes reached"},
                                        {seconds, "time limit of 1e-09 s reached"}}) {
    const Report report = solve(Problem(made.data), options);
    EXPECT_EQ(report.status, Status::limit);
    EXPECT_EQ(report.reason, reason);
    EXPECT_EQ(report.method, "subset-cg");
    ASSERT_EQ(report.stages.size(), 2u);
    EXPECT_EQ(report.stages[0].outcome, std::string("limit: ") + reason);
    EXPECT_EQ(report.rows, n);
    EXPECT_LE(report.passes, 0.35);  // cg reads its rows once before it begins
    const double r = residual(made, solution(report));
    EXPECT_NEAR(*report.residual_norm, r, 1e-10 * r);
  }
}

// What was saved of the rows that were cut off stands, so that they go on.
TEST(subset_cg, cut_off_by_a_limit_goes_on_to_the_same_bits) {
  const Problem problem(sparse(2.0, 0.0).data);
  const Report straight = solve(problem, automatic());
  SolveOptions limited = automatic();
  limited.max_iterations = 13;
  Keeper keeper;
  EXPECT_EQ(solve(problem, limited, &keeper).status, Status::limit);
  ASSERT_FALSE(keeper.kept.empty());
  EXPECT_TRUE(keeper.kept.back().finished.empty());
  const Report resumed = solve(problem, automatic(), nullptr, &keeper.kept.back());
  EXPECT_TRUE(same_bits(straight, resumed));
  EXPECT_EQ(straight.iterations, resumed.iterations);
}

TEST(subset_cg, resumed_anywhere_has_the_bits_of_a_run_that_never_stopped) {
  for (const double noise : {0.0, 1.0}) {
    const Problem problem(sparse(1.0, noise, false, {350000, 3000, 4}).data);
    Keeper keeper;
    const Report straight = solve(problem, automatic(), &keeper);
    ASSERT_EQ(straight.stages[0].method, "subset-cg");
    Index before = 0, after = 0;
    for (std::size_t i = 0; i < keeper.kept.size(); i += 7) {
      (keeper.kept[i].finished.empty() ? before : after) += 1;
      const Report resumed = solve(problem, automatic(), nullptr, &keeper.kept[i]);
      EXPECT_TRUE(same_bits(straight, resumed)) << i;
      EXPECT_EQ(straight.iterations, resumed.iterations);
      EXPECT_EQ(straight.method, resumed.method);
      EXPECT_EQ(straight.stages.size(), resumed.stages.size());
    }
    EXPECT_GT(before, 0);
    if (noise > 0.0) {
      EXPECT_GT(after, 0);
    }
  }
}

TEST(subset_cg, interrupted_keeps_what_it_had_and_goes_on_from_there) {
  for (const double noise : {0.0, 1.0}) {
    const Problem problem(sparse(2.0, noise).data);
    const Report straight = solve(problem, automatic());
    const int last = static_cast<int>(straight.iterations) - 2;
    for (const int after : {5, last - 6, last - 3, last - 1, last}) {
      Keeper keeper;
      keeper.stop_after = after;
      const Report report = solve(problem, automatic(), &keeper);
      EXPECT_EQ(report.rows, n);
      ASSERT_FALSE(keeper.kept.empty());
      const Report resumed = solve(problem, automatic(), nullptr, &keeper.kept.back());
      EXPECT_TRUE(same_bits(straight, resumed)) << after;
      EXPECT_EQ(straight.iterations, resumed.iterations) << after;
      if (after > 5) continue;
      EXPECT_EQ(report.status, Status::interrupted) << report.reason;
      EXPECT_TRUE(keeper.kept.back().finished.empty());
    }
  }
}

TEST(subset_cg, leaves_it_to_the_whole_to_name_a_value_that_is_not_finite) {
  Sparse made = sparse(10.0, 0.0);
  const Index rows = rows_of_subset_cg(shape_of(Problem(made.data)));
  ASSERT_GT(rows, 0);
  const Index row = random_rows(n, rows, 0, 0)[17];
  made.A.values[to_size(row * entries + 3)] = std::nan("");
  made.data.A = csr_matrix(made.A);
  try {
    (void)solve(Problem(made.data), automatic());
    FAIL() << "NaN went unseen";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(row + 1)), std::string::npos)
        << error.what();
  }
}

TEST(subset_cg, is_the_same_on_several_ranks) {
  for (const double noise : {0.0, 1.0}) {
    const ProblemData whole = sparse(10.0, noise).data;
    const Report alone = solve(Problem(whole), automatic());
    for (Index ranks : {1, 2, 3}) {
      const auto reports = solve_on_ranks(ranks, whole, automatic());
      for (const Report& report : reports) {
        EXPECT_TRUE(same_bits(report, reports.front()));
        EXPECT_EQ(report.method, alone.method);
        EXPECT_EQ(report.reason, alone.reason);
        EXPECT_EQ(report.iterations, alone.iterations);
        EXPECT_LE(relative(solution(report), solution(alone)), 1e-11);
      }
      if (ranks == 1) {
        EXPECT_TRUE(same_bits(reports.front(), alone));
      }
    }
  }
}

// Dense rows are looked at by their normal equations, alone and shared out alike.
TEST(subset_cg, is_left_to_normal_equations_where_rows_are_dense) {
  constexpr Index rows = 24000, cols = 256;
  const Rows A = random(rows, cols, 11), x = random(cols, 2, 12);
  ProblemData whole = data(A, A * x);
  whole.x0 = array(Rows::Ones(cols, 2));
  const Report alone = solve(Problem(whole), automatic());
  const Report report = solve_on_ranks(2, whole, automatic()).front();
  for (const Report& one : {alone, report}) {
    EXPECT_EQ(one.method, "subset-normal");
    EXPECT_EQ(one.status, Status::converged) << one.reason;
    EXPECT_LE(relative(solution(one), x), 1e-6);
  }
}

// Rows that draw no b tell nothing of cg.
TEST(subset_cg, that_found_nothing_to_do_gives_no_estimate) {
  Sparse made = sparse(2.0, 0.0);
  std::vector<double> b(n, 0.0);
  const auto drawn = random_rows(n, rows_of_subset_cg(shape_of(Problem(made.data))), 0, 0);
  Index other = 0;
  while (std::binary_search(drawn.begin(), drawn.end(), other)) ++other;
  b[to_size(other)] = 1.0;
  made.data.b = Array(std::move(b), n);
  const Report report = solve(Problem(made.data), automatic());
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_LE(relative(solution(report), fitted(made)), 1e-6);
  ASSERT_GE(report.stages.size(), 2u);
  EXPECT_EQ(report.stages[1].why.find("by a subset of the rows"), std::string::npos);
}

ProblemShape shape(Index rows, Index cols, Index per_row) {
  ProblemShape out;
  out.rows = rows;
  out.cols = cols;
  out.nonzeros = rows * per_row;
  out.bytes = 12.0 * static_cast<double>(out.nonzeros);
  return out;
}

TEST(rows_of_subset_cg, are_a_small_part_of_many_rows_that_are_stored) {
  const ProblemShape many = shape(1000000, 10000, 20);
  const SolveOptions options;
  const auto stage = AutoPlan(many, options).subset_cg();
  ASSERT_TRUE(stage);
  EXPECT_EQ(stage->rows, 40000);
  EXPECT_GT(static_cast<double>(stage->max_iterations), stage->expected_iterations);
  EXPECT_EQ(rows_of_subset_cg(shape(4000000, 10000, 5)), 80000);  // 40 entries a column
  EXPECT_EQ(rows_of_subset_cg(shape(300000, 10000, 20)), 0);      // too few to leave some out
  EXPECT_EQ(rows_of_subset_cg(shape(1000000, 100, 100)), 0);      // these are looked at
  EXPECT_EQ(rows_of_subset_cg(many, 0.0), 0);
  const ProblemShape dense = shape(49970, 1000, 1000);
  EXPECT_TRUE(shape_of_rows(dense, 4000).dense());
  ProblemShape other = many;
  other.ridge = true;
  EXPECT_EQ(rows_of_subset_cg(other), 0);
  other = many;
  other.products = 1e6 * 1e4 * 1e4;  // a projector's: made as they are read
  EXPECT_EQ(rows_of_subset_cg(other), 0);
}

TEST(expected_iterations, goes_by_how_the_gradient_fell) {
  Report part;
  EXPECT_FALSE(expected_iterations(part, 1e-8));
  part.iterations = 10;
  part.history.resize(2);
  part.history[0].gradient_norm = 1.0;
  part.history[1].gradient_norm = 1e-4;
  EXPECT_NEAR(*expected_iterations(part, 1e-8), 20.0, 1e-12);
  part.history[1].gradient_norm = 2.0;
  EXPECT_TRUE(std::isinf(*expected_iterations(part, 1e-8)));
}

}  // namespace
}  // namespace polyak::test::subset_cg
