#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "bench/contests.hpp"
#include "bench/harness.hpp"
#include "polyak/error.hpp"

// The results of the subjects auto and plan, as goals and as text.

namespace polyak::bench {
using namespace polyak::bench::internal;
using namespace polyak::internal;

namespace {

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(out) : std::nullopt;
}

[[noreturn]] void refuse_seeds(const char* option, const std::string& found, const char* expected) {
  throw Error(ErrorCode::usage, {.what = "these seeds cannot be used",
                                 .where = option,
                                 .found = "'" + found + "'",
                                 .expected = expected});
}

std::optional<double> predicted_over_measured(const VariedCase& one) {
  if (!one.solved.predicted_seconds || one.solved.seconds <= 0.0) return std::nullopt;
  return *one.solved.predicted_seconds / one.solved.seconds;
}

Goal share(const char* what, double at_least, const std::vector<bool>& yes) {
  const auto good = static_cast<double>(std::count(yes.begin(), yes.end(), true));
  const double percent = yes.empty() ? 0.0 : 100.0 * good / static_cast<double>(yes.size());
  return {what, "%", at_least, at_least, false, {percent, percent, percent}};
}

// Of the problems on which the peers' normal equations are accurate.
std::vector<Goal> peer_goals(const std::vector<VariedCase>& cases) {
  std::vector<bool> as_fast;
  std::optional<Spread> worst;
  for (const VariedCase& one : cases) {
    if (!one.solved.best_peer) continue;
    const Spread& times = one.solved.best_peer->times;
    as_fast.push_back(one.good && times.median <= 1.0);
    if (!worst || times.median > worst->median) worst = times;
  }
  if (!worst) return {};
  return {share("as fast as NumPy's normal equations, of problems", 70.0, as_fast),
          {"auto over NumPy's normal equations, worst", "x", 1.1, 1.1, true, *worst}};
}

std::string short_count(Index n) {
  if (n < 100'000) return std::to_string(n);
  return n < 10'000'000 ? fmt::format("{:.4g}k", 1e-3 * static_cast<double>(n))
                        : fmt::format("{:.3g}M", 1e-6 * static_cast<double>(n));
}

std::string line_of(const VariedCase& one) {
  const SolvedCase& s = one.solved;
  const auto predicted = predicted_over_measured(one);
  return fmt::format(
      "  {:>4} {:<11} {:>7} {:>6} {:>8} {:>6g} {:>9.3g} {:>6} {:>6} {:<13} {:>6} {:>7} {:>8.1e} "
      "{:>8.1e} {:<4} {}\n",
      one.seed, one.kind, short_count(one.rows), one.cols, short_count(one.nonzeros), one.noise,
      s.seconds, s.best_fixed ? fmt::format("{:.2f}", s.best_fixed->times.median) : "-",
      one.least_times ? fmt::format("{:.2f}", *one.least_times) : "-",
      s.best_fixed ? s.best_fixed->name : "none is good",
      s.best_peer ? fmt::format("{:.2f}", s.best_peer->times.median) : "-",
      predicted ? fmt::format("{:.2f}", *predicted) : "-", s.error, one.allowed_error,
      one.good ? "yes" : "NO", s.method);
}

std::string worst_text(std::vector<VariedCase> cases) {
  constexpr std::size_t max_shown = 10;
  const auto badness = [](const VariedCase& one) {
    const double times = one.solved.best_fixed ? one.solved.best_fixed->times.median : 0.0;
    return (one.good ? 0.0 : 1e6) + times;
  };
  std::stable_sort(cases.begin(), cases.end(), [&](const VariedCase& a, const VariedCase& b) {
    return badness(a) > badness(b);
  });
  if (cases.size() > max_shown) cases.resize(max_shown);
  std::string out = "\nThe worst, and what auto did\n";
  for (const VariedCase& one : cases) {
    const auto& best = one.solved.best_fixed;
    out += fmt::format("  seed {}: {}; {}{}\n", one.seed, one.text,
                       best ? fmt::format("{:.2f} times {}", best->times.median, best->name)
                            : "no method by name was good",
                       one.good ? "" : "; x is not good");
    for (const std::string& stage : one.stages) out += "    " + stage + "\n";
  }
  return out;
}

std::string first_word(const std::string& kind) { return kind.substr(0, kind.find(':')); }

bool certain(const std::string& kind) { return allowed_factor(kind) < 2.0; }

// Exact values and bounds come before models, estimates and times.
bool worse(const Promise& a, const Promise& b) {
  if (certain(a.kind) != certain(b.kind)) return certain(a.kind);
  return a.off() / a.allowed > b.off() / b.allowed;
}

}  // namespace

std::vector<std::uint64_t> internal::seeds_of(const std::string& range, const std::string& parity) {
  constexpr const char* form = "FIRST:LAST or SEED, FIRST no larger than LAST";
  const std::size_t colon = range.find(':');
  const auto first = number(range.substr(0, colon));
  const auto last = colon == std::string::npos ? first : number(range.substr(colon + 1));
  if (!first || !last || *first > *last || *last - *first >= 100'000)
    refuse_seeds("--seeds", range, form);
  if (parity != "all" && parity != "even" && parity != "odd")
    refuse_seeds("--parity", parity, "all, even or odd");
  std::vector<std::uint64_t> out;
  for (std::uint64_t seed = *first; seed <= *last; ++seed)
    if (parity == "all" || (seed % 2 == 0) == (parity == "even")) out.push_back(seed);
  if (out.empty()) refuse_seeds("--seeds", range, "at least one seed of this parity");
  return out;
}

std::optional<double> internal::times_of_best(const VariedCase& one) {
  if (!one.good || !one.solved.best_fixed) return std::nullopt;
  return one.solved.best_fixed->times.median;
}

std::vector<Goal> internal::varied_verdict(const std::vector<VariedCase>& cases) {
  std::vector<bool> good, near, within_two, predicted_within_2;
  std::optional<Spread> worst;
  for (const VariedCase& one : cases) {
    good.push_back(one.good);
    // If auto's x is not good, it meets no goal; if no other x is good, auto is the best.
    const double times = one.good ? times_of_best(one).value_or(1.0) : 1e300;
    near.push_back(times <= 1.25);
    within_two.push_back(times <= 2.0);
    if (const auto r = predicted_over_measured(one))
      predicted_within_2.push_back(*r >= 0.5 && *r <= 2.0);
    if (one.solved.best_fixed && (!worst || one.solved.best_fixed->times.median > worst->median))
      worst = one.solved.best_fixed->times;
  }
  std::vector<Goal> out{share("x as good as QR's, of problems", 100.0, good),
                        share("within 1.25 of best method, of problems", 80.0, near),
                        share("within 2 of best method, of problems", 97.0, within_two)};
  if (worst) out.push_back({"auto over best method, worst", "x", 3.0, 3.0, true, *worst});
  for (Goal& goal : peer_goals(cases)) out.push_back(std::move(goal));
  if (!predicted_within_2.empty())
    out.push_back(share("predicted within a factor 2, of problems", 80.0, predicted_within_2));
  return out;
}

std::string internal::varied_text(const std::vector<VariedCase>& cases) {
  if (cases.empty()) return "";
  std::string out = fmt::format(
      "\nAUTO ON VARIED PROBLEMS\n  {:>4} {:<11} {:>7} {:>6} {:>8} {:>6} {:>9} {:>6} {:>6} {:<13} "
      "{:>6} {:>7} {:>8} {:>8} {:<4} {}\n",
      "seed", "kind", "rows", "cols", "entries", "noise", "seconds", "times", "least", "the best",
      "NumPy", "predict", "error", "allowed", "good", "took");
  std::vector<double> predicted;
  for (const VariedCase& one : cases) {
    out += line_of(one);
    if (const auto r = predicted_over_measured(one)) predicted.push_back(*r);
  }
  if (!predicted.empty()) {
    const double usual = spread_of(predicted).median;
    const auto near = std::count_if(predicted.begin(), predicted.end(),
                                    [&](double r) { return r >= 0.5 * usual && r <= 2.0 * usual; });
    out += fmt::format(
        "  predicted over measured seconds: median {:.2f}; within a factor 2 of that: {:.0f} %\n",
        usual, 100.0 * static_cast<double>(near) / static_cast<double>(predicted.size()));
  }
  return out + worst_text(cases);
}

double Promise::off() const {
  if (promised <= 0.0 || measured <= 0.0) return promised == measured ? 1.0 : 1e300;
  if (upper || unfinished) return std::max(1.0, measured / promised) * (unfinished ? 10.0 : 1.0);
  return std::max(measured / promised, promised / measured);
}

std::vector<Goal> internal::promise_verdict(const std::vector<Promise>& promises) {
  std::map<std::string, std::pair<double, double>> kinds;  // kept, of all
  for (const Promise& one : promises) {
    auto& [kept, all] = kinds[first_word(one.kind)];
    kept += one.kept();
    all += 1.0;
  }
  std::vector<Goal> out;
  for (const auto& [kind, counts] : kinds) {
    const double percent = 100.0 * counts.first / counts.second;
    const double goal = certain(kind) ? 100.0 : 90.0;
    out.push_back({"promises kept: " + kind, "%", goal, 100.0, false, {percent, percent, percent}});
  }
  return out;
}

std::string internal::promise_text(const std::vector<Promise>& promises) {
  if (promises.empty()) return "";
  std::vector<Promise> broken;
  for (const Promise& one : promises)
    if (!one.kept()) broken.push_back(one);
  std::stable_sort(broken.begin(), broken.end(), worse);
  std::string out =
      fmt::format("\nPROMISES OF THE PLAN: {} of {} broken\n", broken.size(), promises.size());
  if (!broken.empty())
    out += fmt::format("  {:>4} {:<42} {:>10} {:>11} {:>8}  {:<48} {}\n", "seed", "what",
                       "promised", "measured", "allowed", "kind", "problem");
  for (const Promise& one : broken)
    out += fmt::format("  {:>4} {:<42} {:>10.4g} {:>1}{:>10.4g} {:>8.3g}  {:<48} {}\n", one.seed,
                       one.what, one.promised, one.unfinished ? ">" : "", one.measured, one.allowed,
                       one.kind, one.text + (one.outcome.empty() ? "" : ": " + one.outcome));
  return out;
}

}  // namespace polyak::bench
