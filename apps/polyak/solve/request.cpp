#include "solve/request.hpp"

#include <algorithm>

#include "cli/files.hpp"
#include "cli/memory.hpp"
#include "cli/messages.hpp"
#include "polyak/devices.hpp"
#include "polyak/table_stream.hpp"
#include "ranks.hpp"

namespace polyak::cli {
namespace {

const std::vector<OptionRecord<DataOptions>>& table_options() {
  using D = DataOptions;
  static const std::vector<OptionRecord<D>> table = {
      {.name = "rhs-column",
       .field = &D::rhs_column,
       .value = "NAME",
       .sentence = "The column of a .csv or .parquet that is b, by name or by number from 1."},
      {.name = "intercept",
       .field = &D::intercept,
       .value = "",
       .sentence =
           "Add an intercept as the last unknown: a constant added to every row. The ridge, and a "
           "bound given as one number, do not apply to it."},
  };
  return table;
}

const std::vector<OptionRecord<ProblemOptions>>& problem_options() {
  using P = ProblemOptions;
  static const std::vector<OptionRecord<P>> table = {
      {.name = "weights",
       .field = &P::weights,
       .value = "FILE",
       .sentence = "One weight of at least 0 per row.",
       .file = FileUse::read},
      {.name = "ridge",
       .field = &P::ridge,
       .value = "R",
       .sentence = "Add R/2 |x|^2 to the objective.",
       .lowest = 0},
      {.name = "lower",
       .field = &P::lower,
       .value = "L",
       .sentence = "Lower bound of x: a number, or a file with one per unknown; -inf for none.",
       .file = FileUse::read},
      {.name = "upper",
       .field = &P::upper,
       .value = "U",
       .sentence = "Upper bound of x, likewise; inf for none.",
       .file = FileUse::read},
      {.name = "x0",
       .field = &P::x0,
       .value = "FILE",
       .sentence = "Start from this x instead of 0.",
       .file = FileUse::read},
      {.name = "reference",
       .field = &P::reference,
       .value = "FILE",
       .sentence = "A known solution; the report then holds the error of x.",
       .file = FileUse::read},
  };
  return table;
}

const std::vector<OptionRecord<OutputOptions>>& solve_output_options() {
  using O = OutputOptions;
  static const std::vector<OptionRecord<O>> table = {
      {.name = "output",
       .field = &O::output,
       .value = "FILE",
       .sentence = "Write x here: .npy, .mtx, .csv; - is standard output.",
       .file = FileUse::written},
      {.name = "report",
       .field = &O::report,
       .value = "FILE.json",
       .sentence = "Write a report of the run, as JSON.",
       .file = FileUse::written},
      {.name = "history",
       .field = &O::history,
       .value = "FILE.csv",
       .sentence = "Write every measurement, one per line.",
       .file = FileUse::written},
      {.name = "output-statistics",
       .field = &O::statistics,
       .value = "FILE.csv",
       .sentence = "Write estimate, standard error, t value, p value and interval of each unknown; "
                   "implies --statistics.",
       .file = FileUse::written},
      {.name = "confidence",
       .field = &O::confidence,
       .value = "SHARE",
       .sentence = "Confidence of the intervals of --statistics, which it implies; auto is 0.95.",
       .lowest = 0,
       .highest = 1,
       .open_below = true,
       .open_above = true},
      {.name = "model",
       .field = &O::model,
       .value = "FILE.json",
       .sentence = "Write coefficients, names and ranges of the columns, for polyak predict and "
                   "polyak score.",
       .file = FileUse::written},
      {.name = "fitted",
       .field = &O::fitted,
       .value = "FILE",
       .sentence = "Write A x, row by row: .npy, .mtx, .csv.",
       .file = FileUse::written},
      {.name = "residuals",
       .field = &O::residuals,
       .value = "FILE",
       .sentence = "Write b - A x, row by row: .npy, .mtx, .csv.",
       .file = FileUse::written},
  };
  return table;
}

const std::vector<OptionRecord<MachineOptions>>& machine_options() {
  using M = MachineOptions;
  static const std::vector<OptionRecord<M>> table = {
      {.name = "dry-run",
       .field = &M::dry_run,
       .value = "",
       .sentence = "Print what solve would do and how much memory it needs, from the sizes alone."},
      {.name = "memory",
       .field = &M::memory_bytes,
       .value = "BYTES",
       .sentence =
           "Refuse problems that need more memory than this; auto is the memory of the machine.",
       .lowest = 0,
       .open_below = true},
  };
  return table;
}

// The library's table in two parts: the options of the method, and the others.
// Probabilities of rows (--sampling given) exist only in the library.
std::vector<OptionRecord<SolveOptions>> solver_options(bool of_method) {
  std::vector<OptionRecord<SolveOptions>> out;
  for (OptionRecord<SolveOptions> record : solve_options()) {
    if ((record.name == "method" || record.needs != 0) != of_method) continue;
    if (record.name == "sampling") {
      record.value = "row-norm|uniform|mixed";
      record.sentence = "Probability of a row: by its squared norm, equal, or half of each.";
    }
    // The library's texts describe the default before --parameters existed.
    if (record.name == "step-size")
      record.sentence = "Constant step; auto is chosen for the method (see --parameters).";
    if (record.name == "momentum")
      record.sentence = "Constant momentum; auto is chosen for the method (see --parameters).";
    out.push_back(record);
  }
  return out;
}

// Patterns of other files, such as images of one stack, are for their reader.
std::vector<std::string> files_of(const std::string& pattern) {
  std::vector<std::string> out = matching_files(pattern);
  if (out.empty())
    throw Error(ErrorCode::no_input, {.what = "no file matches this pattern", .where = pattern});
  if (std::none_of(out.begin(), out.end(), is_text_table)) return {pattern};
  return out;
}

std::vector<std::string> listed_names(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t from = 0, comma = 0; !text.empty() && comma != text.npos; from = comma + 1) {
    comma = text.find(',', from);
    if (std::string name = text.substr(from, comma - from); !name.empty())
      out.push_back(std::move(name));
  }
  return out;
}

void check_model_outputs(const OutputOptions& outputs) {
  if (outputs.model) check_output("--model", *outputs.model, {".json"});
  for (const auto& [name, path] :
       {std::pair("--fitted", outputs.fitted), std::pair("--residuals", outputs.residuals)}) {
    if (!path) continue;
    check_output(name, *path, {".npy", ".mtx", ".mtx.gz", ".csv", ".csv.gz"});
    if (rank_count() > 1)
      throw Error(ErrorCode::usage, {.what = "each rank has only its own rows of A",
                                     .where = name,
                                     .found = std::to_string(rank_count()) + " ranks",
                                     .hint = "polyak predict computes them from --model"});
  }
}

void check_inputs(const SolveRequest& request) {
  const ProblemOptions& p = request.problem;
  if (request.b && request.data.rhs_column)
    throw Error(ErrorCode::usage, {.what = "the right-hand side is given twice",
                                   .where = "--rhs-column",
                                   .found = "b = " + *request.b,
                                   .expected = "either a file b or --rhs-column"});
  const auto inputs = {request.b, p.weights, p.x0, p.reference, p.lower, p.upper};
  if (std::count(inputs.begin(), inputs.end(), "-") +
          std::count(request.files.begin(), request.files.end(), "-") >
      1)
    throw Error(ErrorCode::usage, {.what = "only one input can be standard input", .where = "-"});
}

}  // namespace

