#pragma once

/// \file experiments.hpp
/// The paper's experiments, and a user's own: a spec in, figures, claims and
/// one page out.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak::experiments {

/// What may differ from the spec.
struct Options {
  std::string out;                    ///< folder for everything
  std::optional<Index> trials;        ///< runs of each configuration
  std::optional<Index> rows;          ///< of the problems made to order
  std::optional<std::uint64_t> seed;  ///< of problems and runs
  Index threads = 0;                  ///< 0 takes all cores; never changes a number
  bool force = false;                 ///< run again what is there
};

/// Watches, and may stop. Called from the caller's thread.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Now and then; `left_s` is a guess, absent at first.
  virtual void progress(const std::string& /*what*/, double /*done*/,
                        std::optional<double> /*left_s*/) {}
  /// True ends it soon; finished configurations are kept.
  virtual bool stop_requested() { return false; }
};

/// A sentence about a figure, checked.
struct Claim {
  std::string figure;
  std::string panel;  ///< the problem it is about, where there are several
  std::string claim;
  std::string expected, measured;
  std::optional<bool> pass;  ///< absent: not applicable
  std::string reason;        ///< why it is not
};

struct Outcome {
  bool interrupted = false;
  std::vector<Claim> claims;
  std::vector<std::string> files;  ///< written, in `out`
  Index runs_made = 0;             ///< configurations run now …
  Index runs_kept = 0;             ///< … and taken from an earlier call
  std::vector<std::string> notes;  ///< what could not be done, a line each
  double seconds = 0.0;
};

struct FigureName {
  std::string name, title;
};
/// The figures the library carries.
std::vector<FigureName> figure_names();

/// `what` is a figure of that list, "all", or the path of a spec. Writes
/// NAME.csv, NAME.svg, NAME.png, claims.json and index.html into options.out,
/// and keeps every finished configuration in options.out/.runs. A claim that
/// fails is told, not thrown; Error is for bad specs, data and disks.
Outcome reproduce(const std::string& what, const Options& options, Watcher& watcher);

}  // namespace polyak::experiments
#pragma GCC visibility pop
