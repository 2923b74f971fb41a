#pragma once

// What predict and score share: a model, and the rows that it is applied to.

#include <string>
#include <vector>

#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "polyak/io.hpp"
#include "polyak/model.hpp"
#include "solve/request.hpp"

namespace polyak::cli {

struct ModelRows {
  LinearModel model;
  Table table;
};

/// Reads the columns that the model needs of a table, as `options` says; other columns are not
/// read, and may be text. A file without names has the columns of the model in their order.
ModelRows read_model_rows(LinearModel model, const std::string& rows, ReadOptions options);

/// Warnings about a model whose run did not converge, and about columns with values beyond those
/// of the fit.
void warn_of_model(const ModelRows& rows, Messages& messages);

}  // namespace polyak::cli