const std::vector<OptionRecord<DataOptions>>& reading_options() {
  using D = DataOptions;
  static const std::vector<OptionRecord<D>> table = {
      {.name = "columns",
       .field = &D::columns,
       .value = "NAME,...",
       .sentence = "Of a .csv or .parquet, only these columns: by name, by number from 1, or by a "
                   "name with * for any characters. Others are not read, and may be text."},
      {.name = "drop",
       .field = &D::drop,
       .value = "NAME,...",
       .sentence = "Of a .csv or .parquet, not these columns."},
      {.name = "drop-nonfinite-rows",
       .field = &D::drop_nonfinite_rows,
       .value = "",
       .sentence = "Drop rows with NaN, Inf or an empty cell, and report their number."},
      {.name = "duplicates",
       .field = &D::duplicates,
       .value = "sum|error",
       .sentence =
           "Two entries at the same place of a sparse matrix: add them, or stop with an error."},
      {.name = "precision",
       .field = &D::precision,
       .value = "double|single",
       .sentence = "How the values of A are stored."},
      {.name = "storage",
       .field = &D::storage,
       .value = "auto|memory|disk",
       .sentence = "Where A is during the run. disk: its rows are read from an .npy file when they "
                   "are used. auto: so if the file has more than half of the memory."},
      {.name = "disk-reader",
       .field = &D::disk_reader,
       .value = "auto|io_uring|threads",
       .sentence = "How rows on a disk are read; auto is io_uring where the system allows it."},
      {.name = "disk-sweep-rate",
       .field = &D::disk_sweep_rate,
       .value = "BYTES",
       .sentence = "Bytes per second of rows on a disk, read in order, by which auto chooses; auto "
                   "is a measurement.",
       .lowest = 1.0},
      {.name = "disk-row-rate",
       .field = &D::disk_row_rate,
       .value = "ROWS",
       .sentence = "Rows per second at random places of the disk, likewise.",
       .lowest = 1e-3},
  };
  return table;
}

