#pragma once

// Contenders take turns: every round gives each of them one short run, always in
// the same order, so that whatever the machine does meanwhile happens to all.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "polyak/bench.hpp"

namespace polyak::bench {

/// Median and quartiles, linear between samples.
Spread spread_of(std::vector<double> samples);

struct Contender {
  std::string name;
  double bytes = 0.0;                      // one call moves
  std::function<double(Index calls)> run;  // a short run; seconds per call
};

/// A short run of `call(i)`, i = 0 .. calls-1, on what `prepare` laid out for so
/// many. Where calls are short, one more goes before them that is not timed: it
/// wakes the threads.
template <class Prepare, class Call>
std::function<double(Index)> repeated(Prepare prepare, Call call) {
  return [prepare, call](Index calls) mutable {
    prepare(calls + 1);
    if (calls > 1) call(calls);
    const double start = now_s();
    for (Index i = 0; i < calls; ++i) call(i);
    return (now_s() - start) / static_cast<double>(calls);
  };
}

/// How long to go on.
struct Pace {
  double seconds = 1.0;       // for the race
  double short_run_s = 0.01;  // for each run, where one call is shorter than that
  Index least_rounds = 5, most_rounds = 60;
  double settle_s = 0.0;  // before each run: the threads of a BLAS spin for 26 ms after their work
  std::function<void()> before_each;  // not timed: brings the caches to a known state
  bool single_calls = false;  // a run is one long call, and the first was made before
};

class Race {
 public:
  Race(std::string subject, std::string title)
      : subject_(std::move(subject)), title_(std::move(title)) {}

  const std::string& title() const { return title_; }
  void add(Contender contender) { contenders_.push_back(std::move(contender)); }
  void run(const Pace& pace);

  /// Seconds per call of each contender, in the order they were added.
  using Round = std::vector<double>;
  const std::vector<Round>& rounds() const { return rounds_; }

  // Figures; nothing happens where a contender they name is not there.

  /// `of` moves bytes at so many % of the rate of `to`.
  void share(const std::string& of, const std::string& to, const std::string& name);
  /// `of` takes so many % of the time of `to`.
  void part(const std::string& of, const std::string& to, const std::string& name);
  /// `of` is so many times as fast as `than`.
  void faster(const std::string& of, const std::string& than, const std::string& name);
  /// `of` takes so many ns more than `than`.
  void above(const std::string& of, const std::string& than, const std::string& name);
  /// `of` does so many units a second, `work` of them a call.
  void pace_of(const std::string& of, double work, const std::string& unit);

  /// A number that `of` came to, the same in every round.
  void tell(const std::string& of, const std::string& name, double value,
            const std::string& unit = "");
  /// A line below the table.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  Table table() const;

 private:
  // The place of a contender, or the number of them.
  std::size_t place(const std::string& name) const;
  template <class Value>
  void figure(const std::string& of, const std::string& other, const std::string& name,
              const std::string& unit, Value value);

  std::string subject_, title_;
  std::vector<Contender> contenders_;
  std::vector<Round> rounds_;
  std::vector<std::pair<std::size_t, Figure>> figures_;
  std::vector<std::string> notes_;
};

}  // namespace polyak::bench
