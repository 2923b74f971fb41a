#include "solve/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "spectrum/extremes.hpp"

namespace polyak {
namespace {

constexpr double most_square_bytes = 4e9;
constexpr double most_gram_seconds = 1e3;
constexpr double unknown_krylov_steps = 50.0;
constexpr double exact_seconds = 1.0;       // within bounds: what an exact answer is always worth
constexpr double least_bounded_trial = 30.0;  // iterations, else bounded-cg is not tried first
constexpr double least_reached = 1e-14;     // backward error that iterations come down to
constexpr double until_seen = 3.0;          // times as long until they are seen to stand still
constexpr double trial_share = 0.25;        // of the next method: what a trial of cg may take …
constexpr double clearly = 1.25;            // … if it could be done in so much less

double steps_at(double condition, double factor) {
  return std::log(factor) / std::log((condition + 1.0) / (condition - 1.0));
}

// With independent entries A has a condition of about (√g + 1)/(√g − 1), where g is its
// longer side over its shorter one, times what the lengths of the shorter side's vectors
// differ by: of m with about k entries each, the ends are √(2 ln m)/√k off the middle.
double random_steps(double n, double d, double nonzeros, double tol) {
  const double m = std::max(1.0, std::min(n, d)), root = std::sqrt(std::max(n, d) / m);
  const double off = std::sqrt(2.0 * std::log(m) / std::max(1.0, nonzeros / m));
  if (off >= 1.0 || root <= 1.0) return 3.0 * m;
  const double c = (root + 1.0) / (root - 1.0) * std::sqrt((1.0 + off) / (1.0 - off));
  return std::clamp(steps_at(c, 2.0 / tol), 3.0, 3.0 * m);
}

// Of randomized Kaczmarz where rows are many and alike: 1/(d·kappa_F) is off the squared error
// with each row, and kappa_F = ‖A‖_F²/(d·lambda_min) is close to 1.
double kaczmarz_passes(double n, double d, double tol) { return 2.0 * std::log(1.0 / tol) * d / n; }

class Chooser {
 public:
  Chooser(const ProblemShape& shape, double tol, const std::optional<SubsetTrial>& trial,
          std::optional<double> steps)
      : shape_(shape),
        costs_(shape),
        tol_(std::max(tol, 1e-16)),
        n_(static_cast<double>(shape.rows)),
        d_(static_cast<double>(shape.cols)),
        trial_(trial),
        steps_(steps),
        looks_(rows_to_look_at(shape, tol).rows > 0) {}

