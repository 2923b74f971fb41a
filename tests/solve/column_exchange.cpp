// Ranks that tell each other the sums of the columns they share, and no more,
// have the x of ranks that tell all sums, to the last bit.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "polyak/ranks.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test::column_exchange {
namespace {

const double poison = std::nan("");

// What the ranks know of each other's columns.
struct Board {
  explicit Board(Index ranks) : touched(to_size(ranks)), given(to_size(ranks)) {}
  std::vector<std::vector<Index>> touched;
  std::vector<View> given;
};

// By the memory that threads share, and with traps: what a rank has no right to know
// becomes NaN in every step.
class TrappedExchange final : public ColumnExchange {
 public:
  TrappedExchange(Meeting& meeting, Board& board, Index rank)
      : meeting_(meeting), board_(board), rank_(to_size(rank)) {}

  bool sends_less(const RowMatrix& own) override {
    board_.touched[rank_] = touched_columns(own);
    meeting_.wait();
    owner_.assign(to_size(own.cols()), 0);
    for (std::size_t r = board_.touched.size(); r-- > 0;)
      for (Index j : board_.touched[r]) owner_[to_size(j)] = r;
    meeting_.wait();
    return true;
  }
  ColumnRange held() const override { return {0, std::ssize(owner_)}; }

  void add(View g) override {
    board_.given[rank_] = g;
    meeting_.wait();
    std::vector<double> sums(to_size(g.size()), poison);
    const View out{sums.data(), g.rows, g.cols, g.cols};
    for (Index c = 0; c < g.rows; ++c) {
      for (Index j = 0; j < g.cols; ++j)
        if (owner_[to_size(j)] == rank_) out(c, j) = g(c, j);
      for (Index j : board_.touched[rank_]) out(c, j) = sum(c, j);
    }
    meeting_.wait();
    std::copy(sums.begin(), sums.end(), g.data);
    ++added;
  }

  void gather(View x) override {
    board_.given[rank_] = x;
    meeting_.wait();
    std::vector<double> whole;
    for (Index c = 0; c < x.rows; ++c)
      for (Index j = 0; j < x.cols; ++j) whole.push_back(board_.given[owner_[to_size(j)]](c, j));
    meeting_.wait();
    std::copy(whole.begin(), whole.end(), x.data);
  }

  std::string description() const override { return "ghosts"; }
  Index added = 0;

 private:
  double sum(Index c, Index j) const {
    double sum = 0.0;
    for (std::size_t r = 0; r < board_.given.size(); ++r)
      if (std::binary_search(board_.touched[r].begin(), board_.touched[r].end(), j))
        sum += board_.given[r](c, j);
    return sum;
  }

  Meeting& meeting_;
  Board& board_;
  std::size_t rank_;
  std::vector<std::size_t> owner_;
};

// Rows that touch neighbouring columns; one column in the middle is nobody's.
constexpr Index columns = 60, unseen = 31;

ProblemData banded(Index right_hand_sides = 1) {
  constexpr Index rows = 240;
  const Rows values = random(rows, 3, 71);
  std::vector<Triplet> entries;
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < 3; ++k) {
      const Index j = std::min(columns - 1, i * columns / rows + k);
      if (j != unseen) entries.push_back({i, j, values(i, k) + (k == 1 ? 2.0 : 0.0)});
    }
  ProblemData out;
  out.A = csr_from_triplets(std::move(entries), rows, columns);
  out.b = array(random(rows, right_hand_sides, 72));
  return out;
}

struct Ran {
  Report report;
  Index added = 0;
};

std::vector<Ran> run(Index ranks, const ProblemData& whole, const SolveOptions& options,
                     bool by_columns, Observer* observer = nullptr,
                     const Snapshot* from = nullptr) {
  Board board(ranks);
  std::map<const ColumnExchange*, std::shared_ptr<TrappedExchange>> made;
  std::mutex mutex;
  const auto make = [&](Meeting& meeting, Index rank) {
    auto one = std::make_shared<TrappedExchange>(meeting, board, rank);
    const std::lock_guard lock(mutex);
    return made[one.get()] = one;
  };
  return on_ranks<Ran>(
      ranks, whole,
      [&](const Problem& problem) {
        const Partition own = partition(problem.A());
        Ran out{solve(problem, options, own.rank() == 0 ? observer : nullptr, from), 0};
        if (!by_columns) return out;
        const std::lock_guard lock(mutex);
        out.added = made.at(own.columns)->added;
        return out;
      },
      nullptr, by_columns ? ColumnsOf(make) : ColumnsOf());
}

bool same_bits(const Array& a, const Array& b) {
  return a.view().size() == b.view().size() &&
         std::memcmp(a.view().data, b.view().data, sizeof(double) * to_size(a.view().size())) == 0;
}

