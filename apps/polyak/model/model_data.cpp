#include "model/model_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "polyak/error.hpp"
#include "polyak/table_stream.hpp"

namespace polyak::cli {
namespace {

bool is_table(const std::string& path) {
  return is_text_table(path) || path.ends_with(".parquet") || path == "-";
}

// Before anything is read: all columns that are missing, in one line.
void check_columns(const LinearModel& model, const std::string& path) {
  const std::vector<std::string> names = inspect(path).names;
  if (names.empty())
    throw Error(ErrorCode::bad_data,
                {.what = "the table has no names, and the columns of the model have",
                 .where = path,
                 .expected = listed(model.columns),
                 .hint = "add a line of names, or convert the rows to .npy"});
  std::vector<std::string> missing;
  for (const std::string& column : model.columns)
    if (std::find(names.begin(), names.end(), column) == names.end()) missing.push_back(column);
  if (missing.empty()) return;
  const std::string near = nearest(missing.front(), names);
  throw Error(
      ErrorCode::bad_data,
      {.what = fmt::format("{} of the {} columns of the model {} missing", missing.size(),
                           model.columns.size(), missing.size() == 1 ? "is" : "are"),
       .where = path,
       .found = "no " + listed(missing),
       .hint = near.empty() ? "" : fmt::format("is '{}' meant by '{}'?", missing.front(), near)});
}

}  // namespace

ModelRows read_model_rows(const std::string& model, const std::string& rows, ReadOptions options) {
  ModelRows out{.model = read_model(model), .table = {}};
  if (is_table(rows) && !out.model.columns.empty()) {
    if (rows != "-") check_columns(out.model, rows);
    options.columns = out.model.columns;
  }
  out.table = read_table(rows, options);
  return out;
}

void warn_of_extrapolation(const ModelRows& rows, Messages& messages) {
  constexpr std::size_t most = 5;
  const auto all = extrapolations(rows.model, *rows.table.A, rows.table.names);
  for (std::size_t k = 0; k < std::min(most, all.size()); ++k) {
    const Extrapolation& one = all[k];
    messages.warning(
        fmt::format("{} of {} rows lie beyond the fit in column {}: {:.6g} to {:.6g}, "
                    "fitted on {:.6g} to {:.6g}",
                    one.rows, rows.table.A->rows(), one.column, one.lowest, one.highest,
                    one.fitted_lowest, one.fitted_highest));
  }
  if (all.size() > most)
    messages.warning(fmt::format("{} more columns have values beyond the fit", all.size() - most));
}

}  // namespace polyak::cli
