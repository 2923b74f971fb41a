// File pages that a few rows lie in.

#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "polyak/generate.hpp"
#include "solve/auto/row_subset.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

Index spanned(std::vector<Index> rows, Index row_bytes) { return pages_spanned(rows, row_bytes); }

// The definition: every byte of every row, one at a time.
Index by_bytes(const std::set<Index>& rows, Index row_bytes) {
  std::set<Index> pages;
  for (const Index row : rows)
    for (Index k = 0; k < row_bytes; ++k) pages.insert((row * row_bytes + k) / 4096);
  return std::ssize(pages);
}

TEST(pages, are_counted_once_however_many_rows_lie_in_them) {
  EXPECT_EQ(spanned({}, 800), 0);
  EXPECT_EQ(spanned({0}, 800), 1);
  EXPECT_EQ(spanned({0, 1, 4}, 800), 1);
  EXPECT_EQ(spanned({0, 100}, 800), 2);
}

TEST(pages, count_both_where_a_row_lies_across_their_border) {
  EXPECT_EQ(spanned({5}, 800), 2);        // bytes 4000 to 4799
  EXPECT_EQ(spanned({4, 5, 6}, 800), 2);  // 3200 to 5599
  EXPECT_EQ(spanned({5, 10}, 800), 3);    // the second row begins in the first one's last page
}

TEST(pages, are_as_many_as_a_long_row_fills) {
  EXPECT_EQ(spanned({1}, 4096), 1);
  EXPECT_EQ(spanned({1}, 8192), 2);
  EXPECT_EQ(spanned({0, 1}, 10000), 5);
  EXPECT_EQ(spanned({1}, 10000), 3);
}

TEST(pages, of_all_rows_are_those_of_the_array) {
  for (const Index row_bytes : {4, 8, 24, 800, 4096, 4104}) {
    std::vector<Index> rows(300);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
    EXPECT_EQ(spanned(rows, row_bytes), (300 * row_bytes + 4095) / 4096) << row_bytes;
  }
}

// Passes everything on and remembers the rows that were copied.
class Watched : public RowMatrix {
 public:
  explicit Watched(MatrixPtr A) : A_(std::move(A)) {}

  Index rows() const override { return A_->rows(); }
  Index cols() const override { return A_->cols(); }
  Index nonzeros() const override { return A_->nonzeros(); }
  std::string kind() const override { return A_->kind(); }
  double bytes() const override { return A_->bytes(); }
  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    A_->gradient(rows, weights, scale, x, b, g);
  }
  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    A_->range_gradient(first, last, weights, scale, x, b, g, residual2);
  }
  void multiply(Index first, Index last, ConstView x, View y) const override {
    A_->multiply(first, last, x, y);
  }
  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    A_->add_transposed(first, last, y, g);
  }
  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    A_->kaczmarz(rows, steps, scale, b, x);
  }
  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    A_->norms(first, last, scale, row_norms2, column_norms2);
  }
  double max_abs(Index first, Index last) const override { return A_->max_abs(first, last); }
  void copy_rows(Index first, Index last, View out) const override {
    const std::scoped_lock lock(mutex_);
    for (Index i = first; i < last; ++i) touched_.insert(i);
    A_->copy_rows(first, last, out);
  }

  const std::set<Index>& touched() const { return touched_; }

 private:
  MatrixPtr A_;
  mutable std::mutex mutex_;
  mutable std::set<Index> touched_;
};

SolveOptions sampled() {
  SolveOptions options;
  options.certify = "sampled";
  options.threads = 2;
  options.seed = 5;
  return options;
}

ProblemData parts_of(GeneratedProblem made) {
  ProblemData out;
  out.A = std::move(made.A);
  out.b = std::move(made.b);
  return out;
}

TEST(pages, in_the_report_are_those_of_the_rows_really_touched) {
  ProblemData parts = parts_of(generate(GaussianProblem{60000, 64}));
  const auto watched = std::make_shared<Watched>(parts.A);
  parts.A = watched;
  const Report report = solve(Problem(std::move(parts)), sampled());
  ASSERT_EQ(report.certified, "sampled");
  ASSERT_TRUE(report.pages_read);
  EXPECT_EQ(*report.pages_read, by_bytes(watched->touched(), 64 * 8));
  EXPECT_EQ(report.bytes_read, static_cast<double>(std::ssize(watched->touched()) * 64 * 8));
  EXPECT_EQ(nlohmann::json::parse(to_json(report)).at("pages_read"), *report.pages_read);
}

TEST(pages, are_half_as_long_in_rows_of_single_precision) {
  ProblemData parts = parts_of(generate(GaussianProblem{60000, 1024 / 8}));
  parts.A = to_single(parts.A);
  parts.b = Array(std::vector<double>(60000, 0.0), 60000);
  const auto watched = std::make_shared<Watched>(parts.A);
  parts.A = watched;
  const Report report = solve(Problem(std::move(parts)), sampled());
  ASSERT_TRUE(report.pages_read) << report.reason;
  EXPECT_EQ(*report.pages_read, by_bytes(watched->touched(), 512));
}

TEST(pages, are_absent_where_all_of_A_was_read) {
  SolveOptions options = sampled();
  options.certify = "full";
  const Report report = solve(Problem(parts_of(generate(GaussianProblem{60000, 64}))), options);
  EXPECT_FALSE(report.pages_read);
  EXPECT_FALSE(nlohmann::json::parse(to_json(report)).contains("pages_read"));
}

TEST(pages, are_absent_for_rows_that_are_not_of_one_length) {
  ProblemData parts = parts_of(generate(SamplingProblem{200000, 40, false}));
  const Report report = solve(Problem(std::move(parts)), sampled());
  ASSERT_EQ(report.certified, "sampled") << report.reason;
  EXPECT_FALSE(report.pages_read);
}

}  // namespace
}  // namespace polyak::test
