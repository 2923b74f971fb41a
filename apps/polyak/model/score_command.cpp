#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/memory.hpp"
#include "model/model_data.hpp"
#include "polyak/error.hpp"
#include "program.hpp"

namespace polyak::cli {
namespace {

struct ScoreOptions {
  std::optional<std::string> rhs_column;
  bool drop_nonfinite_rows = false, json = false;
};

const std::vector<OptionRecord<ScoreOptions>>& score_options() {
  using O = ScoreOptions;
  static const std::vector<OptionRecord<O>> table = {
      {.name = "rhs-column",
       .field = &O::rhs_column,
       .value = "NAME",
       .sentence = "The column of the table that the model is compared with; auto is the target of "
                   "the model."},
      {.name = "drop-nonfinite-rows",
       .field = &O::drop_nonfinite_rows,
       .value = "",
       .sentence = "Leave out rows with NaN, Inf or an empty cell, and report their number."},
      {.name = "json", .field = &O::json, .value = "", .sentence = "Print the scores as JSON."},
  };
  return table;
}

Usage score_usage() {
  return {.command = "score",
          .positionals = {"MODEL", "DATA", "b"},
          .required = 2,
          .text =
              R"(Compare a model that `polyak solve --model` has written with other rows.

Usage: polyak score MODEL.json TABLE [options]
       polyak score MODEL.json A b [options]

Printed are R squared (1 minus the sum of squared errors over that about the mean),
the root mean square and the mean absolute error of the prediction, for each target.
)",
          .ending = R"(
Examples:
  polyak score m.json test.csv
  polyak score m.json test.csv --rhs-column sold_for --json
)"};
}

ModelRows read_rows(const std::vector<std::string>& files, const ScoreOptions& asked) {
  LinearModel model = read_model(files[0]);
  ReadOptions options = DataOptions().read_options();
  options.drop_nonfinite_rows = asked.drop_nonfinite_rows;
  if (files.size() < 3) options.rhs_column = asked.rhs_column.value_or(model.targets.front());
  ModelRows out = read_model_rows(std::move(model), files[1], options);
  if (files.size() == 3) out.table.b = read_array(files[2]);
  return out;
}

void check_shapes(const ModelRows& rows, const std::string& data) {
  const ConstView b = rows.table.b.view();
  const Index n = rows.table.A->rows(), c = rows.model.coefficients.cols();
  if (b.rows != n || b.cols != c)
    throw Error(ErrorCode::bad_data,
                {.what = "the right-hand side does not fit the data and the model",
                 .where = data,
                 .found = fmt::format("{} x {}", b.rows, b.cols),
                 .expected = fmt::format("{} x {}", n, c)});
  if (n == 0)
    throw Error(ErrorCode::bad_data, {.what = "there are no rows to compare with", .where = data});
}

std::string as_text(const LinearModel& model, Index rows, const std::vector<Score>& list) {
  std::string out = fmt::format("  {:<10} {}\n", "rows", rows);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Score& one = list[k];
    const std::string fit =
        one.r_squared ? fmt::format("R squared {:.6g}", *one.r_squared) : "R squared -";
    out += fmt::format("  {:<10} {}, root mean square error {:.6g}, mean absolute error {:.6g}\n",
                       model.targets[k], fit, one.root_mean_square, one.mean_absolute);
  }
  return out;
}

std::string as_json(const LinearModel& model, Index rows, const std::vector<Score>& list) {
  using Json = nlohmann::ordered_json;
  Json targets = Json::array();
  for (std::size_t k = 0; k < list.size(); ++k) {
    Json one{{"target", model.targets[k]},
             {"root_mean_square_error", list[k].root_mean_square},
             {"mean_absolute_error", list[k].mean_absolute}};
    if (list[k].r_squared) one["r_squared"] = *list[k].r_squared;
    targets.push_back(std::move(one));
  }
  return Json{{"rows", rows}, {"targets", targets}}.dump(2, ' ', false,
                                                         Json::error_handler_t::replace) +
         "\n";
}

}  // namespace

int score_command(const Words& words, Messages& messages) {
  ScoreOptions asked;
  MessageOptions message;
  OptionSet options;
  options.add("Scores", score_options(), asked);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, score_usage());
  if (parsed.help) return print(help_text(score_usage(), options)), 0;
  messages.configure(message);
  const std::string& path = parsed.positionals[1];
  messages.status("reading " + path);
  const ModelRows rows =
      with_memory_for(path, [&] { return read_rows(parsed.positionals, asked); });
  messages.status("");
  check_shapes(rows, path);
  warn_of_model(rows, messages);
  if (const Index dropped = rows.table.dropped_rows; dropped > 0)
    messages.warning(fmt::format("{} row{} with NaN, Inf or an empty cell left out", dropped,
                                 dropped == 1 ? "" : "s"));
  const Array predicted = predictions(rows.model, *rows.table.A, rows.table.names);
  const std::vector<Score> list = scores(predicted.view(), rows.table.b.view());
  const Index n = rows.table.A->rows();
  print(asked.json ? as_json(rows.model, n, list) : as_text(rows.model, n, list));
  return 0;
}

}  // namespace polyak::cli
