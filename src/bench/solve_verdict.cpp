#include <algorithm>
#include <functional>

#include "bench/harness.hpp"
#include "bench/solve_outcome.hpp"

// The goals of whole solves. Shares count cases; "worst" is the case that does
// worst, with the quartiles of its own rounds.

namespace polyak::bench {
namespace {

using Kind = Entrant::Kind;
constexpr Index many_columns = 2000;

class Verdict {
 public:
  explicit Verdict(const std::vector<Outcome>& outcomes) : outcomes_(outcomes) {
    for (const Outcome& one : outcomes) cases_.push_back(summary(one));
  }

  std::vector<Goal> goals() {
    share("auto converges, of cases", 100.0, [](const SolvedCase& one, const Outcome&) {
      return std::optional(one.converged);
    });
    share("error at most 10 times QR's, of cases", 100.0, as_good_as_qr);
    share("within 1.25 of best method, of cases", 90.0, [](const SolvedCase& one, const Outcome&) {
      return one.best_fixed ? std::optional(one.best_fixed->times.median <= 1.25) : std::nullopt;
    });
    worst("auto over best method, worst", 2.0, true, [](const SolvedCase& one, const Outcome&) {
      return one.best_fixed ? std::optional(one.best_fixed->times) : std::nullopt;
    });
    share("predicted within a factor 2, of cases", 90.0, foreseen);
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

  // By LAPACK, as many references are our own QR; 1e-6 is what a tolerance of 1e-8 gives
  // on a problem that is not hard.
  static std::optional<bool> as_good_as_qr(const SolvedCase& one, const Outcome& outcome) {
    std::optional<double> least;
    for (const Entrant& other : outcome.entrants)
      for (const char* name : {"gels", "lstsq", "dense_lstsq"})
        if (other.name == name) least = std::min(other.error, least.value_or(other.error));
    if (!least) return std::nullopt;
    return one.error <= std::max(1e-6, 10.0 * *least);
  }

  static std::optional<bool> foreseen(const SolvedCase& one, const Outcome&) {
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

  // The faster of LAPACK's two, where there are so many columns.
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
    worst("rows touched of a file, most", 15.0, true, [](const SolvedCase& one, const Outcome&) {
      const double percent = one.from_file ? 100.0 * one.from_file->rows_share : 0.0;
      return one.from_file ? std::optional(Spread{percent, percent, percent}) : std::nullopt;
    }, "%");
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

std::vector<Goal> verdict(const std::vector<Outcome>& outcomes) {
  return Verdict(outcomes).goals();
}

}  // namespace polyak::bench
