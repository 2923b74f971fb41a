// A rule of the caller's in place of the tolerance, and matrices known by products only.

#include <cmath>

#include "support/decompositions.hpp"
#include "support/problems.hpp"
#include "support/thread_ranks.hpp"

namespace polyak::test::stop_rule {
namespace {

double largest_singular_value(const Rows& A) { return singular_values(A)(0); }

const char* const all_methods[] = {"gd",   "hbm",    "nag",    "cg",         "cgls",
                                   "lsqr", "direct", "normal", "sketch-hbm", "auto"};

TEST(stop_rule, takes_the_first_measured_x_whose_residual_is_small) {
  const Rows A = random(400, 9, 21), b = A * random(9, 1, 22);
  for (const char* method : all_methods) {
    SolveOptions options = with_method(method);
    options.stop_rule = StopRule{.residual = 1e-5 * b.norm()};
    const Report report = solve(Problem(data(A, b)), options);
    ASSERT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    EXPECT_LE((b - A * solution(report)).norm(), 1e-5 * b.norm() * (1 + 1e-9)) << method;
    for (std::size_t k = 0; k + 1 < report.history.size(); ++k)
      EXPECT_GT(report.history[k].residual_norm, 1e-5 * b.norm()) << method;
  }
}

// ‖A‖ is bounded from below: what is promised holds for the true one, and scaling all of A
// and b changes nothing.
TEST(stop_rule, of_the_normal_residual_is_never_weaker_than_it_reads) {
  for (const double unit : {1.0, 1e-7, 1e150}) {
    const Rows A = unit * random(400, 9, 23), b = A * random(9, 1, 24) + unit * random(400, 1, 25);
    const double norm = largest_singular_value(A / unit) * unit;
    for (const char* method : all_methods) {
      SolveOptions options = with_method(method);
      options.stop_rule = StopRule{.cosine = 1e-6};
      const Report report = solve(Problem(data(A, b)), options);
      ASSERT_EQ(report.status, Status::converged) << method << ": " << report.reason;
      const Rows r = (b - A * solution(report)) / unit;
      EXPECT_LE((A.transpose() / unit * r).norm(), 1e-6 * (norm / unit) * r.norm() * (1 + 1e-9))
          << method;
      EXPECT_TRUE(report.reason.starts_with("|A'r|")) << report.reason;
    }
  }
}

TEST(stop_rule, that_cannot_end_leaves_the_run_to_the_observer) {
  struct Enough final : Observer {
    void measured_x(ConstView seen) override { x.assign(seen.data, seen.data + seen.size()); }
    void measured(const Measurement& m) override { residual = m.residual_norm; }
    bool stop_requested() override { return residual < 1e-4; }
    std::vector<double> x;
    double residual = 1e300;
  } enough;
  const Rows A = random(400, 9, 26), b = A * random(9, 1, 27);
  SolveOptions options = with_method("cgls");
  options.tol = 0.5;  // which x = 0 all but meets
  options.stop_rule = StopRule{};
  const Report report = solve(Problem(data(A, b)), options, &enough);
  EXPECT_EQ(report.status, Status::interrupted) << report.reason;
  const Rows x = Eigen::Map<const Rows>(enough.x.data(), 9, 1);
  EXPECT_NEAR((b - A * x).norm(), enough.residual, 1e-12 * b.norm());
  EXPECT_LT(enough.residual, 1e-4);
}

TEST(stop_rule, says_from_which_residual_on_a_run_has_diverged) {
  const Rows A = random(400, 9, 28), b = A * random(9, 1, 29);
  SolveOptions options = with_method("gd");
  options.step_size = 4.0 / std::pow(largest_singular_value(A), 2);
  options.measure_every_iterations = 1;
  options.stop_rule = StopRule{.residual = 1e-12, .max_residual = 4.0 * b.norm()};
  const Report report = solve(Problem(data(A, b)), options);
  EXPECT_EQ(report.status, Status::diverged) << report.reason;
  EXPECT_LE(report.history.back().residual_norm, 16.0 * b.norm());
}

// Forwards the products of all rows and knows no others.
class Opaque final : public RowMatrix {
 public:
  explicit Opaque(MatrixPtr A) : A_(std::move(A)) {}
  Index rows() const override { return A_->rows(); }
  Index cols() const override { return A_->cols(); }
  Index nonzeros() const override { return A_->nonzeros(); }
  double bytes() const override { return A_->bytes(); }
  std::string kind() const override { return "products"; }
  bool only_products() const override { return true; }
  void multiply(Index first, Index last, ConstView x, View y) const override {
    check(first, last);
    A_->multiply(first, last, x, y);
  }
  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    check(first, last);
    A_->add_transposed(first, last, y, g);
  }
  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g, std::span<double> r2) const override {
    check(first, last);
    A_->range_gradient(first, last, weights, scale, x, b, g, r2);
  }
  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    check(first, last);
    A_->norms(first, last, scale, row_norms2, column_norms2);
  }
  double max_abs(Index first, Index last) const override {
    check(first, last);
    return A_->max_abs(first, last);
  }
  void gradient(std::span<const Index>, std::span<const double>, Scale, ConstView, ConstView,
                View) const override {
    ADD_FAILURE() << "asked for single rows";
  }
  void kaczmarz(std::span<const Index>, std::span<const double>, double, ConstView,
                View) const override {
    ADD_FAILURE() << "asked for single rows";
  }
  void copy_rows(Index, Index, View) const override { ADD_FAILURE() << "asked for single rows"; }

 private:
  void check(Index first, Index last) const {
    EXPECT_EQ(first, 0);
    EXPECT_EQ(last, rows());
  }
  MatrixPtr A_;
};

TEST(products_only, are_enough_for_methods_that_read_all_rows) {
  const Rows A = random(2000, 9, 30), b = A * random(9, 1, 31) + 0.1 * random(2000, 1, 32);
  const Rows wanted = qr_solution(A, b);
  for (const char* method : {"gd", "hbm", "nag", "cg", "cgls", "lsqr"}) {
    ProblemData all = data(A, b);
    all.A = std::make_shared<Opaque>(all.A);
    SolveOptions options = with_method(method);
    options.tol = 1e-12;
    const Report report = solve(Problem(std::move(all)), options);
    EXPECT_EQ(report.status, Status::converged) << method << ": " << report.reason;
    EXPECT_LE((solution(report) - wanted).norm(), 1e-9 * wanted.norm()) << method;
  }
}

}  // namespace
}  // namespace polyak::test::stop_rule
