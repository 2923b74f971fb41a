#include "polyak/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/file_pages.hpp"
#include "matrix/column_map.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

std::string shape(Index rows, Index cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

[[noreturn]] void refuse(const std::string& where, const std::string& what,
                         const std::string& found, const std::string& expected) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = where, .found = found, .expected = expected});
}

bool at_least_zero(double v) { return std::isfinite(v) && v >= 0.0; }

void check_shapes(const ProblemData& data) {
  if (data.A == nullptr) refuse("A", "there is no matrix", "nothing", "a matrix");
  const Index n = data.A->rows(), d = data.A->cols();
  if (data.b.rows() != n || (data.b.cols() < 1 && n > 0))
    refuse("b", "A and b do not have the same number of rows",
           "A " + shape(n, d) + " and b " + shape(data.b.rows(), data.b.cols()),
           std::to_string(n) + " rows in b");
}

void check_weights(std::span<const double> weights, Index n) {
  if (weights.empty()) return;
  if (std::ssize(weights) != n)
    refuse("weights", "there must be one weight per row",
           std::to_string(weights.size()) + " weights", std::to_string(n));
  for_parts(weights, [](std::span<const double> part, Index first) {
    const auto bad = std::find_if_not(part.begin(), part.end(), at_least_zero);
    if (bad != part.end())
      refuse("weights, row " + std::to_string(first + (bad - part.begin()) + 1),
             "a weight is negative or not finite", std::to_string(*bad), "0 or more");
  });
}

void check_shared_weights(const ProblemData& data) {
  const ConstView w = data.shared_weights.view();
  if (data.shared_weights.empty()) return;
  if (!data.weights.empty() || w.cols != 1 || (w.stride != 1 && w.rows > 1))
    refuse("weights", "shared weights are one column, in place of others",
           shape(w.rows, w.cols) + " beside " + std::to_string(data.weights.size()) + " others",
           shape(data.A->rows(), 1) + " numbers, one after the other");
}

// Expands a bound to one number per unknown: one number stands for all unknowns except the
// intercept; an empty bound, or a missing one of the intercept, becomes `otherwise`.
std::vector<double> spread(std::vector<double> bound, Index d, bool intercept, double otherwise,
                           const std::string& name) {
  const Index coefficients = d - (intercept ? 1 : 0);
  if (bound.empty()) return std::vector<double>(to_size(d), otherwise);
  if (bound.size() == 1) bound.assign(to_size(coefficients), bound[0]);
  if (std::ssize(bound) != d && std::ssize(bound) != coefficients)
    refuse(name, "there must be one bound, or one per column of A",
           std::to_string(bound.size()) + " bounds", std::to_string(coefficients));
  bound.resize(to_size(d), otherwise);
  return bound;
}

// Adds the column of ones, whose unknown has no ridge.
void add_intercept(ProblemData& data) {
  const MappedMatrix* mapped = as_mapped(*data.A);
  if (mapped && mapped->map().ones)
    return;  // data of an existing Problem, which has its column of ones
  data.A = mapped_columns(data.A, ColumnMap::plain(data.A->cols(), true));
  data.ridge_factors.resize(to_size(data.A->cols() - 1), 1.0);
  data.ridge_factors.push_back(0.0);
}

void check_ridge(const ProblemData& data) {
  if (!at_least_zero(data.ridge))
    refuse("ridge", "the ridge term is negative or not finite", std::to_string(data.ridge),
           "0 or more");
  if (data.ridge_factors.empty()) return;
  if (std::ssize(data.ridge_factors) != data.A->cols())
    refuse("ridge_factors", "there must be one factor per unknown",
           std::to_string(data.ridge_factors.size()), std::to_string(data.A->cols()));
  for (const double f : data.ridge_factors)
    if (!at_least_zero(f))
      refuse("ridge_factors", "a factor is negative or not finite", std::to_string(f), "0 or more");
}

void check_bounds(const std::vector<double>& lower, const std::vector<double>& upper) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < lower.size(); ++j) {
    const double least = lower[j], most = upper[j];
    if (least <= most && least < inf && most > -inf) continue;
    const std::string where = "bounds, column " + std::to_string(j + 1);
    const std::string found = std::to_string(least) + " and " + std::to_string(most);
    if (std::isnan(least) || std::isnan(most))
      refuse(where, "a bound is not a number", found, "numbers, or -inf and inf for none");
    if (!(least < inf && most > -inf))
      refuse(where, "no number lies between the bounds", found,
             "a lower bound below inf and an upper bound above -inf");
    refuse(where, "the lower bound is not below the upper one", found, "lower <= upper");
  }
}

bool any_finite(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// From d × c, the layout of files, to c × d, the layout of the solvers.
std::vector<double> transpose(const Array& values, Index d, Index c, const std::string& name) {
  std::vector<double> out(to_size(c * d), 0.0);
  if (values.empty()) return out;
  if (values.rows() != d || values.cols() != c)
    refuse(name, "the vector does not fit the problem", shape(values.rows(), values.cols()),
           shape(d, c));
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i < c; ++i) {
      if (!std::isfinite(values(j, i)))
        refuse(name + ", row " + std::to_string(j + 1), "a value is not finite",
               std::to_string(values(j, i)), "a finite number");
      out[to_size(i * d + j)] = values(j, i);
    }
  }
  return out;
}

}  // namespace

Problem::Problem(ProblemData data) : data_(std::move(data)) {
  check_shapes(data_);
  check_shared_weights(data_);
  check_weights(weights(), rows());
  if (data_.intercept) add_intercept(data_);
  check_ridge(data_);
  if (!data_.lower.empty() || !data_.upper.empty()) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    lower_ = spread(data_.lower, cols(), data_.intercept, -inf, "lower");
    upper_ = spread(data_.upper, cols(), data_.intercept, inf, "upper");
    check_bounds(lower_, upper_);
    if (!any_finite(lower_) && !any_finite(upper_)) lower_.clear(), upper_.clear();
  }
  x0_ = transpose(data_.x0, cols(), right_hand_sides(), "x0");
  reference_ = transpose(data_.reference, cols(), right_hand_sides(), "reference");
}

Problem Problem::starting_at(Array x0) const {
  ProblemData data = data_;
  data.x0 = std::move(x0);
  return Problem(std::move(data));
}

Array transposed(ConstView x) {
  std::vector<double> values(to_size(x.size()));
  for (Index c = 0; c < x.rows; ++c)
    for (Index j = 0; j < x.cols; ++j) values[to_size(j * x.rows + c)] = x(c, j);
  return Array(std::move(values), x.cols, x.rows);
}

}  // namespace polyak
