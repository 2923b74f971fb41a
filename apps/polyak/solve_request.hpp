#pragma once

// What `polyak solve` is asked for, beyond the options of the solver itself.

#include <optional>
#include <string>
#include <vector>

#include "checkpointing.hpp"
#include "messages.hpp"
#include "option_set.hpp"
#include "polyak/io.hpp"
#include "polyak/options.hpp"

namespace polyak::cli {

/// How data is read.
struct DataOptions {
  std::optional<std::string> rhs_column;
  bool intercept = false;
  bool drop_nonfinite_rows = false;
  std::string duplicates = "sum";
  std::string precision = "double";

  ReadOptions read_options() const;
};
/// Those that make sense without a right-hand side.
const std::vector<OptionRecord<DataOptions>>& reading_options();

/// What makes a problem of A and b.
struct ProblemOptions {
  std::optional<std::string> weights, x0, reference, lower, upper;
  double ridge = 0.0;
};

struct OutputOptions {
  std::optional<std::string> output, report, history, statistics;

  /// One of them goes to standard output.
  bool to_stdout() const {
    return output == "-" || report == "-" || history == "-" || statistics == "-";
  }
};

/// What may be taken of the machine.
struct MachineOptions {
  std::optional<double> memory_bytes;
  bool dry_run = false;
};

struct SolveRequest {
  std::string A;
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

/// Error usage or io for arguments that contradict each other and for outputs
/// that could not be written. A file of statistics asks for them.
void check_request(SolveRequest& request);

}  // namespace polyak::cli
