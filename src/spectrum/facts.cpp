#include "spectrum/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "matrix/products.hpp"
#include "matrix/rank_rows.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// With binary exponents up to this size squares, sums and products neither overflow nor underflow.
constexpr int safe_exponent = 200;

[[noreturn]] void refuse_value(const std::string& where, double value) {
  throw Error(ErrorCode::bad_data, {.what = "a value is not finite",
                                    .where = where + " (counted from 1)",
                                    .found = std::to_string(value),
                                    .expected = "a finite number",
                                    .hint = "remove or repair that row"});
}

// The first among the rows of this rank.
std::optional<Place> first_nonfinite(const RowMatrix& A) {
  const Partition own = partition(A);
  std::vector<double> row(to_size(A.cols()));
  own.rows->expect_range(0, own.rows->rows());
  for (Index i = 0; i < own.rows->rows(); ++i) {
    own.rows->copy_rows(i, i + 1, {row.data(), 1, A.cols(), A.cols()});
    for (Index j = 0; j < A.cols(); ++j)
      if (!std::isfinite(row[to_size(j)])) return Place{own.first + i, j, row[to_size(j)]};
  }
  return std::nullopt;
}

[[noreturn]] void refuse_matrix_value(const RowMatrix& A) {
  if (A.only_products())
    throw Error(
        ErrorCode::bad_data,
        {.what = "a product with A is not finite", .where = "A", .expected = "finite numbers"});
  const auto place = first_of_ranks(A, first_nonfinite(A));
  if (!place)
    throw Error(ErrorCode::internal,
                {.what = "a value that is not finite could not be found again"});
  refuse_value(
      "A, row " + std::to_string(place->row + 1) + ", column " + std::to_string(place->col + 1),
      place->value);
}

int exponent_of(double v) { return std::clamp(std::ilogb(v), -1000, 1000); }

// 2^-e with 2^e near `largest`, or 1 if the exponent is safe.
double power_of_two_for(double largest) {
  const bool safe = largest == 0.0 || std::abs(exponent_of(largest)) <= safe_exponent;
  return safe ? 1.0 : std::ldexp(1.0, -exponent_of(largest));
}

struct Norms {
  RowNumbers rows;
  std::vector<double> columns;
};

// The part of `numbers` (one per row) that belongs to the rows of this rank.
std::span<double> own_part(const RowMatrix& A, RowNumbers& numbers) {
  const Partition own = partition(A);
  return std::span(numbers).subspan(to_size(own.first), to_size(own.rows->rows()));
}

// Rows [first, last): unweighted row norms and weighted column norms, computed block by block
// while a block is in cache.
void add_norms(const Problem& problem, Index first, Index last, double scale, double* rows,
               std::span<double> columns) {
  constexpr Index block = 64;
  const RowMatrix& A = problem.A();
  if (problem.weights().empty())
    return A.norms(first, last, scale, {rows, to_size(last - first)}, columns);
  if (A.only_products()) {  // all rows at a time, and nothing else
    A.norms(first, last, scale, {rows, to_size(last - first)}, {});
    return A.column_norms(
        first, last, std::span(problem.weights()).subspan(to_size(first), to_size(last - first)),
        scale, columns);
  }
  A.expect_range(first, last);
  for (Index i = first; i < last; i += block) {
    const std::size_t count = to_size(std::min(block, last - i));
    A.norms(i, i + static_cast<Index>(count), scale, {rows + (i - first), count}, {});
    A.column_norms(i, i + static_cast<Index>(count),
                   std::span(problem.weights()).subspan(to_size(i), count), scale, columns);
  }
}

Norms read_norms(const Problem& problem, Products& products, double scale, RowSums* sums) {
  const RowMatrix& A = problem.A();
  const Index chunks = products.row_chunks(), d = A.cols();
  Norms out{RowNumbers(to_size(A.rows())), std::vector<double>(to_size(d), 0.0)};
  if (sums && sums->norms(A, problem.weights(), scale, chunks, out.rows, out.columns)) return out;
  std::vector<double> parts(to_size(chunks * d), 0.0);
  products.for_row_chunks([&](Index chunk, Index first, Index last) {
    add_norms(problem, first, last, scale, out.rows.data() + first,
              {parts.data() + chunk * d, to_size(d)});
  });
  for (std::size_t k = 0; k < parts.size(); ++k) out.columns[k % to_size(d)] += parts[k];
  communicator(A).sum(out.columns);
  return out;
}

