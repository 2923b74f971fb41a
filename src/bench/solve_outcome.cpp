#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "bench/contests.hpp"
#include "bench/harness.hpp"
#include "matrix/products.hpp"

// The accuracy of x, and the goals of whole solves: a share is a percentage of cases, and
// "worst" is the case with the worst ratio, with the quartiles of its rounds.

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

constexpr double min_error = 1e-17;  // not 0, so that ratios are finite

double norm2(const std::vector<double>& v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

using Kind = Entrant::Kind;

// The stages of auto in order: "subset-direct, check".
std::string stages_text(const std::vector<Stage>& stages) {
  std::string out;
  for (const Stage& stage : stages) out += (out.empty() ? "" : ", ") + stage.method;
  return out;
}

// The sum of the predicted seconds; nothing if a stage has no prediction.
std::optional<double> predicted(const std::vector<Stage>& stages) {
  if (stages.empty()) return std::nullopt;
  double sum = 0.0;
  for (const Stage& stage : stages) {
    if (!stage.predicted_seconds) return std::nullopt;
    sum += *stage.predicted_seconds;
  }
  return sum;
}

std::optional<Rival> best(const Outcome& outcome, const Entrant& automatic, Kind kind) {
  const Entrant* found = nullptr;
  double least = 0.0;
  for (const Entrant& one : outcome.entrants) {
    if (one.kind != kind || one.seconds.empty() || !counts(one, automatic)) continue;
    const double median = spread_of(one.seconds).median;
    if (found != nullptr && median >= least) continue;
    found = &one;
    least = median;
  }
  if (found == nullptr) return std::nullopt;
  return Rival{found->name, ratio(automatic, *found)};
}

using Kind = Entrant::Kind;
constexpr Index many_columns = 2000;

class Verdict {
 public:
  explicit Verdict(const std::vector<Outcome>& outcomes) : outcomes_(outcomes) {
    for (const Outcome& one : outcomes) cases_.push_back(summary(one));
  }

  std::vector<Goal> goals() {
    share("auto converges, of cases", 100.0,
          [](const SolvedCase& one, const Outcome&) { return std::optional(one.converged); });
    share("error at most 10 times QR's, of cases", 100.0, as_good_as_qr);
    share("within 1.25 of best method, of cases", 90.0, [](const SolvedCase& one, const Outcome&) {
      return one.best_fixed ? std::optional(one.best_fixed->times.median <= 1.25) : std::nullopt;
    });
    worst("auto over best method, worst", 2.0, true, [](const SolvedCase& one, const Outcome&) {
      return one.best_fixed ? std::optional(one.best_fixed->times) : std::nullopt;
    });
    share("predicted within a factor 2, of cases", 90.0, predicted_within_2);
    worst("auto over best peer, noisy, worst", 1.25, true,
          [](const SolvedCase& one, const Outcome& outcome) {
            const bool asked = !outcome.consistent && one.best_peer;
            return asked ? std::optional(one.best_peer->times) : std::nullopt;
          });
    worst("sampled against SciPy lsqr, worst", 20.0, false, against("lsqr"));
    worst("sampled against normal eq., worst", 5.0, false, against("normal"));
    worst("stable peers at 2000 columns, worst", 2.0, false, against_stable);
    from_file();
    return std::move(goals_);
  }

 private:
  using Yes = std::function<std::optional<bool>(const SolvedCase&, const Outcome&)>;
  using Ratio = std::function<std::optional<Spread>(const SolvedCase&, const Outcome&)>;

  // Compared with LAPACK, because many references come from our own QR; 1e-6 is the error that
  // a tolerance of 1e-8 gives on a well-conditioned problem.
  static std::optional<bool> as_good_as_qr(const SolvedCase& one, const Outcome& outcome) {
    std::optional<double> least;
    for (const Entrant& other : outcome.entrants)
      for (const char* name : {"gels", "lstsq", "dense_lstsq"})
        if (other.name == name) least = std::min(other.error, least.value_or(other.error));
    if (!least) return std::nullopt;
    return one.error <= std::max(1e-6, 10.0 * *least);
  }

  static std::optional<bool> predicted_within_2(const SolvedCase& one, const Outcome&) {
    if (!one.predicted_seconds) return std::nullopt;
    const double r = *one.predicted_seconds / one.seconds;
    return r >= 0.5 && r <= 2.0;
  }

  static Ratio against(const std::string& peer) {
    return [peer](const SolvedCase&, const Outcome& outcome) -> std::optional<Spread> {
      const Entrant* ours = outcome.find(Kind::sampled);
      const Entrant* theirs = outcome.find(Kind::peer, peer);
      if (!outcome.sampling_wins || ours == nullptr || theirs == nullptr) return std::nullopt;
      return ratio(*theirs, *ours);
    };
  }

  // The faster of LAPACK's two methods, if there are many columns.
  static std::optional<Spread> against_stable(const SolvedCase&, const Outcome& outcome) {
    std::optional<Spread> least;
    for (const char* name : {"gels", "lstsq"}) {
      const Entrant *ours = outcome.find(Kind::automatic), *theirs = outcome.find(Kind::peer, name);
      if (outcome.cols < many_columns || ours == nullptr || theirs == nullptr) continue;
      const Spread r = ratio(*theirs, *ours);
      if (!least || r.median < least->median) least = r;
    }
    return least;
  }

  void from_file() {
    worst(
        "rows touched of a file, most", 15.0, true,
        [](const SolvedCase& one, const Outcome&) {
          const double percent = one.from_file ? 100.0 * one.from_file->rows_share : 0.0;
          return one.from_file ? std::optional(Spread{percent, percent, percent}) : std::nullopt;
        },
        "%");
    worst("from a file against NumPy, worst", 10.0, false,
          [](const SolvedCase& one, const Outcome&) {
            return one.from_file ? one.from_file->faster : std::nullopt;
          });
  }

  void share(const char* what, double at_least, const Yes& yes) {
    double all = 0.0, good = 0.0;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const auto answer = yes(cases_[i], outcomes_[i]);
      all += answer.has_value();
      good += answer.value_or(false);
    }
    if (all == 0.0) return;
    const double percent = 100.0 * good / all;
    goals_.push_back({what, "%", at_least, at_least, false, {percent, percent, percent}});
  }

  void worst(const char* what, double goal, bool smaller, const Ratio& of, const char* unit = "x") {
    std::optional<Spread> found;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const auto r = of(cases_[i], outcomes_[i]);
      if (r && (!found || (smaller ? r->median > found->median : r->median < found->median)))
        found = r;
    }
    if (found) goals_.push_back({what, unit, goal, goal, smaller, *found});
  }

  const std::vector<Outcome>& outcomes_;
  std::vector<SolvedCase> cases_;
  std::vector<Goal> goals_;
};

}  // namespace

