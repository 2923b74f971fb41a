#include "solve/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spectrum/extremes.hpp"

namespace polyak {
namespace {

constexpr double most_for_normal = 4e6;     // condition of A whose square AᵀA still resolves
constexpr double most_sketch_bytes = 4e9;
constexpr double unknown_krylov_steps = 100.0;

class Chooser {
 public:
  Chooser(const Problem& problem, double tol, const std::optional<SubsetTrial>& trial)
      : problem_(problem),
        costs_(problem),
        tol_(std::max(tol, 1e-16)),
        n_(static_cast<double>(problem.rows())),
        d_(static_cast<double>(problem.cols())),
        trial_(trial) {}

  std::vector<Candidate> choose() {
    if (problem_.has_bounds()) return {{"nag", "bounds are met by projected gradients", nag()}};
    const double direct = costs_.direct();
    if (can_factor() && direct <= Costs::at_once)
      return with_last({{"direct", "small enough to factor at once", direct}});
    add_direct();
    if (full_rank()) {
      add_normal();
      add_sketched();
    }
    if (!ill_conditioned()) add_krylov();
    std::stable_sort(out_.begin(), out_.end(),
                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    if (!trial_) try_kaczmarz();
    return with_last(std::move(out_));
  }

 private:
  bool tall() const { return n_ >= 2.0 * d_; }
  bool can_factor() const {
    return std::min(problem_.rows(), problem_.cols()) <= most_exact_columns;
  }
  bool full_rank() const { return !trial_ || trial_->rank == problem_.cols(); }
  bool ill_conditioned() const { return trial_ && trial_->condition > most_for_normal; }
  double nag() const { return unknown_krylov_steps * costs_.pass(); }

  // LSQR needs no facts and little memory: what is left when all else fails.
  std::vector<Candidate> with_last(std::vector<Candidate> list) const {
    const bool there = std::any_of(list.begin(), list.end(),
                                   [](const auto& c) { return c.method == "lsqr"; });
    if (!there && !problem_.has_bounds())
      list.push_back({"lsqr", "needs no factorisation", krylov()});
    return list;
  }

  void add_direct() {
    if (!can_factor()) return;
    out_.push_back({"direct", full_rank() ? "QR, whatever the conditioning"
                                          : "QR by singular values: columns depend on each other",
                    costs_.direct()});
  }

  void add_normal() {
    if (!tall() || ill_conditioned() || costs_.gram() > 1e3) return;
    out_.push_back({"normal", "A'A in one pass, well enough conditioned", costs_.normal(), good()});
  }

  // x itself should be good, not only the residual: with a condition of kappa
  // that takes a backward error of tol/kappa.
  double good() const {
    const double condition = trial_ ? std::max(1.0, trial_->condition) : 1.0;
    return std::clamp(tol_ * 100.0 / condition, 4e-16, tol_);
  }

  void add_sketched() {
    if (n_ < 12.0 * d_ || 12.0 * d_ * d_ * 8.0 > most_sketch_bytes) return;
    const double tol = good();
    out_.push_back({"sketch-hbm", "a sketch preconditions A whatever its conditioning",
                    costs_.sketched(std::log(1.0 / tol)), tol});
  }

  double krylov() const {
    const double steps = trial_ && full_rank()
                             ? std::min(0.5 * trial_->condition * std::log(2.0 / tol_), 3.0 * d_)
                             : unknown_krylov_steps;
    return std::max(3.0, steps) * costs_.krylov_step();
  }
  void add_krylov() {
    out_.push_back({"lsqr", "few iterations at this conditioning", krylov()});
  }

  // Two passes of Kaczmarz cost little beside a factorisation or LSQR where
  // there are many columns, and solve many a consistent problem.
  void try_kaczmarz() {
    const Candidate trial{"rk", "a trial of two passes: consistent data may need no more",
                          costs_.kaczmarz(2.0), {}, 2.0};
    const bool pays = out_.empty() || out_.front().seconds > 4.0 * trial.seconds;
    if (tall() && pays) out_.insert(out_.begin(), trial);
  }

  const Problem& problem_;
  Costs costs_;
  double tol_, n_, d_;
  const std::optional<SubsetTrial>& trial_;
  std::vector<Candidate> out_;
};

}  // namespace

std::vector<Candidate> candidates(const Problem& problem, double tol,
                                  const std::optional<SubsetTrial>& trial) {
  return Chooser(problem, tol, trial).choose();
}

}  // namespace polyak
