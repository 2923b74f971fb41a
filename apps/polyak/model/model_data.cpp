#include "model/model_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "polyak/files.hpp"
#include "polyak/table_stream.hpp"

namespace polyak::cli {
namespace {

// A pipe holds a table; it cannot be inspected and then read.
bool is_table(const std::string& path) {
  return is_text_table(path) || path.ends_with(".parquet") || is_stream(path);
}

}  // namespace

ModelRows read_model_rows(LinearModel model, const std::string& rows, ReadOptions options) {
  if (is_table(rows) && !model.columns.empty()) {
    if (!is_stream(rows)) check_columns(model, inspect(rows).names, rows);
    options.columns = model.columns;
  }
  return {.model = std::move(model), .table = read_table(rows, options)};
}

void warn_of_model(const ModelRows& rows, Messages& messages) {
  if (!rows.model.status.empty() && rows.model.status != "converged")
    messages.warning("the run that made the model ended as " + rows.model.status + ": " +
                     rows.model.reason);
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
