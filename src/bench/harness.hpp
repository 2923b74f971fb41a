#pragma once

// Contenders are measured in turns: every round has one short run of each, so that
// changes of the machine's speed affect all of them.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "polyak/bench.hpp"

namespace polyak::bench::internal {

/// Median and quartiles, linear between samples.
Spread spread_of(std::vector<double> samples);

struct Contender {
  std::string name;
  double bytes = 0.0;                      // moved by one call
  std::function<double(Index calls)> run;  // a short run; seconds per call
};

/// A short run of `call(i)`, i = 0 .. calls-1, on the data of `prepare(calls + 1)`. If
/// there are several calls, one more is made before them, not timed, to wake the threads.
template <class Prepare, class Call>
std::function<double(Index)> repeated(Prepare prepare, Call call) {
  return [prepare, call](Index calls) mutable {
    prepare(calls + 1);
    if (calls > 1) call(calls);
    const double start = polyak::internal::now_s();
    for (Index i = 0; i < calls; ++i) call(i);
    return (polyak::internal::now_s() - start) / static_cast<double>(calls);
  };
}

/// Where calls need no data.
inline constexpr auto nothing = [](Index) {};

/// How long a race takes.
struct Pace {
  double seconds = 1.0;       // for the race
  double short_run_s = 0.01;  // of each run, unless one call takes longer
  Index least_rounds = 5, most_rounds = 60;
  double settle_s = 0.0;  // pause before each run: BLAS threads spin for 26 ms after their work
  std::function<void()> before_each;  // not timed; flushes the caches
  bool single_calls = false;          // a run is one long call, already made once
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

  // Figures. No effect if one of the named contenders does not exist.

  /// Bytes per second of `of`, in % of those of `to`.
  void share(const std::string& of, const std::string& to, const std::string& name);
  /// Time of `of`, in % of that of `to`.
  void part(const std::string& of, const std::string& to, const std::string& name);
  /// Time of `than` over that of `of`.
  void faster(const std::string& of, const std::string& than, const std::string& name);
  /// Time of `of` minus that of `than`, in ns.
  void above(const std::string& of, const std::string& than, const std::string& name);
  /// Units per second of `of`; a call does `work` units.
  void pace_of(const std::string& of, double work, const std::string& unit);

  /// A number of `of` that is the same in every round.
  void add_number(const std::string& of, const std::string& name, double value,
                  const std::string& unit = "");
  /// A line below the table.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  Table table() const;

 private:
  // The index of a contender, or the number of contenders if there is none of that name.
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

}  // namespace polyak::bench::internal
