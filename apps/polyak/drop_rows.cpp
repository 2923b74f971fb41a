#include <algorithm>
#include <cmath>

#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "solve_load.hpp"

namespace polyak::cli {
namespace {

bool finite_row(const ProblemData& data, Index i) {
  if (!std::isfinite(data.A->max_abs(i, i + 1))) return false;
  if (!data.weights.empty() && !std::isfinite(data.weights[to_size(i)])) return false;
  for (Index c = 0; c < data.b.cols(); ++c)
    if (!std::isfinite(data.b(i, c))) return false;
  return true;
}

std::vector<Index> finite_rows(const ProblemData& data) {
  std::vector<Index> kept;
  for (Index i = 0; i < data.A->rows(); ++i)
    if (finite_row(data, i)) kept.push_back(i);
  return kept;
}

// Whatever a file was read into stores its rows, and goes on to store them alike.
MatrixPtr matrix_rows(const MatrixPtr& A, const std::vector<Index>& kept) {
  if (auto rows = listed_rows(*A, kept)) return rows;
  throw Error(ErrorCode::internal, {.what = "rows cannot be dropped from this matrix",
                                    .where = "A",
                                    .found = A->kind()});
}

Array array_rows(const Array& values, const std::vector<Index>& kept) {
  std::vector<double> out;
  for (Index i : kept)
    for (Index c = 0; c < values.cols(); ++c) out.push_back(values(i, c));
  return Array(std::move(out), std::ssize(kept), values.cols());
}

}  // namespace

void drop_nonfinite_rows(ProblemData& data) {
  const std::vector<Index> kept = finite_rows(data);
  if (std::ssize(kept) == data.A->rows()) return;
  data.A = matrix_rows(data.A, kept);
  data.b = array_rows(data.b, kept);
  std::vector<double> weights;
  if (!data.weights.empty())
    for (Index i : kept) weights.push_back(data.weights[to_size(i)]);
  data.weights = std::move(weights);
}

}  // namespace polyak::cli
