#include "solve/stream/stream_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "method/record.hpp"
#include "polyak/problem.hpp"
#include "polyak/simd.hpp"
#include "solve/report/column_report.hpp"

namespace polyak {
namespace {

class StreamReporter {
 public:
  explicit StreamReporter(const SolvedStream& solved)
      : solved_(solved),
        triangle_(solved.triangle),
        fit_(solved.fit),
        J_(solved.triangle.unknowns()),
        n_(static_cast<double>(solved.pass.rows())) {}

  Report make() {
    describe();
    work();
    out_.x = transposed({fit_.x.data(), triangle_.c, J_, J_});
    rank();
    const StreamTests start = test_at_zero(triangle_, fit_, solved_.problem.ridge);
    const StreamTests end = test_fit(triangle_, fit_, solved_.problem.ridge);
    history(start, end);
    check_kept_rows(end);
    judge(end);
    warn();
    if (solved_.options.statistics) out_.statistics = stream_statistics(solved_, out_);
    return std::move(out_);
  }

 private:
  void describe() {
    out_.method = direct_record().info.name;
    out_.asked = solved_.options;
    out_.used.tol = solved_.options.tol;
    out_.used.device = "cpu";
    out_.rows = solved_.pass.rows();
    out_.cols = J_;
    out_.nnz = out_.rows * J_;
    out_.right_hand_sides = triangle_.c;
    out_.matrix = "dense, double, read once";
    out_.seed = solved_.options.seed;
    out_.threads = solved_.pass.threads();
    out_.simd = simd_target();
    out_.zero_rows = solved_.pass.zero_rows();
    out_.zero_columns = std::ssize(fit_.zero_columns) + std::ssize(fit_.constant_columns);
    out_.seconds.read = solved_.reading_s;
    out_.seconds.solve = solved_.solving_s;
    out_.seconds.total = solved_.reading_s + solved_.solving_s;
  }

  void work() {
    out_.iterations = 1;
    out_.row_products = solved_.pass.rows();
    out_.passes = n_ > 0.0 ? 1.0 : 0.0;
    out_.bytes_read = 8.0 * n_ * static_cast<double>(triangle_.d);
    out_.certified = "full";
    out_.stream = StreamUse{};
    out_.stream->block_rows = solved_.pass.block_rows();
    out_.stream->dropped_rows = solved_.pass.dropped_rows();
  }

  bool is_constant(Index j) const {
    return std::count(fit_.constant_columns.begin(), fit_.constant_columns.end(), j) > 0;
  }

  void rank() {
    out_.used.rank = fit_.found.rank;
    out_.used.rank_threshold = fit_.found.threshold;
    out_.used.condition = fit_.found.condition;
    if (fit_.scaled) out_.used.column_scaling = scaling_text(fit_.map);
    for (const Dependence& one : fit_.found.dependent)
      out_.dependent_columns.push_back(in_user_columns(one, &fit_.map, is_constant(one.column)));
    std::sort(out_.dependent_columns.begin(), out_.dependent_columns.end(),
              [](const auto& a, const auto& b) { return a.column < b.column; });
  }

  double b_norm() const {
    return norm_of_any_size(fit_.user_b_norms.data(), std::ssize(fit_.user_b_norms)) / fit_.scale_b;
  }

  Measurement line(Index iteration, const StreamTests& at) const {
    Measurement out;
    out.iteration = iteration;
    out.row_products = iteration * solved_.pass.rows();
    out.seconds = static_cast<double>(iteration) * solved_.solving_s;
    out.residual_norm = at.residual_norm;
    out.gradient_norm = at.gradient_norm;
    if (b_norm() > 0.0) out.relative_residual = at.residual_norm / b_norm();
    out.relative_gradient = at.by_gradient;
    if (!solved_.problem.reference.empty()) out.error = error(iteration > 0);
    return out;
  }

  // Of x, or of 0: with a level that is the intercept of the start.
  double value(Index j, Index k, bool of_x) const {
    if (of_x) return out_.x(j, k);
    return j == triangle_.d && !triangle_.levels.empty() ? triangle_.levels[to_size(k)] : 0.0;
  }
  double error(bool of_x) const {
    const Array& reference = solved_.problem.reference;
    std::vector<double> away, size;
    for (Index j = 0; j < J_; ++j)
      for (Index k = 0; k < triangle_.c; ++k) {
        size.push_back(reference(j, k));
        away.push_back(value(j, k, of_x) - reference(j, k));
      }
    const double of = norm_of_any_size(size.data(), std::ssize(size));
    const double distance = norm_of_any_size(away.data(), std::ssize(away));
    return of > 0.0 ? distance / of : distance;
  }

  void history(const StreamTests& start, const StreamTests& end) {
    out_.history = {line(0, start), line(1, end)};
    const Measurement& last = out_.history.back();
    out_.residual_norm = last.residual_norm;
    out_.gradient_norm = last.gradient_norm;
    out_.relative_residual = last.relative_residual;
    out_.relative_gradient = last.relative_gradient;
    out_.error = last.error;
    out_.backward_error = end.backward_error;
    out_.stream->backward_error_bound = end.bound;
  }

