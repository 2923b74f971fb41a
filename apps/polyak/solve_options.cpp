#include "solve_request.hpp"

namespace polyak::cli {
namespace {

const std::vector<OptionRecord<DataOptions>>& table_options() {
  using D = DataOptions;
  static const std::vector<OptionRecord<D>> table = {
      {.name = "rhs-column",
       .field = &D::rhs_column,
       .value = "NAME",
       .sentence = "The column of a .csv that is b, by name or by number from 1."},
      {.name = "intercept",
       .field = &D::intercept,
       .value = "",
       .sentence = "Add an intercept to the unknowns, as the last of them: a number that is added "
                   "in every row. It is no part of the ridge, nor of a bound that is one number."},
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
      {.name = "x0", .field = &P::x0, .value = "FILE", .sentence = "Start here instead of at 0.",
       .file = FileUse::read},
      {.name = "reference",
       .field = &P::reference,
       .value = "FILE",
       .sentence = "A known solution: the error to it is reported.",
       .file = FileUse::read},
  };
  return table;
}

const std::vector<OptionRecord<OutputOptions>>& output_options() {
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
       .sentence = "Write how the run went, as JSON.",
       .file = FileUse::written},
      {.name = "history",
       .field = &O::history,
       .value = "FILE.csv",
       .sentence = "Write every measurement, one a line.",
       .file = FileUse::written},
      {.name = "output-statistics",
       .field = &O::statistics,
       .value = "FILE.csv",
       .sentence = "Write estimate, standard error and t value of each unknown; asks for "
                   "--statistics.",
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
       .sentence = "Say what would be done and what memory that takes, from sizes alone."},
      {.name = "memory",
       .field = &M::memory_bytes,
       .value = "BYTES",
       .sentence = "Refuse what takes more memory than this; auto is what the machine has.",
       .lowest = 0,
       .open_below = true},
  };
  return table;
}

// The library's table in two parts; probabilities cannot be given by a flag.
std::vector<OptionRecord<SolveOptions>> solver_options(bool of_method) {
  std::vector<OptionRecord<SolveOptions>> out;
  for (OptionRecord<SolveOptions> record : solve_options()) {
    if ((record.name == "method" || record.needs != 0) != of_method) continue;
    if (record.name == "sampling") {
      record.value = "row-norm|uniform|mixed";
      record.sentence = "Probability of a row: by its squared norm, equal, or half of each.";
    }
    out.push_back(record);
  }
  return out;
}

}  // namespace

const std::vector<OptionRecord<DataOptions>>& reading_options() {
  using D = DataOptions;
  static const std::vector<OptionRecord<D>> table = {
      {.name = "drop-nonfinite-rows",
       .field = &D::drop_nonfinite_rows,
       .value = "",
       .sentence = "Skip rows with NaN, Inf or an empty cell, and count them."},
      {.name = "duplicates",
       .field = &D::duplicates,
       .value = "sum|error",
       .sentence = "What entries at the same place of a sparse matrix do."},
      {.name = "precision",
       .field = &D::precision,
       .value = "double|single",
       .sentence = "How the values of A are stored."},
  };
  return table;
}

ReadOptions DataOptions::read_options() const {
  return {.rhs_column = rhs_column,
          .intercept = false,  // the problem has it, no row of A
          .drop_nonfinite_rows = drop_nonfinite_rows,
          .keep_nonfinite = false,
          .duplicates = duplicates == "error" ? Duplicates::error : Duplicates::sum,
          .single = precision == "single"};
}

OptionSet solve_option_set(SolveRequest& request) {
  std::vector<OptionRecord<DataOptions>> data = table_options();
  data.insert(data.end(), reading_options().begin(), reading_options().end());
  OptionSet set;
  set.add("Data", data, request.data);
  set.add("Problem", problem_options(), request.problem);
  set.add("Method", solver_options(true), request.options);
  set.add("Stopping and running", solver_options(false), request.options);
  set.add("Before running", machine_options(), request.machine);
  set.add("Output", output_options(), request.outputs);
  set.add("Stopping and going on later", checkpoint_options(), request.checkpoint);
  set.add("Messages", message_options(), request.messages);
  return set;
}

}  // namespace polyak::cli