// The largest |v|, infinity where one is not finite.
double largest_finite(const double* values, Index count) {
  double largest = 0.0;
  for (Index i = 0; i < count; ++i) {
    const double v = std::abs(values[i]);
    largest = v <= largest ? largest : v < infinity ? v : infinity;  // NaN is not smaller
  }
  return largest;
}

// The same in chunks on the threads of the team.
double largest_finite(std::span<const double> values, ThreadTeam& team) {
  const Index n = std::ssize(values), chunks = std::clamp<Index>(n / 16384, 1, 64);
  std::vector<double> parts(to_size(chunks), 0.0);
  team.run(chunks, [&](Index chunk) {
    const Index first = chunk * n / chunks, last = (chunk + 1) * n / chunks;
    parts[to_size(chunk)] = largest_finite(values.data() + first, last - first);
  });
  return *std::max_element(parts.begin(), parts.end());
}

// Rows of weight 0 take no part in any sum: their values must be finite, and that is all.
bool takes_part(const Problem& problem, Index i) {
  return problem.weights().empty() || problem.weights()[to_size(i)] > 0.0;
}

// Whether all values are finite, and those that take part need no scaling. Sets the norms of the
// other rows to 0.
bool in_range(const Problem& problem, std::span<double> own, ThreadTeam& team) {
  const RowMatrix& A = problem.A();
  double largest = largest_of_ranks(A, largest_finite(own, team));
  if (!(largest < infinity)) return false;
  if (!problem.weights().empty()) {
    const Index first = partition(A).first;
    for (Index i = 0; i < std::ssize(own); ++i)
      if (!takes_part(problem, first + i)) own[to_size(i)] = 0.0;
    largest = largest_of_ranks(A, largest_finite(own, team));
  }
  return largest == 0.0 || std::abs(std::ilogb(largest)) <= 2 * safe_exponent;
}

// For rows [first, last): the largest |a_ij|, NaN if one is; among all rows, and among those that
// take part.
struct Largest {
  double any = 0.0, taking_part = 0.0;
};
Largest max_abs(const Problem& problem, Index first, Index last) {
  const RowMatrix& A = problem.A();
  if (problem.weights().empty()) {
    const double largest = A.max_abs(first, last);
    return {largest, largest};
  }
  if (A.only_products()) {  // all rows at a time
    const double largest = A.max_abs(first, last);
    return {largest, std::isnan(largest) ? 0.0 : largest};
  }
  Largest out;
  for (Index i = first; i < last && !std::isnan(out.any); ++i) {
    const double m = A.max_abs(i, i + 1);
    if (!(m <= out.any)) out.any = m;
    if (takes_part(problem, i)) out.taking_part = std::max(out.taking_part, m);
  }
  return out;
}

// The largest |a_ij| of the rows that take part. Throws Error bad_data if any value is not finite.
double max_abs(const Problem& problem, Products& products) {
  std::vector<Largest> parts(to_size(products.row_chunks()));
  products.for_row_chunks([&](Index chunk, Index first, Index last) {
    parts[to_size(chunk)] = max_abs(problem, first, last);
  });
  Largest largest;
  for (const Largest& p : parts) {
    if (!std::isnan(largest.any) && !(p.any <= largest.any)) largest.any = p.any;
    largest.taking_part = std::max(largest.taking_part, p.taking_part);
  }
  if (!std::isfinite(largest_of_ranks(problem.A(), std::abs(largest.any))))
    refuse_matrix_value(problem.A());
  return largest_of_ranks(problem.A(), largest.taking_part);
}

// The first right-hand side among the rows of this rank that is not finite.
std::optional<Place> first_nonfinite_rhs(const Problem& problem) {
  const Partition own = partition(problem.A());
  const ConstView b = problem.b();
  for (Index i = own.first; i < own.first + own.rows->rows(); ++i)
    for (Index c = 0; c < b.cols; ++c)
      if (!std::isfinite(b(i, c))) return Place{i, c, b(i, c)};
  return std::nullopt;
}

