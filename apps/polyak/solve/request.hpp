#pragma once

// The options of `polyak solve` besides those of the solver itself.

#include <optional>
#include <string>
#include <vector>

#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "polyak/io.hpp"
#include "polyak/options.hpp"
#include "solve/observers.hpp"

namespace polyak::cli {

/// How data is read.
struct DataOptions {
  std::optional<std::string> rhs_column;
  std::string columns, drop;  // names, numbers or patterns, separated by commas
  bool intercept = false;
  bool drop_nonfinite_rows = false;
  std::string duplicates = "sum";
  std::string precision = "double";
  std::string storage = "auto";
  std::string disk_reader = "auto";
  std::optional<double> disk_sweep_rate, disk_row_rate;

  ReadOptions read_options() const;
};
/// The data options that apply to a matrix without right-hand side.
const std::vector<OptionRecord<DataOptions>>& reading_options();

/// The rest of the problem, besides A and b.
struct ProblemOptions {
  std::optional<std::string> weights, x0, reference, lower, upper;
  double ridge = 0.0;
};

struct OutputOptions {
  std::optional<std::string> output, report, history, statistics, model, fitted, residuals;

  std::optional<double> confidence;

  double confidence_level() const { return confidence.value_or(0.95); }
  /// True if one of them is written to standard output.
  bool to_stdout() const {
    for (const auto& path : {output, report, history, statistics, model, fitted, residuals})
      if (path == "-") return true;
    return false;
  }
};

/// Limits of memory.
struct MachineOptions {
  std::optional<double> memory_bytes;
  bool dry_run = false;
};

struct SolveRequest {
  std::string A;                   ///< the file, or a name for several in messages
  std::vector<std::string> files;  ///< of A; several are one table
  std::optional<std::string> b;
  DataOptions data;
  ProblemOptions problem;
  OutputOptions outputs;
  CheckpointOptions checkpoint;
  MachineOptions machine;
  MessageOptions messages;
  SolveOptions options;
};

OptionSet solve_option_set(SolveRequest& request);

/// Sets the files of A and b. Error usage for arguments that are neither, no_input for a pattern
/// that matches nothing.
void set_inputs(const std::vector<std::string>& positionals, SolveRequest& request);

/// Error usage or io for contradicting arguments and for outputs that cannot be
/// written. --output-statistics switches --statistics on.
void check_request(SolveRequest& request);

}  // namespace polyak::cli