  Choice choose() {
    if (shape_.bounds) {
      for (const char* method : {"direct", "normal", "sketch-hbm", "cg", "lsqr"})
        rule_out(method, "it cannot keep x within bounds");
      add_bounded();
      return std::move(out_);
    }
    const double direct = costs_.direct();
    if (can_factor() && direct <= Costs::at_once) {
      add_normal();
      out_.candidates.push_back({"direct", "small enough to factor at once", direct});
      std::stable_sort(out_.candidates.begin(), out_.candidates.end(),
                       [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
      for (const char* method : {"sketch-hbm", "cg", "rk"})
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
  bool dependent() const { return trial_ && trial_->dependent; }
  bool ill_conditioned() const {
    return trial_ && (trial_->unresolved || (trial_->full_rank && trial_->condition > most_for_normal));
  }
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

  // Exactly where that can be afforded; where it would take long, conjugate gradients are
  // tried first for a part of that time.
  void add_bounded() {
    auto& list = out_.candidates;
    const double exact = costs_.active_set();
    const double conjugate = costs_.krylov(1.5 * unknown_krylov_steps, 1.0);  // 1.5 reads each
    const double bytes = 5.0 * std::min(n_, d_) * d_ * 8.0;
    const double trial = std::floor(trial_share * exact / costs_.pass());
    const bool factors = can_factor() && bytes <= most_square_bytes;
    if (factors && exact > exact_seconds && trial >= least_bounded_trial)
      list.push_back({"bounded-cg",
                      fmt::format("a trial of {:.0f} passes: a quarter of what active-set would take",
                                  trial),
                      std::min(conjugate, trial * costs_.pass()), {}, trial});
    if (factors)
      list.push_back({"active-set", "exactly, by QR and the columns off their bounds", exact});
    else
      list.push_back({"bounded-cg", "conjugate gradients within the bounds", conjugate});
    if (!factors)
      rule_out("active-set", can_factor()
                                 ? fmt::format("its factors take {:.2g} GB", bytes / 1e9)
                                 : fmt::format("neither rows nor columns are {} or fewer",
                                               most_exact_columns));
    list.push_back({"nag", "projected gradients, when all else fails", nag()});
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
                               dependent() ? "QR by singular values: columns depend on each other"
                                           : "QR, whatever the conditioning",
                               costs_.direct()});
  }

  void add_normal() {
    if (dependent()) return rule_out("normal", dependent_text());
    if (n_ < d_) return rule_out("normal", "fewer rows than columns");
    if (ill_conditioned())
      return rule_out("normal", fmt::format("A'A does not resolve a condition of {:.1e}",
                                            trial_->condition));
    if (const double bytes = 3.0 * d_ * d_ * 8.0; bytes > most_square_bytes)
      return rule_out("normal", fmt::format("A'A and its factor take {:.2g} GB", bytes / 1e9));
    if (costs_.gram() > most_gram_seconds)
      return rule_out("normal", fmt::format("A'A alone would take {:.2g} s", costs_.gram()));
    out_.candidates.push_back({"normal",
                               trial_ ? "A'A in one pass, well enough conditioned"
                                      : "A'A in one pass, where well enough conditioned",
                               costs_.normal(), good()});
  }

  std::string dependent_text() const {
    return fmt::format("columns depend on each other: rank {} of {}", trial_->rank, shape_.cols);
  }

  // x itself should be good, not only the residual: with a condition of kappa
  // that takes a backward error of tol/kappa.
  double good() const {
    const double condition = trial_ ? std::max(1.0, trial_->condition) : 1.0;  // may be infinite
    return std::clamp(tol_ * 100.0 / condition, 4e-16, tol_);
  }

  void add_sketched() {
    if (dependent()) return rule_out("sketch-hbm", dependent_text());
    if (n_ < 12.0 * d_) return rule_out("sketch-hbm", "fewer than 12 rows per column");
    const double bytes = 12.0 * d_ * d_ * 8.0;
    if (bytes > most_square_bytes)
      return rule_out("sketch-hbm", fmt::format("the sketch might take {:.2g} GB", bytes / 1e9));
    // Below what rounding allows a run ends once it is seen to stand still: much later.
    const double tol = good(), passes = tol < least_reached ? until_seen : 1.0;
    out_.candidates.push_back({"sketch-hbm", "a sketch preconditions A whatever its conditioning",
                               costs_.sketched(passes * std::log(1.0 / tol)), tol});
  }

  // The error falls by (c − 1)/(c + 1) or better with each, c the condition of what A
  // sees: from a start of 0 nothing else is ever touched.
  double krylov_steps() const {
    if (steps_) return *steps_;
    if (!trial_) return unknown_steps_;
    const double of_rows = std::min(trial_->condition, 1e15);  // which may be infinite
    const double c = std::max(1.2, of_rows * spread_of(n_) /
                                       spread_of(static_cast<double>(trial_->rows_solved)));
    return std::clamp(steps_at(c, 2.0 * first_gradient() / tol_), 3.0, 3.0 * d_);
  }
  // The condition of so many independent rows whose columns are uncorrelated: some rows are
  // worse conditioned than all by as much.
  double spread_of(double rows) const {
    const double root = std::max(1.5, std::sqrt(rows / d_));
    return (root + 1.0) / (root - 1.0);
  }
  // ‖Aᵀb‖/(‖A‖_F‖r‖), about: what is no noise lies in d directions, noise in n.
  double first_gradient() const {
    const double noise = std::clamp(trial_->relative_residual, tol_, 1.0);
    const double signal = std::sqrt(1.0 - noise * noise) / noise;
    return std::min(1.0, signal / std::sqrt(d_) + 1.0 / std::sqrt(n_));
  }
  // The iterates of LSQR from one read each.
  void add_krylov() {
    if (ill_conditioned())
      return rule_out("cg", fmt::format("too many iterations at a condition of {:.1e}",
                                        trial_->condition));
    if (!trial_ && !looks_ && !steps_ && try_cg()) return;
    // What has other ways than cg, and nothing to say for it, is left to them.
    if (!looks_ && !out_.candidates.empty()) unknown_steps_ = std::min(n_, d_);
    Candidate cg{"cg", why_cg(), costs_.krylov(krylov_steps(), 1.0)};
    if (steps_ && std::isfinite(*steps_) && !out_.candidates.empty()) {  // it may take more
      cg.passes = 2.0 * *steps_ + 8.0;
      cg.extended = true;
    }
    out_.candidates.push_back(std::move(cg));
  }

  std::string why_cg() const {
    if (steps_ && !std::isfinite(*steps_)) return "some rows promised nothing";
    if (steps_) return fmt::format("about {:.0f} iterations, going by some rows", *steps_);
    return trial_ ? "few iterations at this conditioning" : "few iterations where well conditioned";
  }

  // Where nobody knows how many iterations: if rows drawn at random would need clearly less
  // than the next best method, and the first iterations, which tell, cost little beside it.
  bool try_cg() {
    constexpr double of_next = 0.8, probe_of_next = 0.4, probe = 5.0;  // four and a look at them
    double next = std::numeric_limits<double>::infinity();
    for (const Candidate& other : out_.candidates) next = std::min(next, other.seconds);
    const double expected = random_steps(n_, d_, static_cast<double>(shape_.nonzeros), tol_);
    const double most = std::floor(of_next * next / costs_.pass());
    if (!std::isfinite(most) || costs_.krylov(expected, 1.0) > of_next * next ||
        costs_.krylov(probe, 1.0) > probe_of_next * next)
      return false;
    Candidate cg{"cg",
                 fmt::format("a trial: given up where its first iterations promise more than {:.0f}",
                             most),
                 costs_.krylov(expected, 1.0), {}, most};
    cg.most_expected = most;
    out_.candidates.push_back(std::move(cg));
    return true;
  }

  // A trial longer than rows alike would need, where it costs little beside what comes next:
  // it is lost where there is noise.
  void try_kaczmarz() {
    constexpr double longest = 2.0, at_least = 1.5, most_of_next = 0.3;
    auto& list = out_.candidates;
    const double expected = kaczmarz_passes(n_, d_, tol_);
    const double passes = std::clamp(3.0 * expected, 0.25, longest);
    if (shape_.ranks > 1) return rule_out("rk", "row after row cannot be shared out over ranks");
    if (shape_.ridge) return rule_out("rk", "with a ridge term each row moves all of x");
    if (!tall()) return rule_out("rk", "fewer than twice as many rows as columns");
    if (trial_ || looks_ || steps_)
      return rule_out("rk", "a look at some rows tells more than a trial");
    if (at_least * expected > passes)
      return rule_out("rk", fmt::format("{:.2g} passes or more, even for rows alike", expected));
    const double seconds = costs_.kaczmarz(expected);
    if (!list.empty() && most_of_next * list.front().seconds <= costs_.kaczmarz_steps(passes))
      return rule_out("rk", "a trial would cost much beside the first candidate");
    list.insert(list.begin(), {"rk",
                               fmt::format("a trial of {:.2g} passes: consistent data may need no "
                                           "more",
                                           passes),
                               seconds, {}, passes, true});
  }

  const ProblemShape& shape_;
  Costs costs_;
  double tol_, n_, d_;
  const std::optional<SubsetTrial>& trial_;
  std::optional<double> steps_;
  bool looks_;
  double unknown_steps_ = unknown_krylov_steps;
  Choice out_;
};

}  // namespace

ProblemShape shape_of_rows(const ProblemShape& shape, Index rows) {
  const double share = static_cast<double>(rows) / static_cast<double>(std::max<Index>(1, shape.rows));
  ProblemShape part = shape;
  part.rows = rows;
  part.nonzeros = shape.dense()
                      ? rows * shape.cols
                      : static_cast<Index>(share * static_cast<double>(shape.nonzeros));
  part.bytes = share * shape.bytes;
  part.products = share * shape.products;
  return part;
}

// 10d rows tell the conditioning well, 2d determine x. It pays where it finds an answer,
// and else is lost: a few passes' worth of work, and a part of what comes next, at most. By
// normal equations only where Kaczmarz, which may find the same, would take longer.
RowsToLookAt rows_to_look_at(const ProblemShape& shape, double tol) {
  constexpr double most_of_next = 0.2, gram_of_next = 0.25, smaller = 8.0, more = 16.0;
  const Costs costs(shape);
  if (shape.ridge || shape.bounds || !(tol > 0.0) || costs.direct() <= Costs::at_once) return {};
  const double n = static_cast<double>(shape.rows), d = static_cast<double>(shape.cols);
  const double next = std::min(costs.normal(), costs.direct());
  const auto fits = [&](double rows) { return smaller * (rows + more) <= n; };
  const auto by_qr = [&](double rows, double passes) {
    const double work = costs.look(rows);
    return fits(rows) && work <= std::min(passes * costs.pass(), most_of_next * next) ? work : 0.0;
  };
  const double kaczmarz = costs.kaczmarz(kaczmarz_passes(n, d, tol));
  const auto by_gram = [&](double rows) {
    const double work = costs.gram_look(rows);
    // Beyond so many columns cg on some rows tells as much for less.
    constexpr Index most_columns = 1000;
    const bool pays = shape.dense() && shape.cols <= most_columns &&
                      work <= std::min(kaczmarz, gram_of_next * next);
    return fits(rows) && pays ? work : 0.0;
  };
  const auto rows = [&](double each) { return static_cast<Index>(each * d + more); };
  if (const double work = by_qr(10.0 * d, 3.0); work > 0.0) return {rows(10.0), false, work};
  for (const double each : {10.0, 4.0})
    if (const double work = by_gram(each * d); work > 0.0) return {rows(each), true, work};
  for (const auto& [each, passes] : {std::pair{4.0, 10.0}, {2.0, 25.0}})
    if (const double work = by_qr(each * d, passes); work > 0.0) return {rows(each), false, work};
  return {};
}

// Four rows for each column, and 40 entries: enough to determine x, and conditioned a few
// times worse than all of them. Rows of a projector are not stored, and making them again
// costs more.
PartToTry part_to_try(const ProblemShape& shape, double tol) {
  constexpr double least_rows = 4.0, least_entries = 40.0, smaller = 8.0;
  const double n = static_cast<double>(shape.rows), d = static_cast<double>(shape.cols);
  const double entries = static_cast<double>(shape.nonzeros) / std::max(1.0, n);
  const double rows = std::ceil(d * std::max(least_rows, least_entries / entries));
  const bool stored = shape.dense() || shape.gram_products() < n * d * d;
  if (shape.ridge || shape.bounds || !(tol > 0.0) || !stored || !(smaller * rows <= n) ||
      Costs(shape).direct() <= Costs::at_once || rows_to_look_at(shape, tol).rows > 0)
    return {};
  const auto others = choose(shape, tol, {}).candidates;
  // Its steps on full rows need no copy of them, and a trial is as good.
  if (shape.dense() && others.front().method == "rk") return {};
  double next = std::numeric_limits<double>::infinity();
  for (const Candidate& other : others)
    if (!other.passes) next = std::min(next, other.seconds);
  const double pass = Costs(shape_of_rows(shape, static_cast<Index>(rows))).pass();
  const double most = std::floor(trial_share * next / pass);
  const double expected = random_steps(rows, d, rows * entries, 0.1 * tol);
  if (most < clearly * expected) return {};
  return {static_cast<Index>(rows), static_cast<Index>(std::min(most, 3.0 * d)), expected,
          (expected + 3.0) * pass};
}

Choice choose(const ProblemShape& shape, double tol, const std::optional<SubsetTrial>& trial,
              std::optional<double> steps) {
  return Chooser(shape, tol, trial, steps).choose();
}

}  // namespace polyak
