#include "spectrum/facts.hpp"

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
#include "spectrum/finite_values.hpp"
#include "spectrum/rhs_facts.hpp"
#include "spectrum/row_norms.hpp"

namespace polyak {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

// The part of `numbers` (one per row) that belongs to the rows of this rank.
std::span<double> own_part(const RowMatrix& A, RowNumbers& numbers) {
  const Partition own = partition(A);
  return std::span(numbers).subspan(to_size(own.first), to_size(own.rows->rows()));
}

// The largest of them, infinity where one is not finite: in chunks on the threads of the team.
double largest_of_all(std::span<const double> values, ThreadTeam& team) {
  const Index n = std::ssize(values), chunks = std::clamp<Index>(n / 16384, 1, 64);
  std::vector<double> parts(to_size(chunks), 0.0);
  team.run(chunks, [&](Index chunk) {
    const Index first = chunk * n / chunks, last = (chunk + 1) * n / chunks;
    parts[to_size(chunk)] = largest_finite(values.data() + first, last - first);
  });
  return *std::max_element(parts.begin(), parts.end());
}

// Of squared norms: whether all values are finite, and those that take part need no scaling.
bool norms_in_range(double largest, double largest_taking_part) {
  if (!(largest < infinity)) return false;
  return largest_taking_part == 0.0 ||
         std::abs(std::ilogb(largest_taking_part)) <= 2 * safe_exponent;
}

// The same of all rows. Sets the norms of those that take no part to 0.
bool in_range(const Problem& problem, std::span<double> own, ThreadTeam& team) {
  const RowMatrix& A = problem.A();
  const double largest = largest_of_ranks(A, largest_of_all(own, team));
  if (!(largest < infinity) || problem.weights().empty()) return norms_in_range(largest, largest);
  const Index first = partition(A).first;
  for (Index i = 0; i < std::ssize(own); ++i)
    if (!takes_part(problem, first + i)) own[to_size(i)] = 0.0;
  return norms_in_range(largest, largest_of_ranks(A, largest_of_all(own, team)));
}

// Reads A for its norms: those of all rows, or sums of them.
class NormReader {
 public:
  NormReader(const Problem& problem, ThreadTeam& team, RowSums* sums, Index most_kept)
      : problem_(problem),
        products_(problem.A(), {}, {}, team),
        sums_(sums),
        keeps_(sums != nullptr || problem.A().only_products() ||
               partition(problem.A()).ranks() > 1 || problem.rows() <= most_kept) {}

  Products& products() { return products_; }

  void read(double scale) {
    if (keeps_)
      kept_ = read_norms(problem_, products_, scale, sums_);
    else
      summed_ = sum_norms(problem_, products_, scale);
  }

  std::vector<double> columns_at(double scale) {
    return keeps_ ? read_norms(problem_, products_, scale, nullptr).columns
                  : sum_norms(problem_, products_, scale).columns;
  }

  bool usable() {
    return keeps_ ? in_range(problem_, own_part(problem_.A(), kept_.rows), products_.team())
                  : norms_in_range(summed_.largest, summed_.largest_taking_part);
  }

  // What there is of rows; returns the squared norms of columns.
  std::vector<double> give_rows_to(MatrixFacts& facts) {
    if (!keeps_) {
      facts.frobenius2 = summed_.sum;
      facts.zero_rows = summed_.zero_rows;
      facts.zero_rows_with_rhs = summed_.zero_rows_with_rhs;
      facts.blocks = std::move(summed_.blocks);
      return std::move(summed_.columns);
    }
    facts.norms2 = std::move(kept_.rows);
    const std::span<double> own = own_part(problem_.A(), facts.norms2);
    if (const std::span<const double> weights = problem_.weights(); !weights.empty())
      apply_weights(weights.subspan(to_size(partition(problem_.A()).first), own.size()), own);
    // Summed in row order, so that zero rows do not change the bits of the sum.
    facts.frobenius2 = sum_in_row_order(problem_.A(), own);
    return std::move(kept_.columns);
  }

 private:
  const Problem& problem_;
  Products products_;
  RowSums* const sums_;
  const bool keeps_;
  Norms kept_;
  NormSums summed_;
};

// For rows [first, last): the largest |a_ij|, NaN if one is.
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
void measure_small_columns(const Problem& problem, NormReader& reader, MatrixFacts& facts,
                           std::vector<double>& columns2) {
  constexpr double smallest = 0x1p-800;  // squares below it may have lost digits
  constexpr int step = 800, max_scale = 1000;
  const int scale_exponent = std::ilogb(facts.scale.a);
  std::vector<double>& norms = facts.column_norms;
  for (int exponent = scale_exponent + step; exponent < max_scale + step; exponent += step) {
    const auto lost = [&](double v) { return v > 0.0 && v < smallest; };
    if (std::none_of(columns2.begin(), columns2.end(), lost)) return;
    const double scale = std::ldexp(1.0, std::min(exponent, max_scale));
    const std::vector<double> again = reader.columns_at(scale);
    facts.rows_read += static_cast<double>(problem.A().rows());
    for (std::size_t j = 0; j < columns2.size(); ++j) {
      if (!lost(columns2[j])) continue;
      columns2[j] = again[j];
      norms[j] = std::max(std::ldexp(std::sqrt(again[j]), scale_exponent - std::ilogb(scale)),
                          std::numeric_limits<double>::min());
    }
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

}  // namespace

MatrixFacts gather_facts(const Problem& problem, ThreadTeam& team, RowSums* sums, Index most_kept) {
  MatrixFacts facts;
  facts.sums = sums;
  const RowMatrix& A = problem.A();
  NormReader reader(problem, team, sums, most_kept);
  reader.read(1.0);
  facts.rows_read = static_cast<double>(A.rows());
  if (!reader.usable()) {
    facts.scale.a =
        power_of_two_for(std::max(max_abs(problem, reader.products()), root_of_ridge(problem)));
    reader.read(facts.scale.a);
    facts.rows_read *= 3.0;
  }
  const double largest_of_b = max_abs_of_rhs(problem, team);
  std::vector<double> columns2 = reader.give_rows_to(facts);
  for (std::size_t j = 0; j < columns2.size(); ++j)
    if (columns2[j] == 0.0) facts.zero_columns.push_back(static_cast<Index>(j));
  for (const double v : columns2) facts.column_norms.push_back(std::sqrt(v));
  measure_small_columns(problem, reader, facts, columns2);
  facts.scale.b = scale_of_rhs(problem, largest_of_b, forced_by_bounds(problem, facts));
  read_rhs(problem, facts);
  check_weighted(facts);
  return facts;
}

}  // namespace polyak
