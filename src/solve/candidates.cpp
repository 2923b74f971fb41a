#include "solve/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spectrum/extremes.hpp"

namespace polyak {
namespace {

constexpr double most_for_normal = 4e6;     // condition of A whose square AᵀA still resolves
constexpr double most_sketch_bytes = 4e9;
constexpr double most_gram_seconds = 1e3;
constexpr double unknown_krylov_steps = 50.0;

class Chooser {
 public:
  Chooser(const ProblemShape& shape, double tol, const std::optional<SubsetTrial>& trial)
      : shape_(shape),
        costs_(shape),
        tol_(std::max(tol, 1e-16)),
        n_(static_cast<double>(shape.rows)),
        d_(static_cast<double>(shape.cols)),
        trial_(trial),
        looks_(rows_to_look_at(shape, tol) > 0) {}

  Choice choose() {
    if (shape_.bounds) {
      for (const char* method : {"direct", "normal", "sketch-hbm", "cg", "lsqr"})
        rule_out(method, "it cannot keep x within bounds");
      out_.candidates = {{"nag", "bounds are met by projected gradients", nag()}};
      return std::move(out_);
    }
    const double direct = costs_.direct();
    if (can_factor() && direct <= Costs::at_once) {
      out_.candidates = {{"direct", "small enough to factor at once", direct}};
      for (const char* method : {"normal", "sketch-hbm", "cg", "rk"})
        rule_out(method, "a small problem is factored at once");
    } else {
      add_all();
    }
    add_last();
    return std::move(out_);
  }

 private:
  bool tall() const { return n_ >= 2.0 * d_; }
  bool can_factor() const { return std::min(shape_.rows, shape_.cols) <= most_exact_columns; }
  bool full_rank() const { return !trial_ || trial_->rank == shape_.cols; }
  bool ill_conditioned() const { return trial_ && trial_->condition > most_for_normal; }
  double nag() const { return unknown_krylov_steps * costs_.pass(); }

  void rule_out(const std::string& method, const std::string& why) {
    out_.ruled_out.push_back({method, why});
  }

  void add_all() {
    add_direct();
    add_normal();
    add_sketched();
    add_krylov();
    std::stable_sort(out_.candidates.begin(), out_.candidates.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    try_kaczmarz();
  }

  // LSQR needs no facts and little memory: what is left when all else fails.
  void add_last() {
    out_.candidates.push_back(
        {"lsqr", "needs no factorisation", costs_.krylov(krylov_steps(), 2.0)});
  }

  void add_direct() {
    if (!can_factor())
      return rule_out("direct", fmt::format("neither rows nor columns are {} or fewer",
                                            most_exact_columns));
    out_.candidates.push_back({"direct",
                               full_rank() ? "QR, whatever the conditioning"
                                           : "QR by singular values: columns depend on each other",
                               costs_.direct()});
  }

  void add_normal() {
    if (!full_rank()) return rule_out("normal", dependent());
    if (!tall()) return rule_out("normal", "fewer than twice as many rows as columns");
    if (ill_conditioned())
      return rule_out("normal", fmt::format("A'A does not resolve a condition of {:.1e}",
                                            trial_->condition));
    if (costs_.gram() > most_gram_seconds)
      return rule_out("normal", fmt::format("A'A alone would take {:.2g} s", costs_.gram()));
    out_.candidates.push_back({"normal",
                               trial_ ? "A'A in one pass, well enough conditioned"
                                      : "A'A in one pass, where well enough conditioned",
                               costs_.normal(), good()});
  }

  std::string dependent() const {
    return fmt::format("columns depend on each other: rank {} of {}", trial_->rank, shape_.cols);
  }

  // x itself should be good, not only the residual: with a condition of kappa
  // that takes a backward error of tol/kappa.
  double good() const {
    const double condition = trial_ ? std::max(1.0, trial_->condition) : 1.0;
    return std::clamp(tol_ * 100.0 / condition, 4e-16, tol_);
  }

  void add_sketched() {
    if (!full_rank()) return rule_out("sketch-hbm", dependent());
    if (n_ < 12.0 * d_) return rule_out("sketch-hbm", "fewer than 12 rows per column");
    const double bytes = 12.0 * d_ * d_ * 8.0;
    if (bytes > most_sketch_bytes)
      return rule_out("sketch-hbm", fmt::format("the sketch might take {:.2g} GB", bytes / 1e9));
    const double tol = good();
    out_.candidates.push_back({"sketch-hbm", "a sketch preconditions A whatever its conditioning",
                               costs_.sketched(std::log(1.0 / tol)), tol});
  }

  double krylov_steps() const {
    const double steps = trial_ && full_rank()
                             ? std::min(0.5 * trial_->condition * std::log(2.0 / tol_), 3.0 * d_)
                             : unknown_krylov_steps;
    return std::max(3.0, steps);
  }
  // The iterates of LSQR from one read each.
  void add_krylov() {
    if (ill_conditioned())
      return rule_out("cg", fmt::format("too many iterations at a condition of {:.1e}",
                                        trial_->condition));
    out_.candidates.push_back({"cg",
                               trial_ ? "few iterations at this conditioning"
                                      : "few iterations where well conditioned",
                               costs_.krylov(krylov_steps(), 1.0)});
  }

  // Two passes of Kaczmarz cost little beside a factorisation or LSQR where
  // there are many columns, and solve many a consistent problem.
  void try_kaczmarz() {
    auto& list = out_.candidates;
    const Candidate trial{"rk", "a trial of two passes: consistent data may need no more",
                          costs_.kaczmarz(2.0), {}, 2.0};
    if (shape_.ranks > 1) return rule_out("rk", "row after row cannot be shared out over ranks");
    if (trial_ || looks_) return rule_out("rk", "a look at some rows tells more than a trial");
    if (!tall()) return rule_out("rk", "fewer than twice as many rows as columns");
    if (!list.empty() && list.front().seconds <= 4.0 * trial.seconds)
      return rule_out("rk", "a trial of two passes is not much cheaper than the first candidate");
    list.insert(list.begin(), trial);
  }

  const ProblemShape& shape_;
  Costs costs_;
  double tol_, n_, d_;
  const std::optional<SubsetTrial>& trial_;
  bool looks_;
  Choice out_;
};

}  // namespace

// 10d rows tell the conditioning well, 2d determine x; up to a few passes'
// worth of work is what looking first may cost.
Index rows_to_look_at(const ProblemShape& shape, double tol) {
  const Costs costs(shape);
  if (shape.ridge || shape.bounds || !(tol > 0.0) || costs.direct() <= Costs::at_once) return 0;
  const double d = static_cast<double>(shape.cols);
  for (const auto& [rows, passes] : {std::pair{10.0 * d, 1.0}, {4.0 * d, 4.0}, {2.0 * d, 10.0}}) {
    const double work = costs.qr(rows) + costs.small_qr();
    const double wanted = rows + 16.0;
    if (work <= passes * costs.pass() && 8.0 * wanted <= static_cast<double>(shape.rows))
      return static_cast<Index>(wanted);
  }
  return 0;
}

Choice choose(const ProblemShape& shape, double tol, const std::optional<SubsetTrial>& trial) {
  return Chooser(shape, tol, trial).choose();
}

}  // namespace polyak