ReadOptions DataOptions::read_options() const {
  return {.rhs_column = rhs_column,
          .columns = listed_names(columns),
          .drop = listed_names(drop),
          .intercept = false,  // added by Problem, not by the reader
          .drop_nonfinite_rows = drop_nonfinite_rows,
          .keep_nonfinite = false,
          .duplicates = duplicates == "error" ? Duplicates::error : Duplicates::sum,
          .single = precision == "single",
          .storage = storage == "memory"   ? Storage::memory
                     : storage == "disk"   ? Storage::disk
                     : storage == "stream" ? Storage::stream
                                           : Storage::automatic,
          .memory_bytes = machine_memory().available,
          .disk_reader = disk_reader,
          .disk_sweep_bytes = disk_sweep_rate,
          .disk_single_rows = disk_row_rate};
}

// Several files are one table where a column of it is b; otherwise a second file is b.
void set_inputs(const std::vector<std::string>& positionals, SolveRequest& request) {
  const bool tables = std::all_of(positionals.begin(), positionals.end(), is_text_table);
  const bool all = request.data.rhs_column && (tables || positionals.size() > 2);
  for (std::size_t i = 0; i < (all ? positionals.size() : 1); ++i)
    for (std::string& file : files_of(positionals[i])) request.files.push_back(std::move(file));
  request.A = request.files.size() == 1 ? request.files.front() : listed(positionals);
  if (all || positionals.size() < 2) return;
  request.b = positionals[1];
}

OptionSet solve_option_set(SolveRequest& request) {
  std::vector<OptionRecord<DataOptions>> data = table_options();
  data.insert(data.end(), reading_options().begin(), reading_options().end());
  for (OptionRecord<DataOptions>& record : data)
    if (record.name == "storage") {
      record.value = "auto|memory|disk|stream";
      record.sentence =
          "Where A is during the run. disk: its rows are read from an .npy file when they are "
          "used. "
          "stream: rows of text are read once and not kept. auto: disk if the .npy has more than "
          "half of the memory, stream for text that does not fit into memory and for long pipes.";
    }
  OptionSet set;
  set.add("Data", data, request.data);
  set.add("Problem", problem_options(), request.problem);
  set.add("Method", solver_options(true), request.options);
  set.add("Stopping and running", solver_options(false), request.options);
  set.add("Before running", machine_options(), request.machine);
  set.add("Output", solve_output_options(), request.outputs);
  set.add("Checkpoints", checkpoint_options(), request.checkpoint);
  set.add("Messages", message_options(), request.messages);
  return set;
}

void check_request(SolveRequest& request) {
  check_inputs(request);
  device_named(request.options.device);  // an Error before anything is read
  const OutputOptions& outputs = request.outputs;
  if (outputs.output)
    check_output("--output", *outputs.output, {".npy", ".mtx", ".mtx.gz", ".csv", ".csv.gz"});
  check_model_outputs(outputs);
  if (outputs.report) check_output("--report", *outputs.report);
  if (outputs.history) check_output("--history", *outputs.history);
  check_checkpoint(request.checkpoint);
  if (outputs.statistics) check_output("--output-statistics", *outputs.statistics, {".csv"});
  if (outputs.statistics || outputs.confidence) request.options.statistics = true;
}

}  // namespace polyak::cli
