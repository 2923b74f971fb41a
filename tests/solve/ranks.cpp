// Several ranks give the answer of one, with the same bits on each of them.

#include <chrono>
#include <cstring>
#include <thread>

#include "polyak/generate.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test {
namespace {

constexpr Index most_ranks = 4;

bool goes_row_by_row(const MethodInfo& method) {
  return method.sampled && !(method.traits & trait::batch);
}

std::vector<std::string> shareable_methods() {
  std::vector<std::string> out;
  for (const MethodInfo& method : method_table())
    if (!goes_row_by_row(method)) out.push_back(method.name);
  return out;
}

bool same_bits(const Rows& a, const Rows& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

double difference(const Rows& a, const Rows& b) { return (a - b).stableNorm() / b.stableNorm(); }

// Rank for rank the same bits and the same story, near to `alone`; returns x.
Rows expect_agreement(const std::vector<Report>& reports, const Report& alone, double tolerance) {
  const Report& first = reports.front();
  for (const Report& report : reports) {
    EXPECT_TRUE(same_bits(solution(report), solution(first)));
    EXPECT_EQ(report.reason, first.reason);
    EXPECT_EQ(report.history.size(), first.history.size());
  }
  EXPECT_EQ(first.status, alone.status) << first.reason;
  EXPECT_EQ(first.method, alone.method);
  EXPECT_EQ(first.iterations, alone.iterations);
  EXPECT_EQ(first.row_products, alone.row_products);
  EXPECT_EQ(first.nnz, alone.nnz);
  EXPECT_EQ(first.used.batch, alone.used.batch);
  EXPECT_NEAR(first.bytes_read, alone.bytes_read, 0.02 * alone.bytes_read);  // a row start a rank
  EXPECT_LE(difference(solution(first), solution(alone)), tolerance) << reports.size() << " ranks";
  return solution(first);
}

void expect_ranks_agree(const ProblemData& whole, const SolveOptions& options,
                        double tolerance = 1e-12) {
  const Report alone = solve(Problem(whole), options);
  for (Index ranks = 1; ranks <= most_ranks; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const Rows x = expect_agreement(solve_on_ranks(ranks, whole, options), alone, tolerance);
    EXPECT_TRUE(same_bits(x, solution(solve_on_ranks(ranks, whole, options).front())));
    if (ranks == 1) {
      EXPECT_TRUE(same_bits(x, solution(alone)));
    }
  }
}

class EveryRank : public testing::TestWithParam<std::string> {
 protected:
  // A fixed number of iterations, none so good that rounding decides what is next.
  SolveOptions fixed() const {
    SolveOptions options = ample(GetParam());
    options.tol = 0.0;
    const std::string& m = GetParam();
    const bool fast = m == "direct" || m == "active-set" || m == "normal" || m == "sketch-hbm";
    const bool krylov = !(find_method(m)->traits & trait::step_size);
    options.max_iterations = fast ? 1 : krylov ? 4 : 40;
    return options;
  }
};

TEST_P(EveryRank, has_the_answer_of_one_machine) {
  expect_ranks_agree(consistent(1500, 20), fixed());
}

TEST_P(EveryRank, has_it_for_sparse_rows) {
  std::vector<Triplet> entries;
  const Rows values = random(400, 5, 4);
  for (Index i = 0; i < 400; ++i)
    for (Index k = 0; k < 5; ++k)
      entries.push_back({i, (7 * i + k * (3 + i % 5)) % 30, values(i, k)});
  ProblemData whole;
  whole.A = csr_from_triplets(std::move(entries), 400, 30);
  Rows x = random(1, 30, 3), b(400, 1);
  whole.A->multiply(0, 400, {x.data(), 1, 30, 30}, {b.data(), 400, 1, 1});
  whole.b = array(b);
  expect_ranks_agree(whole, fixed());
  whole.A = to_single(whole.A);
  expect_ranks_agree(whole, fixed());
}

TEST_P(EveryRank, has_it_where_ranks_have_no_rows) {
  const Rows A = random(3, 2, 21);
  expect_ranks_agree(data(A, A * random(2, 1, 22)), fixed());
}

TEST_P(EveryRank, has_it_for_weights_starts_and_several_right_hand_sides) {
  const Rows A = random(301, 6, 5);
  ProblemData whole = data(A, A * random(6, 3, 6) + 0.01 * random(301, 3, 7));
  for (Index i = 0; i < 301; ++i)
    whole.weights.push_back(i % 7 == 0 ? 0.0 : 1.0 + 0.01 * static_cast<double>(i));
  whole.x0 = array(random(6, 3, 8));
  whole.ridge = (find_method(GetParam())->traits & trait::ridge) ? 0.5 : 0.0;
  expect_ranks_agree(whole, fixed());
}

TEST_P(EveryRank, has_it_for_numbers_whose_squares_overflow) {
  const Rows A = random(120, 5, 7), b = A * random(5, 1, 8);
  expect_ranks_agree(data(1e200 * A, b), fixed());
  expect_ranks_agree(data(1e-180 * A, b), fixed());
}

TEST_P(EveryRank, names_the_first_value_that_is_not_finite) {
  Rows A = random(50, 4, 9), b = random(50, 1, 10);
  A(40, 2) = std::nan("");
  A(20, 3) = INFINITY;
  const std::string of_A = refusals_on_ranks(1, data(A, b), ample(GetParam())).front();
  EXPECT_NE(of_A.find("A, row 21, column 4"), std::string::npos) << of_A;
  for (const std::string& told : refusals_on_ranks(3, data(A, b), ample(GetParam())))
    EXPECT_EQ(told, of_A);
  A(20, 3) = A(40, 2) = 1.0;
  b(49, 0) = -INFINITY;
  b(30, 0) = std::nan("");
  for (const std::string& told : refusals_on_ranks(3, data(A, b), ample(GetParam())))
    EXPECT_NE(told.find("b, row 31 (counted from 1): a value is not finite (found nan"),
              std::string::npos)
        << told;
}

INSTANTIATE_TEST_SUITE_P(methods, EveryRank, testing::ValuesIn(shareable_methods()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Saves once; on rank 0 that takes long, as writing a checkpoint may.
class SlowSaver final : public Observer {
 public:
  explicit SlowSaver(bool slow) : slow_(slow) {}
  bool snapshot_wanted(bool) override { return !saved_; }
  void snapshot(Snapshot&&) override {
    saved_ = true;
    if (slow_) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }

 private:
  bool slow_, saved_ = false;
};

// The other rank then waits in its next piece of work, finds it slow, and shortens the pieces
// that follow: all ranks must, or their sums get out of step (std::terminate in Meeting).
TEST(ranks, stay_in_step_if_one_of_them_is_slow_between_two_pieces_of_work) {
  SolveOptions options = ample("minibatch-sgd");
  options.batch_size = 512;  // four iterations a piece
  options.step_size = 0.01;
  options.max_iterations = 40;
  options.tol = 0.0;
  options.measure_every_iterations = 40;
  const ProblemData whole = consistent(400, 6);
  const Report alone = solve(Problem(whole), options);
  const auto reports = on_ranks<Report>(2, whole, [&](const Problem& problem) {
    SlowSaver saver(communicator(problem.A()).rank() == 0);
    return solve(problem, options, &saver);
  });
  expect_agreement(reports, alone, 1e-12);
}

TEST(ranks, converge_together_and_meet_the_tolerance) {
  for (const std::string& method : shareable_methods()) {
    SCOPED_TRACE(method);
    SolveOptions options = ample(method);
    options.tol = 1e-10;
    const ProblemData whole = consistent(900, 12);
    for (Index ranks : {2, 3}) {
      const auto reports = solve_on_ranks(ranks, whole, options);
      EXPECT_EQ(reports.front().status, Status::converged) << reports.front().reason;
      EXPECT_LE(*reports.front().error, 1e-8);
      EXPECT_TRUE(same_bits(solution(reports.front()), solution(reports.back())));
    }
  }
}

// Saves once, in the middle.
class Saver final : public Observer {
 public:
  explicit Saver(Index when) : when_(when) {}
  void progress(Index iteration, Index) override { iteration_ = iteration; }
  bool snapshot_wanted(bool ending) override { return !ending && !saved_ && iteration_ >= when_; }
  void snapshot(Snapshot&& snapshot) override { saved_ = std::move(snapshot); }
  const std::optional<Snapshot>& saved() const { return saved_; }

 private:
  Index when_, iteration_ = 0;
  std::optional<Snapshot> saved_;
};

TEST(ranks, go_on_from_what_another_number_of_ranks_has_saved) {
  for (const std::string method : {"minibatch-hbm", "nag", "lsqr", "cgls"}) {
    SCOPED_TRACE(method);
    SolveOptions options = ample(method);
    options.tol = 0.0;
    options.max_iterations = 8;
    const ProblemData whole = consistent(700, 15);
    struct Ran {
      Report report;
      std::optional<Snapshot> saved;
    };
    const auto straight = on_ranks<Ran>(3, whole, [&](const Problem& problem) {
      Saver saver(3);
      Report report = solve(problem, options, &saver);
      return Ran{std::move(report), saver.saved()};
    });
    ASSERT_TRUE(straight.front().saved && straight.back().saved);
    EXPECT_EQ(straight.front().saved->run.method.vectors,
              straight.back().saved->run.method.vectors);
    EXPECT_LT(straight.front().saved->run.method.iteration, 8);
    for (Index ranks : {1, 2, 3}) {
      const auto resumed = on_ranks<Report>(ranks, whole, [&](const Problem& problem) {
        return solve(problem, options, nullptr, &*straight.front().saved);
      });
      const Rows x = solution(straight.front().report);
      EXPECT_LE(difference(solution(resumed.front()), x), 1e-12) << ranks << " ranks";
      if (ranks == 3) {
        EXPECT_TRUE(same_bits(solution(resumed.back()), x));
      }
    }
  }
}

TEST(ranks, choose_the_method_of_one_machine) {
  SolveOptions options = with_method("auto");
  const ProblemData large = consistent(100000, 40);  // some rows are looked at first
  const Report alone = solve(Problem(large), options);
  ASSERT_FALSE(alone.stages.empty());
  for (Index ranks : {2, 4}) {
    const auto reports = solve_on_ranks(ranks, large, options);
    expect_agreement(reports, alone, 1e-12);
    ASSERT_EQ(reports.front().stages.size(), alone.stages.size());
    for (std::size_t k = 0; k < alone.stages.size(); ++k)
      EXPECT_EQ(reports.front().stages[k].method, alone.stages[k].method);
  }
  ProblemData noisy = large;
  noisy.b = array(random(100000, 1, 31));
  expect_agreement(solve_on_ranks(3, noisy, options), solve(Problem(noisy), options), 1e-9);
}

TEST(ranks, solve_wide_and_rank_deficient_systems) {
  const Rows wide = random(5, 12, 9);
  expect_ranks_agree(data(wide, wide * random(12, 1, 10)), with_method("direct"));
  Rows repeated(64, 3);
  for (Index i = 0; i < 64; ++i) repeated.row(i) << 0.1, 0.2, 0.3;
  SolveOptions options = with_method("hbm");  // its spectrum needs QR: AᵀA cannot tell the rank
  options.tol = 1e-12;
  const ProblemData whole = data(repeated, Rows::Ones(64, 1));
  const Report alone = solve(Problem(whole), options);
  ASSERT_EQ(alone.used.rank, 1);
  for (Index ranks : {2, 3}) {
    const auto reports = solve_on_ranks(ranks, whole, options);
    EXPECT_EQ(reports.back().used.rank, 1);
    EXPECT_LE(difference(solution(reports.back()), solution(alone)), 1e-10);
  }
}

TEST(ranks, heed_bounds) {
  const Rows A = random(200, 6, 41);
  ProblemData whole = data(A, A * random(6, 1, 42));
  whole.lower = {0.0};
  SolveOptions options = with_method("nag");
  options.tol = 0.0;
  options.max_iterations = 20;
  expect_ranks_agree(whole, options);
}

TEST(ranks, refuse_methods_that_go_row_by_row) {
  for (const MethodInfo& method : method_table()) {
    if (!goes_row_by_row(method)) continue;
    const auto told = refusals_on_ranks(2, consistent(), with_method(method.name));
    for (const std::string& line : told)
      EXPECT_EQ(line, "method: the method " + method.name +
                          " goes row after row and cannot be shared out over several ranks "
                          "(found 2 ranks); try minibatch-hbm");
    EXPECT_EQ(solve_on_ranks(1, consistent(), ample(method.name)).front().status,
              Status::converged);
  }
}

TEST(ranks, sample_by_any_law_as_one_machine_does) {
  ProblemData whole = consistent(900, 8);
  SolveOptions options = ample("minibatch-hbm");
  options.tol = 0.0;
  options.max_iterations = 30;
  for (const std::string law : {"uniform", "mixed", "given"}) {
    SCOPED_TRACE(options.sampling = law);
    for (Index i = 0; law == "given" && i < 900; ++i)
      options.probabilities.push_back(1.0 + static_cast<double>(i % 4));
    expect_ranks_agree(whole, options);
  }
  options.probabilities[700] = options.probabilities[800] = 0.0;
  for (const std::string& line : refusals_on_ranks(3, whole, options))
    EXPECT_NE(line.find("probabilities, row 701: a row that is not zero"), std::string::npos)
        << line;
}

// Between measurements: all ranks come to the same numbers, or they would not stop together.
TEST(ranks, look_at_the_rows_that_one_machine_looks_at) {
  SolveOptions options = with_method("minibatch-hbm");
  options.batch_size = 100;
  options.tol = 1e-10;
  const ProblemData whole = consistent(12000, 60, 0, 100.0);
  const Report alone = solve(Problem(whole), options);
  ASSERT_GE(alone.looks.size(), 3u);
  for (Index ranks : {2, 3}) {
    const auto reports = solve_on_ranks(ranks, whole, options);
    for (const Report& report : reports) {
      EXPECT_EQ(report.status, Status::converged) << report.reason;
      ASSERT_EQ(report.looks.size(), alone.looks.size());
      for (std::size_t k = 0; k < alone.looks.size(); ++k) {
        EXPECT_EQ(report.looks[k].iteration, alone.looks[k].iteration);
        EXPECT_EQ(report.looks[k].distance, reports.front().looks[k].distance);
        EXPECT_NEAR(report.looks[k].distance, alone.looks[k].distance,
                    1e-6 * alone.looks[k].distance);
      }
    }
  }
}

TEST(ranks, count_zero_rows_whose_right_hand_side_is_not) {
  Rows A = random(30, 3, 51), b = random(30, 1, 52);
  A.row(4).setZero();
  A.row(28).setZero();
  const auto reports = solve_on_ranks(3, data(A, b), with_method("lsqr"));
  for (const Report& report : reports) {
    EXPECT_EQ(report.zero_rows, 2);
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_EQ(report.warnings[0].substr(0, 11), "2 zero rows");
  }
}

}  // namespace
}  // namespace polyak::test
