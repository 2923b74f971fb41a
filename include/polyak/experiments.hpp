#pragma once

/// \file experiments.hpp
/// The experiments of the paper, and those of a user: a spec is read, figures, claims and one
/// HTML page are written.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak::experiments {

/// Where to write, and values that replace those of the spec.
struct Options {
  std::string out;                    ///< folder for all outputs
  std::optional<Index> trials;        ///< runs of each configuration
  std::optional<Index> rows;          ///< of generated problems
  std::optional<std::uint64_t> seed;  ///< of problems and runs
  Index threads = 0;                  ///< 0: all cores; results do not depend on it
  bool force = false;                 ///< do not reuse results of earlier calls
};

/// Receives progress and can stop the run. Called from the caller's thread.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Called during the run; `left_s` is an estimate of the seconds left, absent at first.
  virtual void progress(const std::string& /*what*/, double /*done*/,
                        std::optional<double> /*left_s*/) {}
  /// Return true to stop; finished configurations are kept.
  virtual bool stop_requested() { return false; }
};

/// A statement about a figure, and whether it holds.
struct Claim {
  std::string figure;
  std::string panel;  ///< the problem, if the figure has several
  std::string claim;
  std::string expected, measured;
  std::optional<bool> pass;  ///< absent if not applicable
  std::string reason;        ///< why it is not applicable
};

struct Outcome {
  bool interrupted = false;
  std::vector<Claim> claims;
  std::vector<std::string> files;  ///< paths of the written files
  Index runs_made = 0;             ///< configurations run in this call
  Index runs_kept = 0;             ///< configurations reused from an earlier call
  std::vector<std::string> notes;  ///< what could not be done, one line each
  double seconds = 0.0;
};

struct FigureName {
  std::string name, title;
};
/// The figures built into the library.
std::vector<FigureName> figure_names();

/// `what` is a figure of that list, "all", or the path of a spec. Writes NAME.csv, NAME.svg,
/// NAME.png, claims.json and index.html to options.out, and keeps every finished configuration in
/// options.out/.runs. A claim that fails is part of the result; Error is thrown for invalid specs,
/// bad data and I/O errors.
Outcome reproduce(const std::string& what, const Options& options, Watcher& watcher);

}  // namespace polyak::experiments
#pragma GCC visibility pop
