#pragma once

/// \file bench.hpp
/// How fast this machine is, and how near to it the library comes: ceilings,
/// the library and its peers, measured in turns within one run. Only in a
/// library that was built with POLYAK_BENCH.
///
/// Absolute times wander; what counts is the ratio of two contenders in the
/// same round. Every figure is therefore taken round by round, and told as the
/// median and quartiles over the rounds.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak::bench {

struct Options {
  Index rows = 1'000'000;  ///< of the matrix
  Index cols = 100;
  Index threads = 0;    ///< 0 takes all cores
  double seconds = 60;  ///< to measure each subject, set-up not counted
  std::uint64_t seed = 0;
  bool quick = false;  ///< tiny sizes and times: does it run at all?
  /// A script that plays the NumPy and SciPy part (bench/peers.py).
  std::optional<std::string> peers;
  /// Of solve: only the cases of these names, or whose names hold one of these
  /// texts; commas between them.
  std::optional<std::string> cases;
  /// Of solve: a folder of NAME.mtx with NAME_rhs1.mtx or NAME_b.mtx (also .gz),
  /// each one more case.
  std::optional<std::string> data;
  /// Of auto and plan: varied problems (generate.hpp) of these seeds, "FIRST:LAST" with both
  /// included, or "SEED"; all of them, or the "even" or "odd" ones.
  std::string seeds = "0:95";
  std::string parity = "all";
  /// polyak itself, for what is measured as a process of its own; left out without.
  std::optional<std::string> program;
};

struct Spread {
  double median = 0.0, low = 0.0, high = 0.0;  ///< low and high are the quartiles
};

/// Something that follows from the times of one round: "of streaming", in %.
struct Figure {
  std::string name;
  std::string unit;  ///< "%", "x" (times as fast), "ns", "GF/s"
  Spread value;
};

/// A contender.
struct Line {
  std::string name;
  Spread seconds;      ///< one call
  Index rounds = 0;    ///< behind the medians
  double bytes = 0.0;  ///< a call moves, 0 where that says nothing
  std::vector<Figure> figures;
};

/// Contenders that were measured in turns.
struct Table {
  std::string subject;
  std::string title;
  std::vector<Line> lines;
  std::vector<std::string> notes = {};  ///< what was left out, and how things went
};

struct Machine {
  std::string cpu, simd, blas, peers, build, date;
  Index cores = 0, threads = 0, memory_bytes = 0, cache_bytes = 0;
  Index page_bytes = 0;
  std::string huge_pages;  ///< what the system grants: "always", "madvise", "never"
  Index huge_bytes = 0;    ///< of this process in huge pages, at most
};

/// A goal of the project and what was measured for it.
struct Goal {
  std::string what, unit;
  double at_least = 0.0, aim = 0.0;
  bool smaller_is_better = false;
  Spread measured;
  bool met() const {
    return smaller_is_better ? measured.median <= at_least : measured.median >= at_least;
  }
};

/// Another contender on the same problem, and what auto takes of its time.
struct Rival {
  std::string name;
  Spread times;  ///< auto's seconds over its seconds, round by round
};

/// A solve from files to a file, as a process, `--certify sampled`.
struct FromFile {
  double seconds = 0.0;     ///< of the process
  double rows_share = 0.0;  ///< rows touched, of all
  double bytes_read = 0.0;
  std::optional<double> pages_read;
  double error = 0.0;
  std::optional<Spread> faster;  ///< than NumPy's load, normal equations and save, in process
};

/// A whole problem and how auto did on it.
struct SolvedCase {
  std::string name;
  std::string method;  ///< what auto did: "subset-direct, check"
  bool converged = false;
  double seconds = 0.0, error = 0.0, backward_error = 0.0;
  std::optional<double> predicted_seconds;  ///< by auto's stages together
  std::optional<Rival> best_fixed;          ///< of our own methods, where x is as good
  std::optional<Rival> best_peer;
  std::optional<FromFile> from_file;
};

/// A named method on a varied problem, tried once before the best of them race auto.
struct Trial {
  std::string method;
  std::string outcome;                   ///< "converged", why not, or why it was left out
  std::optional<double> seconds, error;  ///< absent where it was left out
  bool good = false;                     ///< converged, and x as good as QR's
  bool raced = false;
};

/// A varied problem and how auto did on it.
struct VariedCase {
  std::uint64_t seed = 0;
  std::string kind, text, matrix;
  Index rows = 0, cols = 0, nonzeros = 0;
  double noise = 0.0;
  SolvedCase solved;           ///< best_fixed is the fastest method whose x is good
  bool unique = true;          ///< the least squares solution
  double allowed_error = 0.0;  ///< up to here x is as good as QR's
  bool good = false;           ///< auto's x is
  /// auto's least seconds, and over those of the fastest good method: where others use the
  /// machine too, least times wander less than medians.
  double least_seconds = 0.0;
  std::optional<double> least_times;
  std::vector<std::string> stages;  ///< of auto: method, why, outcome
  std::vector<Trial> trials;
};

/// A number of `polyak plan` beside what was found when it was tried.
struct Promise {
  std::uint64_t seed = 0;
  std::string text;  ///< of the problem
  std::string what;  ///< "lsqr: iterations"
  std::string kind;  ///< what the plan says it is: "proved", "bound", "model: …", …
  double promised = 0.0, measured = 0.0;
  bool unfinished = false;   ///< the run ended before: measured is no more than a part of it
  std::string outcome = {};  ///< why it did
  double allowed = 1.0;      ///< factor that this kind of promise may be off by
  bool upper = false;        ///< a bound from above: less than promised is as promised
  /// How many times it is off: measured over promised, or promised over measured.
  double off() const;
  bool kept() const { return off() <= allowed; }
};

struct Results {
  Machine machine;
  Options options;
  std::vector<Table> tables;
  std::vector<SolvedCase> solved;  ///< of the subject solve
  std::vector<VariedCase> varied;  ///< of the subject auto
  std::vector<Promise> promises;   ///< of the subject plan
  std::vector<Goal> goals;         ///< those that this run says something about
  std::vector<std::string> notes;  ///< what was left out, and why
};

/// "kernels", "sampling", "replicates", "iterations", "tomography", "solve", "auto", "plan".
const std::vector<std::string>& subjects();
/// Without those that solve whole problems, which take half an hour or more.
std::vector<std::string> usual_subjects();

/// Measures these subjects. `progress` hears what is being done. Error usage
/// for a subject that is none, io when the peers fail on the way.
Results run(const std::vector<std::string>& subjects, const Options& options,
            const std::function<void(const std::string&)>& progress = {});

/// For people, and for programs.
std::string to_text(const Results& results);
std::string to_json(const Results& results);

}  // namespace polyak::bench
#pragma GCC visibility pop
