#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/plan_promises.hpp"

// Which promises of the plan were kept.

namespace polyak::bench {
namespace {

std::string first_word(const std::string& kind) { return kind.substr(0, kind.find(':')); }

bool certain(const std::string& kind) { return allowed_factor(kind) < 2.0; }

// What is said to be certain comes before what is modelled, estimated or timed.
bool worse(const Promise& a, const Promise& b) {
  if (certain(a.kind) != certain(b.kind)) return certain(a.kind);
  return a.off() / a.allowed > b.off() / b.allowed;
}

}  // namespace

double Promise::off() const {
  if (promised <= 0.0 || measured <= 0.0) return promised == measured ? 1.0 : 1e300;
  if (upper || unfinished) return std::max(1.0, measured / promised) * (unfinished ? 10.0 : 1.0);
  return std::max(measured / promised, promised / measured);
}

std::vector<Goal> promise_verdict(const std::vector<Promise>& promises) {
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

std::string promise_text(const std::vector<Promise>& promises) {
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
