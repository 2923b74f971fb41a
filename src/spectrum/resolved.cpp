#include "spectrum/resolved.hpp"

#include <algorithm>
#include <limits>

#include "linalg/svd.hpp"
#include "matrix/whole.hpp"
#include "polyak/error.hpp"
#include "spectrum/gram.hpp"

namespace polyak {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// What rounding makes of a zero is of the size of eps²·lambda_max here.
std::vector<double> eigenvalues_by_qr(const RowMatrix& A, const RowFactor& factor,
                                      ThreadTeam& team) {
  const auto rows = [&](Index first, Index, View out) { load_rows(A, factor, first, out); };
  const Buffer R = whole_r(A, A.cols(), rows, team);
  const SvdSolution svd = singular_values(R.view());
  if (!svd.ok)
    throw Error(ErrorCode::internal, {.what = "the singular values of R did not converge"});
  std::vector<double> values(svd.singular_values.rbegin(), svd.singular_values.rend());
  for (double& v : values) v *= v;
  return values;
}

}  // namespace

double smallest_above(const std::vector<double>& values, double line) {
  const auto first = std::upper_bound(values.begin(), values.end(), line);
  return first == values.end() ? values.back() : *first;
}

Resolved resolve(const RowMatrix& A, const RowFactor& factor, std::vector<double> values,
                 ThreadTeam& team) {
  Resolved out;
  out.values = std::move(values);
  const double top = out.values.back(), line = static_cast<double>(out.values.size()) * eps * top;
  // The sums in AᵀA may be off by more than that line (n equal rows are), and
  // then a zero eigenvalue stands above it.
  const double doubtful = line + gram_additions(A) * eps * top;
  const double lowest = smallest_above(out.values, line);
  out.factored = lowest > line && lowest <= doubtful;
  if (out.factored) out.values = eigenvalues_by_qr(A, factor, team);
  out.lambda_min = smallest_above(out.values, line);
  out.rank = std::count_if(out.values.begin(), out.values.end(), [&](double v) { return v > line; });
  return out;
}

}  // namespace polyak