// The largest |b_i| of the rows that take part. Throws Error bad_data if any value is not finite.
double max_abs_of_rhs(const Problem& problem, ThreadTeam& team) {
  const RowMatrix& A = problem.A();
  const ConstView b = problem.b();
  const Partition own = partition(A);
  const Index n = own.rows->rows(), chunks = std::clamp<Index>(n / 16384, 1, 64);
  std::vector<Largest> parts(to_size(chunks));
  team.run(chunks, [&](Index chunk) {
    Largest here;
    for (Index t = chunk * n / chunks; t < (chunk + 1) * n / chunks; ++t) {
      const Index i = own.first + t;
      const double largest = largest_finite(b.row(i), b.cols);
      here.any = std::max(here.any, largest);
      if (takes_part(problem, i)) here.taking_part = std::max(here.taking_part, largest);
    }
    parts[to_size(chunk)] = here;
  });
  Largest largest;
  for (const Largest& p : parts) {
    largest.any = std::max(largest.any, p.any);
    largest.taking_part = std::max(largest.taking_part, p.taking_part);
  }
  if (!std::isfinite(largest_of_ranks(A, largest.any))) {
    const auto bad = first_of_ranks(A, first_nonfinite_rhs(problem));
    refuse_value("b, row " + std::to_string(bad->row + 1), bad->value);
  }
  return largest_of_ranks(A, largest.taking_part);
}

// √ of the largest ridge: its rows are scaled with A.
double root_of_ridge(const Problem& problem) {
  double largest = 0.0;
  for (Index j = 0; j < problem.cols() && problem.ridge() > 0.0; ++j)
    largest = std::max(largest, problem.ridge(j));
  return std::sqrt(largest);
}

// The largest part of A·x that the bounds force: it takes part in the residual as b does.
double forced_by_bounds(const Problem& problem, const MatrixFacts& facts) {
  double largest = 0.0;
  for (Index j = 0; j < problem.cols() && problem.has_bounds(); ++j) {
    const std::size_t k = to_size(j);
    const double x = std::max({0.0, problem.lower()[k], -problem.upper()[k]});
    const double part = x == 0.0 ? 0.0 : x * (facts.column_norms[k] / facts.scale.a);
    if (std::isfinite(part)) largest = std::max(largest, part);
  }
  return largest;
}

// One scale for A can be so small that squares of a much smaller column underflow: such columns
// are measured again in larger units, in which the others may overflow. At most three windows of
// exponents cover all doubles.
void measure_small_columns(const Problem& problem, Products& products, MatrixFacts& facts,
                           std::vector<double>& columns2) {
  constexpr double smallest = 0x1p-800;  // squares below it may have lost digits
  constexpr int step = 800, max_scale = 1000;
  const int scale_exponent = std::ilogb(facts.scale.a);
  std::vector<double>& norms = facts.column_norms;
  for (int exponent = scale_exponent + step; exponent < max_scale + step; exponent += step) {
    const auto lost = [&](double v) { return v > 0.0 && v < smallest; };
    if (std::none_of(columns2.begin(), columns2.end(), lost)) return;
    const double scale = std::ldexp(1.0, std::min(exponent, max_scale));
    const std::vector<double> again = read_norms(problem, products, scale, nullptr).columns;
    facts.rows_read += static_cast<double>(problem.A().rows());
    for (std::size_t j = 0; j < columns2.size(); ++j) {
      if (!lost(columns2[j])) continue;
      columns2[j] = again[j];
      norms[j] = std::max(std::ldexp(std::sqrt(again[j]), scale_exponent - std::ilogb(scale)),
                          std::numeric_limits<double>::min());
    }
  }
}

// A nonzero row with a positive weight keeps a positive norm: underflow must not make it zero.
void apply_weights(std::span<const double> weights, std::span<double> norms2) {
  for (std::size_t i = 0; i < norms2.size(); ++i) {
    const bool counts = norms2[i] > 0.0 && weights[i] > 0.0;
    norms2[i] = counts ? std::max(norms2[i] * weights[i], std::numeric_limits<double>::min()) : 0.0;
  }
}

// All values are finite and A is scaled, so only weights can cause an overflow here.
void check_weighted(const MatrixFacts& facts) {
  bool finite = std::isfinite(facts.frobenius2);
  for (double v : facts.b_norms) finite = finite && std::isfinite(v);
  if (finite) return;
  throw Error(ErrorCode::bad_data,
              {.what = "the weighted sum of squares overflows",
               .where = "weights",
               .hint = "divide all weights, and the ridge term, by one large number"});
}

