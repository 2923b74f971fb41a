#pragma once

/// \file bench.hpp
/// Benchmarks: hardware limits, the library and other libraries (peers), measured
/// alternately within one run. Only in a library that was built with POLYAK_BENCH.
///
/// Absolute times vary from hour to hour; the ratio of two contenders in the same
/// round varies less. Every figure is therefore computed per round and reported as
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
  Index cols = 100;        ///< of the matrix
  Index threads = 0;       ///< 0 uses all cores
  double seconds = 60;     ///< measuring time per subject, without set-up
  std::uint64_t seed = 0;
  bool quick = false;  ///< tiny sizes and times, to test that everything runs
  /// A script that runs the NumPy and SciPy contenders (bench/peers.py; bench/python.py for the
  /// subject python).
  std::optional<std::string> peers;
  /// Subjects solve and python: only the cases whose names equal or contain one of these texts,
  /// separated by commas. Subject plan: these cases instead of seeds.
  std::optional<std::string> cases;
  /// Subjects solve and python: a folder of NAME.mtx with NAME_rhs1.mtx or NAME_b.mtx (also .gz);
  /// each pair is an additional case.
  std::optional<std::string> data;
  /// Subjects auto and plan: varied problems (generate.hpp) with these seeds, "FIRST:LAST"
  /// (both included) or "SEED".
  std::string seeds = "0:95";
  /// Which of the seeds: "all", "even" or "odd".
  std::string parity = "all";
  /// Path of the program polyak, for measurements of whole processes; these are skipped
  /// when it is empty.
  std::optional<std::string> program;
};

struct Spread {
  double median = 0.0, low = 0.0, high = 0.0;  ///< low and high are the quartiles
};

/// A quantity derived from the times of one round: "of streaming", in %.
struct Figure {
  std::string name;
  std::string unit;  ///< "%", "x" (speed-up), "ns", "GF/s"
  Spread value;
};

/// One contender of a table.
struct Line {
  std::string name;
  Spread seconds;      ///< per call
  Index rounds = 0;    ///< number of rounds measured
  double bytes = 0.0;  ///< moved per call; 0 where not applicable
  std::vector<Figure> figures;
};

/// Contenders that were measured alternately.
struct Table {
  std::string subject;
  std::string title;
  std::vector<Line> lines;
  std::vector<std::string> notes = {};  ///< what was left out, and other remarks
};

/// The machine and build of a result.
struct Machine {
  std::string cpu, simd, blas, peers, build, date;
  Index cores = 0, threads = 0, memory_bytes = 0, cache_bytes = 0;
  Index page_bytes = 0;
  std::string huge_pages;  ///< setting of the system: "always", "madvise", "never"
  Index huge_bytes = 0;    ///< largest amount of this process in huge pages
};

/// A goal of the project and the value measured for it.
struct Goal {
  std::string what, unit;
  double at_least = 0.0, aim = 0.0;
  bool smaller_is_better = false;
  Spread measured;
  bool met() const {
    return smaller_is_better ? measured.median <= at_least : measured.median >= at_least;
  }
};

/// Another contender on the same problem, and the time of auto relative to it.
struct Rival {
  std::string name;
  Spread times;  ///< seconds of auto / seconds of the rival, per round
};

/// A solve from files to a file, measured as a process, with `--certify sampled`.
struct FromFile {
  double seconds = 0.0;     ///< of the process
  double rows_share = 0.0;  ///< fraction of the rows that was read
  double bytes_read = 0.0;
  std::optional<double> pages_read;
  double error = 0.0;
  std::optional<Spread> faster;  ///< speed-up over NumPy's load, normal equations and save
};

/// A whole problem and the result of auto on it.
struct SolvedCase {
  std::string name;
  std::string method;  ///< the stages of auto: "subset-direct, check"
  bool converged = false;
  double seconds = 0.0, error = 0.0, backward_error = 0.0;
  std::optional<double> predicted_seconds;  ///< sum over the stages of auto
  std::optional<Rival> best_fixed;          ///< fastest named method whose x is as good
  std::optional<Rival> best_peer;           ///< fastest peer whose x is as good
  std::optional<FromFile> from_file;
};

/// A named method on a varied problem: run once, before the fastest are compared with auto.
struct Trial {
  std::string method;
  std::string outcome;                   ///< "converged", why not, or why it was skipped
  std::optional<double> seconds, error;  ///< absent where it was skipped
  bool good = false;                     ///< converged, and x as accurate as by QR
  bool raced = false;                    ///< compared with auto in several rounds
};

/// A varied problem and the result of auto on it.
struct VariedCase {
  std::uint64_t seed = 0;
  std::string kind, text, matrix;
  Index rows = 0, cols = 0, nonzeros = 0;
  double noise = 0.0;
  SolvedCase solved;           ///< best_fixed is the fastest method whose x is good
  bool unique = true;          ///< whether the least squares solution is unique
  double allowed_error = 0.0;  ///< upper bound of the error of a good x
  bool good = false;           ///< whether the x of auto is good
  /// Shortest time of auto, in seconds. On a shared machine shortest times vary less than
  /// medians.
  double least_seconds = 0.0;
  /// least_seconds / shortest time of the fastest good method.
  std::optional<double> least_times;
  std::vector<std::string> stages;  ///< of auto: method, why, outcome
  std::vector<Trial> trials;
};

/// A prediction of `polyak plan` and the value measured for it.
struct Promise {
  std::uint64_t seed = 0;
  std::string text;  ///< description of the problem
  std::string what;  ///< the quantity: "lsqr: iterations"
  std::string kind;  ///< stated by the plan: "proved", "bound", "model: …", …
  double promised = 0.0, measured = 0.0;  ///< predicted and measured value
  bool unfinished = false;                ///< the run was cut off: `measured` is a lower bound
  std::string outcome = {};               ///< why it was cut off
  double allowed = 1.0;                   ///< largest factor allowed for this kind
  bool upper = false;                     ///< the prediction is an upper bound
  /// The larger of measured/promised and promised/measured; for an upper bound the first, and
  /// at least 1. Ten times as much for a run that was cut off.
  double off() const;
  bool kept() const { return off() <= allowed; }
};

/// Everything that one call of run() measured.
struct Results {
  Machine machine;
  Options options;
  std::vector<Table> tables;
  std::vector<SolvedCase> solved;  ///< of the subject solve
  std::vector<VariedCase> varied;  ///< of the subject auto
  std::vector<Promise> promises;   ///< of the subject plan
  std::vector<Goal> goals;         ///< the goals that this run measured
  std::vector<std::string> notes;  ///< what was left out, and why
};

/// "kernels", "sampling", "replicates", "iterations", "tomography", "solve", "auto", "plan",
/// "python".
const std::vector<std::string>& subjects();
/// Without the subjects that solve whole problems, which take half an hour or more.
std::vector<std::string> usual_subjects();

/// Measures these subjects. `progress` is called with a description of each step. Error
/// usage for an unknown subject, Error io when the script of the peers fails.
Results run(const std::vector<std::string>& subjects, const Options& options,
            const std::function<void(const std::string&)>& progress = {});

/// The results as tables of text.
std::string to_text(const Results& results);
/// The results as JSON.
std::string to_json(const Results& results);

}  // namespace polyak::bench
#pragma GCC visibility pop
