#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/thread_team.hpp"
#include "model/rows_and_columns.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

[[noreturn]] void refuse_missing(const std::vector<std::string>& missing, std::size_t of) {
  constexpr std::size_t most_listed = 10;
  std::string list;
  for (std::size_t k = 0; k < std::min(most_listed, missing.size()); ++k)
    list += (k == 0 ? "" : ", ") + missing[k];
  if (missing.size() > most_listed) list += ", ...";
  throw Error(ErrorCode::bad_data,
              {.what = fmt::format("{} of the {} columns of the model {} missing", missing.size(),
                                   of, missing.size() == 1 ? "is" : "are"),
               .where = "A",
               .found = "no " + list});
}

// c × (columns of A): those of the model where A has them, with zeros for the others.
Array placed_coefficients(const LinearModel& model, const RowMatrix& A,
                          const std::vector<Index>& columns) {
  const Index c = model.coefficients.cols();
  std::vector<double> out(to_size(c * A.cols()), 0.0);
  for (Index k = 0; k < c; ++k)
    for (std::size_t j = 0; j < columns.size(); ++j)
      out[to_size(k * A.cols() + columns[j])] = model.coefficients(static_cast<Index>(j), k);
  return Array(std::move(out), c, A.cols());
}

}  // namespace

std::vector<Index> columns_of(const LinearModel& model, const RowMatrix& A,
                              const std::vector<std::string>& names) {
  const Index d = model.coefficients.rows();
  std::vector<Index> out;
  if (model.columns.empty() || names.empty()) {
    if (A.cols() != d)
      throw Error(ErrorCode::bad_data, {.what = "A does not have the columns of the model",
                                        .where = "A",
                                        .found = fmt::format("{} columns", A.cols()),
                                        .expected = fmt::format("{}, in their order", d)});
    for (Index j = 0; j < d; ++j) out.push_back(j);
    return out;
  }
  std::vector<std::string> missing;
  for (const std::string& column : model.columns) {
    const auto found = std::find(names.begin(), names.end(), column);
    if (found == names.end())
      missing.push_back(column);
    else if (std::find(found + 1, names.end(), column) != names.end())
      throw Error(ErrorCode::bad_data,
                  {.what = "two columns have this name", .where = "A", .found = column});
    else
      out.push_back(found - names.begin());
  }
  if (!missing.empty()) refuse_missing(missing, model.columns.size());
  return out;
}

Array predictions(const LinearModel& model, const RowMatrix& A,
                  const std::vector<std::string>& names, Index threads) {
  const Array x = placed_coefficients(model, A, columns_of(model, A, names));
  const Index c = x.rows(), block = block_rows(A);
  std::vector<double> values(to_size(A.rows() * c));
  const View y{values.data(), A.rows(), c, c};
  ThreadTeam team(static_cast<int>(threads));
  A.expect_range(0, A.rows());
  team.run((A.rows() + block - 1) / block, [&](Index part) {
    const Index first = part * block, last = std::min(A.rows(), first + block);
    A.multiply(first, last, x.view(), View{y.row(first), last - first, c, y.stride});
    for (Index i = first; i < last; ++i)
      for (Index k = 0; k < c && !model.intercepts.empty(); ++k)
        y(i, k) += model.intercepts[to_size(k)];
  });
  return Array(std::move(values), A.rows(), c);
}

std::vector<Extrapolation> extrapolations(const LinearModel& model, const RowMatrix& A,
                                          const std::vector<std::string>& names) {
  if (model.lowest.empty()) return {};
  const std::vector<Index> columns = columns_of(model, A, names);
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<Extrapolation> all(columns.size(), {.lowest = inf, .highest = -inf});
  for_blocks_of_rows(A, [&](ConstView rows) {
    for (Index i = 0; i < rows.rows; ++i)
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const double v = rows(i, columns[j]);
        all[j].rows += v < model.lowest[j] || v > model.highest[j];
        all[j].lowest = std::min(all[j].lowest, v);
        all[j].highest = std::max(all[j].highest, v);
      }
  });
  std::vector<Extrapolation> out;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (all[j].rows == 0) continue;
    all[j].column = model.columns.empty() ? "x" + std::to_string(j + 1) : model.columns[j];
    all[j].fitted_lowest = model.lowest[j];
    all[j].fitted_highest = model.highest[j];
    out.push_back(std::move(all[j]));
  }
  return out;
}

std::vector<Score> scores(ConstView predicted, ConstView b) {
  std::vector<Score> out;
  const double n = static_cast<double>(b.rows);
  for (Index k = 0; k < b.cols; ++k) {
    double mean = 0.0, squares = 0.0, sizes = 0.0, total = 0.0;
    for (Index i = 0; i < b.rows; ++i) mean += b(i, k) / n;
    for (Index i = 0; i < b.rows; ++i) {
      const double e = b(i, k) - predicted(i, k), about = b(i, k) - mean;
      squares += e * e;
      sizes += std::abs(e);
      total += about * about;
    }
    Score score{std::sqrt(squares / n), sizes / n, {}};
    if (total > 0.0) score.r_squared = 1.0 - squares / total;
    out.push_back(score);
  }
  return out;
}

}  // namespace polyak
