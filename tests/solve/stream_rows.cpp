// Rows that are read once: values that are not finite, wrong heights and options, pieces that fail,
// and the rows that are kept.

#include <cmath>
#include <limits>

#include "polyak/solve_stream.hpp"
#include "solve/stream/row_reservoir.hpp"
#include "support/decompositions.hpp"
#include "support/problems.hpp"

namespace polyak::test::stream_rows {
namespace {

// Four columns, and noise.
ProblemData table(Index n) {
  const Rows A = random(n, 4, 91);
  return data(A, A * random(4, 1, 92) + 0.1 * random(n, 1, 93));
}

TEST(StreamRows, RowsThatAreNotFiniteAreRefusedOrDropped) {
  ProblemData parts = table(5000);
  Rows A(5000, 4), b(5000, 1);
  for (Index i = 0; i < 5000; ++i) {
    parts.A->copy_rows(i, i + 1, {&A(i, 0), 1, 4, 4});
    b(i, 0) = parts.b(i);
  }
  A(4321, 2) = std::numeric_limits<double>::quiet_NaN();
  b(17, 0) = std::numeric_limits<double>::infinity();
  const auto rows = row_stream(matrix(A));
  StreamProblem problem;
  problem.b = array(b);
  try {
    static_cast<void>(solve_stream(*rows, problem));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(error.what()).find("b, row 18"), std::string::npos) << error.what();
  }
  problem.drop_nonfinite_rows = true;
  const auto again = row_stream(matrix(A));
  const Report found = solve_stream(*again, problem);
  EXPECT_EQ(found.rows, 4998);
  EXPECT_EQ(found.stream->dropped_rows, 2);
  Rows kept(4998, 4), rhs(4998, 1);
  for (Index i = 0, k = 0; i < 5000; ++i)
    if (i != 17 && i != 4321) kept.row(k) = A.row(i), rhs.row(k++) = b.row(i);
  EXPECT_LT((solution(found) - qr_solution(kept, rhs)).norm(), 1e-12 * solution(found).norm());
}

TEST(StreamRows, WrongHeightsAndOptionsAreTold) {
  const ProblemData parts = table(3000);
  const auto code = [&](auto change) {
    const auto rows = row_stream(parts.A);
    StreamProblem problem;
    problem.b = parts.b;
    SolveOptions options;
    change(problem, options);
    try {
      static_cast<void>(solve_stream(*rows, problem, options));
      return 0;
    } catch (const Error& error) {
      return static_cast<int>(error.code());
    }
  };
  using P = StreamProblem;
  using O = SolveOptions;
  EXPECT_EQ(code([](P&, O&) {}), 0);
  EXPECT_EQ(code([](P& p, O&) { p.weights.assign(2999, 1.0); }), 65);
  EXPECT_EQ(code([](P& p, O&) { p.weights.assign(3001, 1.0); }), 65);
  EXPECT_EQ(code([](P& p, O&) { p.weights.assign(3000, -1.0); }), 65);
  EXPECT_EQ(code([](P& p, O&) { p.b = Array(std::vector<double>(2000, 1.0), 2000); }), 65);
  EXPECT_EQ(code([](P& p, O&) { p.b = Array(); }), 2);
  EXPECT_EQ(code([](P& p, O&) { p.ridge = -1.0; }), 65);
  EXPECT_EQ(code([](P&, O& o) { o.method = "cg"; }), 2);
  EXPECT_EQ(code([](P&, O& o) { o.method = "direct"; }), 0);
  EXPECT_EQ(code([](P&, O& o) { o.batch_size = 10; }), 2);
  EXPECT_EQ(code([](P&, O& o) { o.max_passes = 0.5; }), 2);
  EXPECT_EQ(code([](P&, O& o) { o.max_passes = 1.0; }), 0);
}

// Pieces that fail: the error of the first of them, whatever the threads do.
class FailingPiece final : public RowPiece {
 public:
  explicit FailingPiece(Index number) : number_(number) {}
  Index rows() const override { return 512; }
  void copy(View A, std::span<double> b) override {
    if (number_ == 40 || number_ == 41 || number_ == 43)
      throw Error(ErrorCode::bad_data, {.what = "piece " + std::to_string(number_)});
    for (Index i = 0; i < A.rows; ++i) {
      for (Index j = 0; j < A.cols; ++j) A(i, j) = static_cast<double>((i * 7 + j * j) % 13);
      b[to_size(i)] = 1.0;
    }
  }

 private:
  Index number_;
};
class FailingStream final : public RowStream {
 public:
  explicit FailingStream(Index end) : end_(end) {}
  Index cols() const override { return 128; }
  bool has_rhs() const override { return true; }
  std::unique_ptr<RowPiece> next(Index) override {
    if (next_ == end_) throw Error(ErrorCode::io, {.what = "the disk"});
    return std::make_unique<FailingPiece>(next_++);
  }

 private:
  Index end_, next_ = 0;
};

TEST(StreamRows, TheFirstFailureIsTold) {
  SolveOptions options;
  options.threads = 4;
  for (int repeat = 0; repeat < 5; ++repeat)
    for (const Index end : {20, 42, 100}) {
      FailingStream rows(end);
      try {
        static_cast<void>(solve_stream(rows, {}, options));
        ADD_FAILURE();
      } catch (const Error& error) {
        EXPECT_STREQ(error.what(), end == 20 ? "the disk" : "piece 40");
      }
    }
}

TEST(RowReservoir, KeepsEveryRowWithTheSameProbabilityInAnyOrder) {
  constexpr Index rows = 20000, bins = 20, seeds = 40;
  std::vector<double> counts(to_size(bins), 0.0);
  std::vector<double> numbers(to_size(rows));
  for (Index i = 0; i < rows; ++i) numbers[to_size(i)] = static_cast<double>(i);
  for (Index seed = 0; seed < seeds; ++seed) {
    RowReservoir forwards(static_cast<std::uint64_t>(seed), 1),
        backwards(static_cast<std::uint64_t>(seed), 1);
    for (Index first = 0; first < rows; first += 500)
      forwards.offer(first, {numbers.data() + first, 500, 1, 1}, {});
    for (Index first = rows - 250; first >= 0; first -= 250)
      backwards.offer(first, {numbers.data() + first, 250, 1, 1}, {});
    const auto a = forwards.rows(), b = backwards.rows();
    ASSERT_EQ(a.size(), RowReservoir::most_rows);
    ASSERT_EQ(b.size(), a.size());
    for (std::size_t t = 0; t < a.size(); ++t) {
      EXPECT_EQ(a[t].number, b[t].number);
      EXPECT_EQ(a[t].values[0], static_cast<double>(a[t].number));
      counts[to_size(a[t].number * bins / rows)] += 1.0;
    }
  }
  // Chi-square with 19 degrees of freedom, a little smaller without replacement: 1e-6 beyond 62.
  const double expected =
      static_cast<double>(seeds) * static_cast<double>(RowReservoir::most_rows) / bins;
  double chi2 = 0.0;
  for (const double count : counts) chi2 += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi2, 62.0);
  EXPECT_GT(chi2, 2.0);  // 1e-6 below: neither too even
}

}  // namespace
}  // namespace polyak::test::stream_rows
