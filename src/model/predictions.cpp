#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/thread_team.hpp"
#include "io/column_choice.hpp"
#include "model/rows_and_columns.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 10;
  std::string out;
  for (std::size_t k = 0; k < std::min(most, names.size()); ++k)
    out += (k == 0 ? "" : ", ") + names[k];
  return names.size() > most ? out + ", ..." : out;
}

// c × d, as products take it.
std::vector<double> transposed(const Array& coefficients) {
  std::vector<double> out;
  for (Index k = 0; k < coefficients.cols(); ++k)
    for (Index j = 0; j < coefficients.rows(); ++j) out.push_back(coefficients(j, k));
  return out;
}

// The columns of the model among those of A, copied in their order.
void multiply_columns(const RowMatrix& A, const std::vector<Index>& columns, ConstView x,
                      Index first, Index last, View y) {
  std::vector<double> row(to_size(A.cols()));
  for (Index i = first; i < last; ++i) {
    A.copy_rows(i, i + 1, View{row.data(), 1, A.cols(), A.cols()});
    for (Index k = 0; k < x.rows; ++k) {
      double sum = 0.0;
      for (std::size_t j = 0; j < columns.size(); ++j)
        sum += row[to_size(columns[j])] * x(k, static_cast<Index>(j));
      y(i - first, k) = sum;
    }
  }
}

bool is_in_order(const std::vector<Index>& columns, const RowMatrix& A) {
  return std::ssize(columns) == A.cols() && std::is_sorted(columns.begin(), columns.end());
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
  check_columns(model, names, "A");
  for (const std::string& column : model.columns)
    out.push_back(std::find(names.begin(), names.end(), column) - names.begin());
  return out;
}

void check_columns(const LinearModel& model, const std::vector<std::string>& names,
                   const std::string& where) {
  std::vector<std::string> missing;
  for (const std::string& column : model.columns) {
    const auto times = std::count(names.begin(), names.end(), column);
    if (times > 1)
      throw Error(ErrorCode::bad_data,
                  {.what = "two columns have this name", .where = where, .found = column});
    if (times == 0) missing.push_back(column);
  }
  if (missing.empty()) return;
  if (names.empty())
    throw Error(ErrorCode::bad_data,
                {.what = "the table has no names, and the columns of the model have",
                 .where = where,
                 .expected = listed(model.columns),
                 .hint = "add a line of names, or convert the rows to .npy"});
  throw Error(ErrorCode::bad_data,
              {.what = fmt::format("{} of the {} columns of the model {} missing", missing.size(),
                                   model.columns.size(), missing.size() == 1 ? "is" : "are"),
               .where = where,
               .found = "no " + listed(missing),
               .hint = fmt::format("is '{}' meant by '{}'?", missing.front(),
                                   io::closest(names, missing.front()))});
}

Array predictions(const LinearModel& model, const RowMatrix& A,
                  const std::vector<std::string>& names, Index threads) {
  const std::vector<Index> columns = columns_of(model, A, names);
  const std::vector<double> coefficients = transposed(model.coefficients);
  const Index c = model.coefficients.cols(), d = model.coefficients.rows();
  const Index block = block_rows(A);
  const ConstView x{coefficients.data(), c, d, d};
  std::vector<double> values(to_size(A.rows() * c));
  const View y{values.data(), A.rows(), c, c};
  const bool in_order = is_in_order(columns, A);
  ThreadTeam team(static_cast<int>(threads));
  A.expect_range(0, A.rows());
  team.run((A.rows() + block - 1) / block, [&](Index part) {
    const Index first = part * block, last = std::min(A.rows(), first + block);
    const View here{y.row(first), last - first, c, y.stride};
    in_order ? A.multiply(first, last, x, here)
             : multiply_columns(A, columns, x, first, last, here);
    for (Index i = 0; i < here.rows; ++i)
      for (Index k = 0; k < c && !model.intercepts.empty(); ++k)
        here(i, k) += model.intercepts[to_size(k)];
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
