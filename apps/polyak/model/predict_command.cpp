#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "cli/files.hpp"
#include "cli/memory.hpp"
#include "model/model_data.hpp"
#include "program.hpp"

namespace polyak::cli {
namespace {

struct PredictOptions {
  std::optional<std::string> output;
};

const std::vector<OptionRecord<PredictOptions>>& predict_options() {
  static const std::vector<OptionRecord<PredictOptions>> table = {
      {.name = "output",
       .field = &PredictOptions::output,
       .value = "FILE",
       .sentence =
           "Write the predictions here, one row for each row of the data: .npy, .mtx, .csv; "
           "without it they are printed.",
       .file = FileUse::written},
  };
  return table;
}

Usage predict_usage() {
  return {
      .command = "predict",
      .positionals = {"MODEL", "DATA"},
      .required = 2,
      .text = R"(Predict the target of new rows by a model that `polyak solve --model` has written.

Usage: polyak predict MODEL.json DATA [options]

The columns of a table (.csv, .tsv, .parquet, - for standard input) are found by
name, in any order; other columns are not read, and may be text. Files without names
have the columns of the model in their order. Values beyond those of the fit are
warned of; a row with a missing value has the prediction nan.
)",
      .ending = R"(
Examples:
  polyak solve houses.csv --rhs-column price --intercept --model m.json
  polyak predict m.json new.csv --output prices.csv
)"};
}

// The names of the targets, then a line for each row.
void write_predictions(const LinearModel& model, const Array& values,
                       const std::optional<std::string>& output) {
  const std::string path = output.value_or("-");
  if (path == "-" || path.ends_with(".csv") || path.ends_with(".csv.gz"))
    return write_matrix(path,
                        *dense_view(MatrixView<const double>{values.view().data, values.rows(),
                                                             values.cols(), values.view().stride}),
                        model.targets);
  write_array(path, values.view());
}

// A row with such a value keeps its place.
void warn_of_missing(const Array& values, Messages& messages) {
  Index missing = 0;
  for (Index i = 0; i < values.rows(); ++i) missing += !std::isfinite(values(i, 0));
  if (missing > 0)
    messages.warning(
        fmt::format("{} of {} rows have a missing or infinite value, and no finite prediction",
                    missing, values.rows()));
}

}  // namespace

int predict_command(const Words& words, Messages& messages) {
  PredictOptions asked;
  MessageOptions message;
  OptionSet set;
  set.add("Output", predict_options(), asked);
  set.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, set, predict_usage());
  if (parsed.help) return print(help_text(predict_usage(), set)), 0;
  messages.configure(message);
  if (asked.output)
    check_output("--output", *asked.output, {".npy", ".mtx", ".mtx.gz", ".csv", ".csv.gz"});
  const std::string& path = parsed.positionals[1];
  messages.status("reading " + path);
  const auto [rows, values] = with_memory_for(path, [&] {
    ReadOptions options = DataOptions().read_options();
    options.keep_nonfinite = true;
    ModelRows read = read_model_rows(read_model(parsed.positionals[0]), path, options);
    Array predicted = predictions(read.model, *read.table.A, read.table.names);
    return std::pair(std::move(read), std::move(predicted));
  });
  messages.status("");
  warn_of_model(rows, messages);
  warn_of_missing(values, messages);
  write_predictions(rows.model, values, asked.output);
  if (asked.output && *asked.output != "-" && !messages.quiet() && !messages.json())
    print_summary("Wrote " + *asked.output + "\n");
  return 0;
}

}  // namespace polyak::cli