Judge::Judge(const Problem& problem, ThreadTeam& team) : problem_(problem), team_(team) {
  std::vector<double> norms2(to_size(problem.rows()));
  problem.A().norms(0, problem.rows(), 1.0, norms2, {});
  frobenius_ = std::sqrt(std::accumulate(norms2.begin(), norms2.end(), 0.0));
  double b2 = 0.0;
  for (Index i = 0; i < problem.rows(); ++i) b2 += problem.b()(i, 0) * problem.b()(i, 0);
  b_norm_ = std::sqrt(b2);
}

double Judge::error(ConstView x) const {
  const ConstView best = problem_.reference();
  double distance = 0.0, size = 0.0;
  for (Index j = 0; j < best.cols; ++j) {
    distance += std::pow(x(j, 0) - best(0, j), 2);
    size += best(0, j) * best(0, j);
  }
  return std::max(min_error, std::sqrt(distance / size));
}

double Judge::backward_error(ConstView x) const {
  const Index d = problem_.cols();
  std::vector<double> at(to_size(d)), g(to_size(d)), residual2(1);
  for (Index j = 0; j < d; ++j) at[to_size(j)] = x(j, 0);
  Products(problem_.A(), {}, {}, team_)
      .full_gradient({at.data(), 1, d, d}, problem_.b(), {g.data(), 1, d, d}, residual2);
  const double r = std::sqrt(residual2[0]);
  if (r == 0.0) return min_error;
  const double fits = r / (frobenius_ * norm2(at) + b_norm_), flat = norm2(g) / (frobenius_ * r);
  return std::max(min_error, std::min(fits, flat));
}

const Entrant* Outcome::find(Kind kind, const std::string& wanted) const {
  for (const Entrant& one : entrants)
    if (one.kind == kind && (wanted.empty() || one.name == wanted)) return &one;
  return nullptr;
}

bool counts(const Entrant& entrant, const Entrant& automatic) {
  if (entrant.good) return *entrant.good;
  return entrant.converged && entrant.error <= std::max(1e-6, 10.0 * automatic.error);
}

Spread ratio(const Entrant& a, const Entrant& b) {
  std::vector<double> samples;
  for (std::size_t k = 0; k < std::min(a.seconds.size(), b.seconds.size()); ++k)
    samples.push_back(a.seconds[k] / b.seconds[k]);
  return spread_of(std::move(samples));
}

SolvedCase summary(const Outcome& outcome) {
  SolvedCase out;
  out.name = outcome.name;
  out.from_file = outcome.from_file;
  const Entrant* automatic = outcome.find(Kind::automatic);
  if (automatic == nullptr) return out;
  out.method = stages_text(outcome.stages);
  out.converged = automatic->converged;
  out.seconds = spread_of(automatic->seconds).median;
  out.error = automatic->error;
  out.backward_error = automatic->backward_error;
  out.predicted_seconds = predicted(outcome.stages);
  out.best_fixed = best(outcome, *automatic, Kind::fixed);
  out.best_peer = best(outcome, *automatic, Kind::peer);
  return out;
}

std::vector<Goal> verdict(const std::vector<Outcome>& outcomes) {
  return Verdict(outcomes).goals();
}

}  // namespace polyak::bench::internal