// Adding nothing, or +0, is the same but for the sign of zero.
void expect_same_runs(const ProblemData& whole, const SolveOptions& options) {
  for (Index ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const auto by_all = run(ranks, whole, options, false);
    const auto by_columns = run(ranks, whole, options, true);
    for (const Ran& ran : by_columns) {
      EXPECT_TRUE(same_bits(ran.report.x, by_all.front().report.x));
      EXPECT_EQ(ran.report.reason, by_all.front().report.reason);
      EXPECT_EQ(ran.report.iterations, by_all.front().report.iterations);
      EXPECT_EQ(ran.report.residual_norm, by_all.front().report.residual_norm);
      EXPECT_EQ(ran.report.used.exchange, "ghosts");
      EXPECT_GE(ran.added, ran.report.iterations);
    }
  }
}

SolveOptions steps(const std::string& method, Index iterations = 30) {
  SolveOptions options = ample(method);
  options.tol = 0.0;
  options.max_iterations = iterations;
  options.measure_every_iterations = 7;
  return options;
}

const std::vector<std::string> by_column = {
    "gd", "hbm", "nag", "minibatch-sgd", "minibatch-hbm", "minibatch-nag"};

TEST(column_exchange, leaves_the_bits_of_sums_of_all_columns) {
  for (const std::string& method : by_column) {
    SCOPED_TRACE(method);
    expect_same_runs(banded(), steps(method));
  }
}

TEST(column_exchange, heeds_ridge_bounds_starts_weights_and_several_right_hand_sides) {
  for (const std::string& method : by_column) {
    SCOPED_TRACE(method);
    ProblemData whole = banded(3);
    whole.ridge = 0.25;
    whole.x0 = array(random(columns, 3, 73));
    whole.lower = {-0.5};
    for (Index i = 0; i < whole.A->rows(); ++i)
      whole.weights.push_back(i % 5 == 0 ? 0.0 : 1.0 + 0.01 * static_cast<double>(i));
    expect_same_runs(whole, steps(method));
  }
}

TEST(column_exchange, converges_at_the_same_iteration) {
  ProblemData whole = banded();
  Rows x = random(1, columns, 74), b(whole.A->rows(), 1);
  whole.A->multiply(0, whole.A->rows(), {x.data(), 1, columns, columns},
                    {b.data(), whole.A->rows(), 1, 1});
  whole.b = array(b);
  SolveOptions options = ample("minibatch-hbm");
  options.tol = 1e-8;
  expect_same_runs(whole, options);
  EXPECT_EQ(run(3, whole, options, true).front().report.status, Status::converged);
}

TEST(column_exchange, sees_a_runaway_on_every_rank_at_once) {
  SolveOptions options = steps("gd", 100000);
  options.step_size = 1.0;
  options.measure_every_iterations = 100000;
  const ProblemData whole = banded();
  expect_same_runs(whole, options);
  const Report report = run(3, whole, options, true).back().report;
  EXPECT_EQ(report.status, Status::diverged) << report.reason;
  EXPECT_LT(report.iterations, 1000);
}

// Saves once, in the middle; every rank is asked, one wants it.
class Saver final : public Observer {
 public:
  void progress(Index iteration, Index) override { iteration_ = iteration; }
  bool snapshot_wanted(bool ending) override { return !ending && !saved && iteration_ >= 10; }
  void snapshot(Snapshot&& snapshot) override { saved = std::move(snapshot); }
  std::optional<Snapshot> saved;

 private:
  Index iteration_ = 0;
};

TEST(column_exchange, saves_the_state_of_one_machine) {
  for (const std::string method : {"nag", "minibatch-hbm"}) {
    SCOPED_TRACE(method);
    const ProblemData whole = banded();
    const SolveOptions options = steps(method);
    Saver of_all, of_columns;
    const auto straight = run(3, whole, options, false, &of_all);
    run(3, whole, options, true, &of_columns);
    ASSERT_TRUE(of_all.saved && of_columns.saved);
    EXPECT_EQ(of_columns.saved->run.method.vectors, of_all.saved->run.method.vectors);
    for (bool by_columns : {false, true}) {
      const auto resumed = run(3, whole, options, by_columns, nullptr, &*of_columns.saved);
      EXPECT_TRUE(same_bits(resumed.back().report.x, straight.front().report.x));
    }
  }
}

TEST(column_exchange, is_for_methods_that_go_column_by_column) {
  for (const std::string method : {"lsqr", "cgls", "cg", "normal", "direct", "sketch-hbm"}) {
    SCOPED_TRACE(method);
    SolveOptions options = ample(method);
    options.tol = 1e-10;
    const auto ran = run(2, banded(), options, true);
    EXPECT_EQ(ran.front().added, 0);
    EXPECT_FALSE(ran.front().report.used.exchange);
    EXPECT_TRUE(same_bits(ran.front().report.x, run(2, banded(), options, false).front().report.x));
  }
}

TEST(column_exchange, finds_columns_by_their_values) {
  std::vector<Triplet> entries = {
      {0, 1, 1e-200}, {1, 3, 0.0}, {1, 4, 5e-324}, {2, 0, std::nan("")}};
  const auto A = csr_from_triplets(entries, 3, 6);
  EXPECT_EQ(touched_columns(*A), (std::vector<Index>{0, 1, 4}));
}

}  // namespace
}  // namespace polyak::test::column_exchange
