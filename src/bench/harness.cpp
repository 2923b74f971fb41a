#include "bench/harness.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>
#include <utility>

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

double quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

// The number of calls of a short run. The first call is slow (cold caches, sleeping threads),
// so it gives only a first guess.
Index calls_for(const Contender& contender, double short_run_s) {
  Index calls = 1;
  for (int guess = 0; guess < 2; ++guess) {
    const double seconds = std::max(contender.run(calls), 1e-9);
    calls = std::clamp<Index>(static_cast<Index>(short_run_s / seconds), 1, 1'000'000);
  }
  return calls;
}

// A new random order each round: no contender is always first, or always after the same one.
std::vector<std::size_t> order_of(std::size_t round, std::size_t contenders) {
  std::vector<std::size_t> out(contenders);
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::mt19937_64 random(round);
  for (std::size_t left = contenders; left > 1; --left)
    std::swap(out[left - 1], out[random() % left]);
  return out;
}

}  // namespace

Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.5), quantile(samples, 0.25), quantile(samples, 0.75)};
}

void Race::run(const Pace& pace) {
  std::vector<Index> calls;
  for (const Contender& contender : contenders_)
    calls.push_back(pace.single_calls ? 1 : calls_for(contender, pace.short_run_s));
  const double end = now_s() + pace.seconds;
  while (std::ssize(rounds_) < pace.most_rounds &&
         (std::ssize(rounds_) < pace.least_rounds || now_s() < end)) {
    Round round(contenders_.size());
    for (const std::size_t i : order_of(rounds_.size(), contenders_.size())) {
      std::this_thread::sleep_for(std::chrono::duration<double>(pace.settle_s));
      if (pace.before_each) pace.before_each();
      round[i] = contenders_[i].run(calls[i]);
    }
    rounds_.push_back(std::move(round));
  }
}

std::size_t Race::place(const std::string& name) const {
  std::size_t i = 0;
  while (i < contenders_.size() && contenders_[i].name != name) ++i;
  return i;
}

template <class Value>
void Race::figure(const std::string& of, const std::string& other, const std::string& name,
                  const std::string& unit, Value value) {
  const std::size_t a = place(of), b = place(other);
  if (a == contenders_.size() || b == contenders_.size()) return;
  std::vector<double> samples;
  for (const Round& round : rounds_) samples.push_back(value(round[a], round[b]));
  figures_.push_back({a, {name, unit, spread_of(std::move(samples))}});
}

void Race::share(const std::string& of, const std::string& to, const std::string& name) {
  const std::size_t a = place(of), b = place(to);
  if (a == contenders_.size() || b == contenders_.size()) return;
  const double bytes = contenders_[a].bytes / contenders_[b].bytes;
  figure(of, to, name, "%", [=](double x, double y) { return 100.0 * bytes * y / x; });
}

void Race::part(const std::string& of, const std::string& to, const std::string& name) {
  figure(of, to, name, "%", [](double x, double y) { return 100.0 * x / y; });
}

void Race::faster(const std::string& of, const std::string& than, const std::string& name) {
  figure(of, than, name, "x", [](double x, double y) { return y / x; });
}

void Race::above(const std::string& of, const std::string& than, const std::string& name) {
  figure(of, than, name, "ns", [](double x, double y) { return 1e9 * (x - y); });
}

void Race::pace_of(const std::string& of, double work, const std::string& unit) {
  figure(of, of, "", unit, [=](double x, double) { return work / x; });
}

void Race::add_number(const std::string& of, const std::string& name, double value,
                      const std::string& unit) {
  figure(of, of, name, unit, [=](double, double) { return value; });
}

Table Race::table() const {
  Table out{subject_, title_, {}, notes_};
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    std::vector<double> samples;
    for (const Round& round : rounds_) samples.push_back(round[i]);
    out.lines.push_back({contenders_[i].name,
                         spread_of(std::move(samples)),
                         std::ssize(rounds_),
                         contenders_[i].bytes,
                         {}});
  }
  for (const auto& [line, figure] : figures_) out.lines[line].figures.push_back(figure);
  return out;
}

}  // namespace polyak::bench::internal
