#pragma once

// The steps of `polyak solve` before and after the solver: estimate memory, load
// the files, write the outputs.

#include <string>
#include <vector>

#include "cli/messages.hpp"
#include "polyak/automatic_plan.hpp"
#include "polyak/problem.hpp"
#include "polyak/report.hpp"
#include "solve/request.hpp"

namespace polyak::cli {

// dry_run.cpp

/// Prints the sizes, the memory needed and the methods of a solve, from the sizes of
/// the files alone. Error usage for standard input, which can be read only once;
/// bad_data for sizes of A and b that do not match.
void dry_run(const SolveRequest& request, const Messages& messages);

/// Before A is read. Collective; Error out_of_memory if A does not fit into memory.
void check_input_memory(const SolveRequest& request);

/// After A is read. Collective; Error out_of_memory if A and the working memory of
/// the method exceed the machine's memory or --memory.
void check_working_memory(const SolveRequest& request, const Problem& problem);

// load.cpp

struct Loaded {
  ProblemData data;
  std::vector<std::string> names;  ///< of the unknowns; empty if the files have none
  Index dropped_rows = 0;
};

/// How A is read; a row that is not finite is kept, and dropped later.
ReadOptions read_options_of(const SolveRequest& request);

/// Reads all files of the request. Collective.
Loaded load(const SolveRequest& request);

// outputs.cpp

/// Of the unknown of column j; without names "x1", "x2", …
std::string column_name(const std::vector<std::string>& names, Index j);

/// Writes x, report, history and statistics, then prints a summary. A history that
/// cannot be written is a warning; for any other file it is an Error io, thrown after
/// the remaining files are written.
void write_outputs(const SolveRequest& request, const std::vector<std::string>& names,
                   int exit_code, Report& report, Messages& messages);

// plan_command.cpp

/// The plan of --method auto as text: the look, one numbered line for each method in
/// the order of use, and one line for each method that is ruled out.
std::string automatic_text(const AutomaticPlan& plan);

}  // namespace polyak::cli