// The largest |b_ic| of column c, of the rows that take part.
double largest_of_column(const Problem& problem, Index c) {
  const Partition own = partition(problem.A());
  double largest = 0.0;
  for (Index i = own.first; i < own.first + own.rows->rows(); ++i)
    if (takes_part(problem, i)) largest = std::max(largest, std::abs(problem.b()(i, c)));
  return largest_of_ranks(problem.A(), largest);
}

// One scale serves all right-hand sides: the squared residual of one that is far smaller than the
// others would be 0, and pass every test. `forced` takes part in all residuals.
double scale_of_rhs(const Problem& problem, double largest_of_b, double forced) {
  constexpr double smallest = 0x1p-400;
  const double size = std::max(largest_of_b, forced);
  double scale = power_of_two_for(size);
  const Index columns = problem.right_hand_sides();
  for (Index c = 0; c < columns && columns > 1; ++c) {
    const double largest = largest_of_column(problem, c), own = std::max(largest, forced);
    if (largest == 0.0) continue;
    if (own < smallest * size)
      throw Error(
          ErrorCode::bad_data,
          {.what = "right-hand sides of so different sizes cannot be solved together",
           .where = "b, column " + std::to_string(c + 1),
           .found = fmt::format("numbers up to {:.1e} beside {:.1e}", largest, largest_of_b),
           .expected = "sizes within a factor of 1e120",
           .hint = "solve for this column alone, or divide the others by a large number"});
    if (own * scale < smallest) scale = std::ldexp(1.0, -exponent_of(size));
  }
  return scale;
}

void read_rhs(const Problem& problem, MatrixFacts& facts) {
  const ConstView b = problem.b();
  facts.b_norms.assign(to_size(b.cols), 0.0);
  const Partition own = partition(problem.A());
  for (Index i = own.first; i < own.first + own.rows->rows(); ++i) {
    const double w = problem.weights().empty() ? 1.0 : problem.weights()[to_size(i)];
    bool any = false;
    for (Index c = 0; c < b.cols; ++c) {
      const double v = facts.scale.b * b(i, c);
      facts.b_norms[to_size(c)] += w * v * v;
      any = any || (w > 0.0 && b(i, c) != 0.0);
    }
    if (facts.norms2[to_size(i)] == 0.0) {
      ++facts.zero_rows;
      facts.zero_rows_with_rhs += any;
    }
  }
  double counts[] = {static_cast<double>(facts.zero_rows),
                     static_cast<double>(facts.zero_rows_with_rhs)};
  communicator(problem.A()).sum(counts);
  facts.zero_rows = static_cast<Index>(counts[0]);
  facts.zero_rows_with_rhs = static_cast<Index>(counts[1]);
  communicator(problem.A()).sum(facts.b_norms);
  for (double& v : facts.b_norms) v = std::sqrt(v);
}

}  // namespace

MatrixFacts gather_facts(const Problem& problem, ThreadTeam& team, RowSums* sums) {
  MatrixFacts facts;
  facts.sums = sums;
  const RowMatrix& A = problem.A();
  Products products(A, {}, {}, team);
  Norms norms = read_norms(problem, products, 1.0, sums);
  facts.rows_read = static_cast<double>(A.rows());
  if (!in_range(problem, own_part(A, norms.rows), team)) {
    facts.scale.a = power_of_two_for(std::max(max_abs(problem, products), root_of_ridge(problem)));
    norms = read_norms(problem, products, facts.scale.a, sums);
    facts.rows_read *= 3.0;
  }
  const double largest_of_b = max_abs_of_rhs(problem, team);
  facts.norms2 = std::move(norms.rows);
  const std::span<double> own = own_part(A, facts.norms2);
  if (const std::span<const double> weights = problem.weights(); !weights.empty())
    apply_weights(weights.subspan(to_size(partition(A).first), own.size()), own);
  // Summed in row order, so that zero rows do not change the bits of the sum.
  facts.frobenius2 = sum_in_row_order(A, own);
  for (std::size_t j = 0; j < norms.columns.size(); ++j)
    if (norms.columns[j] == 0.0) facts.zero_columns.push_back(static_cast<Index>(j));
  for (const double v : norms.columns) facts.column_norms.push_back(std::sqrt(v));
  measure_small_columns(problem, products, facts, norms.columns);
  facts.scale.b = scale_of_rhs(problem, largest_of_b, forced_by_bounds(problem, facts));
  read_rhs(problem, facts);
  check_weighted(facts);
  return facts;
}

}  // namespace polyak::internal
