#pragma once

// The steps of `polyak solve` before and after the solver: estimate memory, load
// the files, write the outputs.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/messages.hpp"
#include "cli/stopping.hpp"
#include "polyak/automatic_plan.hpp"
#include "polyak/error.hpp"
#include "polyak/problem.hpp"
#include "polyak/report.hpp"
#include "polyak/table_stream.hpp"
#include "solve/request.hpp"

namespace polyak::cli {

// dry_run.cpp

/// Prints the sizes, the memory needed and the methods of a solve, from the sizes of
/// the files alone. Error usage for standard input, which can be read only once;
/// bad_data for sizes of A and b that do not match.
void dry_run(const SolveRequest& request, const Messages& messages);

/// Before A is read. Collective; Error out_of_memory if A does not fit into memory, unless its rows
/// can be read once: then storage becomes "stream".
void check_input_memory(SolveRequest& request);

/// After A is read. Collective; Error out_of_memory if A and the working memory of
/// the method exceed the machine's memory or --memory.
void check_working_memory(const SolveRequest& request, const Problem& problem);

// stream_choice.cpp

/// The option that needs the rows more than once, or in memory; empty where none does.
std::string stream_obstacle(const SolveRequest& request);
/// Error usage if there is such an option, or there are several ranks; `why` the rows are to be
/// read once.
void check_streamable(const SolveRequest& request, const std::string& why);
/// Whether all files of A are text tables whose rows can be read once.
bool is_text(const SolveRequest& request);
/// Bytes that A and b take in memory, estimated; of compressed files with their text.
double estimated_bytes(const SolveRequest& request);
/// Error out_of_memory if the factor of so many columns does not fit into memory.
void check_stream_memory(const SolveRequest& request, Index cols, Index right_hand_sides);
/// The limit of memory: --memory, or that of the machine.
double limit_of(const SolveRequest& request);

// load.cpp

struct Loaded {
  ProblemData data;
  std::unique_ptr<TableStream> stream;  ///< of the rows of A, where they are read once
  std::vector<std::string> names;       ///< of the unknowns; empty if the files have none
  Index dropped_rows = 0;
};

/// How A is read; a row that is not finite is kept, and dropped later.
ReadOptions read_options_of(const SolveRequest& request);

/// Reads all files of the request. Collective.
Loaded load(const SolveRequest& request);

// stream_run.cpp

/// Solves rows that are read once, and writes the outputs; returns the exit code. `read_s` seconds
/// were taken by what was read before.
int run_stream(SolveRequest& request, Loaded& loaded, double read_s, Watchdog& watchdog,
               Messages& messages);

// outputs.cpp

/// Of the unknown of column j; without names "x1", "x2", …
std::string column_name(const std::vector<std::string>& names, Index j);

/// Writes x, report, history, statistics and the files of a model, then prints a summary. A history
/// that cannot be written is a warning; for any other file it is an Error io, thrown after the
/// remaining files are written.
void write_outputs(const SolveRequest& request, const std::vector<std::string>& names,
                   int exit_code, Report& report, Messages& messages,
                   const Problem* problem = nullptr);

// model_outputs.cpp

/// Writes --model, --fitted and --residuals; adds their names to `written`. Without the problem,
/// whose rows are read once more, the model has no ranges, and a warning stands for the others.
/// The first Error, after all were tried.
std::optional<Error> write_model_outputs(const SolveRequest& request,
                                         const std::vector<std::string>& names,
                                         const Problem* problem, Report& report,
                                         std::vector<std::string>& written);

// plan_command.cpp

/// The plan of --method auto as text: the look, one numbered line for each method in
/// the order of use, and one line for each method that is ruled out.
std::string automatic_text(const AutomaticPlan& plan);

}  // namespace polyak::cli