  // Σ w r² of the kept rows at the x of the report, beside its mean over all rows: they are
  // computed from the numbers of the table, and share nothing with R.
  void check_kept_rows(const StreamTests& end) {
    double sum = 0.0, sum2 = 0.0, rounding = 0.0, count = 0.0;
    for (const RowReservoir::Row& row : solved_.pass.kept_rows()) {
      if (row.weight == 0.0) continue;
      double square = 0.0;
      for (Index k = 0; k < triangle_.c; ++k) {
        const double* const a = row.values.data();
        double r = -a[triangle_.d + k], size = std::abs(r);
        for (Index j = 0; j < J_; ++j) {
          const double term = (j < triangle_.d ? a[j] : 1.0) * out_.x(j, k);
          r += term;
          size += std::abs(term);
        }
        square += row.weight * r * r;
        rounding += row.weight * size * size;
      }
      sum += square;
      sum2 += square * square;
      ++count;
    }
    out_.stream->checked_rows = static_cast<Index>(count);
    if (count == 0.0) return;
    const double mean = sum / count, all = end.residual_norm * end.residual_norm / triangle_.rows;
    const double most = end.residual_norm + end.residual_error;
    if (all > 0.0) out_.stream->checked_residual = std::sqrt(mean / all);
    const double u = (static_cast<double>(J_) + 2.0) * 0x1p-53;
    const double unsure = std::sqrt(std::max(0.0, sum2 / count - mean * mean) / count);
    agrees_ = mean <= (1.0 + 1e-6) * most * most / triangle_.rows + 8.0 * unsure +
                          4.0 * u * u * rounding / count;
  }

  void judge(const StreamTests& end) {
    const double tol = solved_.options.tol;
    const bool finite =
        std::all_of(fit_.x.begin(), fit_.x.end(), [](double v) { return std::isfinite(v); }) &&
        std::isfinite(end.residual_norm);
    out_.status = !finite                     ? Status::diverged
                  : end.backward_error <= tol ? Status::converged
                                              : Status::stagnated;
    out_.stopped_by = !finite                            ? StoppedBy::overflow
                      : out_.status == Status::stagnated ? StoppedBy::method_end
                      : end.residual_decides             ? StoppedBy::residual
                                                         : StoppedBy::gradient;
    out_.reason = reason(*out_.stopped_by, end);
    out_.verified = verified(end);
  }

  std::string reason(StoppedBy rule, const StreamTests& end) const {
    const double tol = solved_.options.tol;
    if (rule == StoppedBy::residual) return fmt::format("|r| <= {:g}(sum |a_j||x_j| + |b|)", tol);
    if (rule == StoppedBy::gradient)
      return fmt::format("|a_j'r| <= {:g}|a_j||r| for every column", tol);
    if (rule == StoppedBy::overflow)
      return "the numbers of x or of its residual are larger than any double; give A or b in other "
             "units";
    return fmt::format(
        "the rows can be read once only: the largest |a_j'r|/(|a_j||r|) is {:.1e}, the "
        "tolerance {:g} is below what rounding allows here",
        end.by_gradient, tol);
  }

  std::string verified(const StreamTests& end) const {
    std::string out = fmt::format(
        "from R of one read: with all rounding the backward error is proved to be at most {:.1e}",
        end.bound);
    if (out_.status == Status::converged && end.bound > solved_.options.tol)
      out += ", which does not prove the tolerance";
    if (out_.stream->checked_residual)
      out += fmt::format("; {} rows kept at random have {:.3g} times the mean residual",
                         out_.stream->checked_rows, *out_.stream->checked_residual);
    return out;
  }

  void warn() {
    if (!agrees_)
      out_.warnings.push_back(fmt::format(
          "{} rows kept at random have {:.3g} times the mean residual of all rows: x does "
          "not fit them as R says, which should not happen; please report it",
          out_.stream->checked_rows, out_.stream->checked_residual.value_or(0.0)));
    if (solved_.pass.zero_rows_with_rhs() > 0)
      out_.warnings.push_back(
          fmt::format("{} zero rows have a right-hand side that is not zero: no x can meet them, "
                      "and the residual stays above their size",
                      solved_.pass.zero_rows_with_rhs()));
    warn_of_columns(std::ssize(fit_.zero_columns), "zero");
    warn_of_columns(std::ssize(fit_.constant_columns), "constant, as the intercept is");
    warn_of_rank(
        Unknowns{
            .count = J_, .intercept = triangle_.intercept, .ridge = solved_.problem.ridge > 0.0},
        out_.used, fit_.found.nearest, out_);
  }

  void warn_of_columns(Index count, const char* what) {
    if (count == 0) return;
    out_.warnings.push_back(fmt::format(
        "{} columns of A are {}: those unknowns cannot be identified and are 0", count, what));
  }

  const SolvedStream& solved_;
  const Triangle& triangle_;
  const TriangleFit& fit_;
  Index J_;
  double n_;
  bool agrees_ = true;
  Report out_;
};

}  // namespace

Report report_of(const SolvedStream& solved) { return StreamReporter(solved).make(); }

}  // namespace polyak
