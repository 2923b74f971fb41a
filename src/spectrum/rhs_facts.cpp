#include "spectrum/rhs_facts.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/file_pages.hpp"
#include "matrix/rank_rows.hpp"
#include "polyak/ranks.hpp"
#include "spectrum/finite_values.hpp"

namespace polyak {
namespace {

// The first right-hand side among the rows of this rank that is not finite.
std::optional<Place> first_nonfinite_rhs(const Problem& problem) {
  const Partition own = partition(problem.A());
  const ConstView b = problem.b();
  for (Index i = own.first; i < own.first + own.rows->rows(); ++i)
    for (Index c = 0; c < b.cols; ++c)
      if (!std::isfinite(b(i, c))) return Place{i, c, b(i, c)};
  return std::nullopt;
}

// The largest |b_ic| of column c, of the rows that take part.
double largest_of_column(const Problem& problem, Index c) {
  const Partition own = partition(problem.A());
  const ConstView b = problem.b();
  double largest = 0.0;
  PagesBehind behind(b.data, to_size(b.stride) * sizeof(double), own.first);
  for (Index i = own.first; i < own.first + own.rows->rows(); ++i) {
    if (takes_part(problem, i)) largest = std::max(largest, std::abs(b(i, c)));
    behind.used_up_to(i);
  }
  return largest_of_ranks(problem.A(), largest);
}

}  // namespace

double max_abs_of_rhs(const Problem& problem, ThreadTeam& team) {
  const RowMatrix& A = problem.A();
  const ConstView b = problem.b();
  const Partition own = partition(A);
  const Index n = own.rows->rows(), chunks = std::clamp<Index>(n / 16384, 1, 64);
  std::vector<Largest> parts(to_size(chunks));
  team.run(chunks, [&](Index chunk) {
    Largest here;
    const Index begin = own.first + chunk * n / chunks, end = own.first + (chunk + 1) * n / chunks;
    PagesBehind behind(b.data, to_size(b.stride) * sizeof(double), begin),
        weights_behind(problem.weights().data(), sizeof(double), begin);
    for (Index i = begin; i < end; ++i) {
      const double largest = largest_finite(b.row(i), b.cols);
      here.any = std::max(here.any, largest);
      if (takes_part(problem, i)) here.taking_part = std::max(here.taking_part, largest);
      behind.used_up_to(i);
      weights_behind.used_up_to(i);
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

// One scale serves all right-hand sides: the squared residual of one that is far smaller than the
// others would be 0, and pass every test.
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
  PagesBehind behind(b.data, to_size(b.stride) * sizeof(double), own.first),
      weights_behind(problem.weights().data(), sizeof(double), own.first);
  for (Index i = own.first; i < own.first + own.rows->rows(); ++i) {
    const double w = problem.weights().empty() ? 1.0 : problem.weights()[to_size(i)];
    bool any = false;
    for (Index c = 0; c < b.cols; ++c) {
      const double v = facts.scale.b * b(i, c);
      facts.b_norms[to_size(c)] += w * v * v;
      any = any || (w > 0.0 && b(i, c) != 0.0);
    }
    if (!facts.blocks && facts.norms2[to_size(i)] == 0.0) {
      ++facts.zero_rows;
      facts.zero_rows_with_rhs += any;
    }
    behind.used_up_to(i);
    weights_behind.used_up_to(i);
  }
  double counts[] = {static_cast<double>(facts.zero_rows),
                     static_cast<double>(facts.zero_rows_with_rhs)};
  communicator(problem.A()).sum(counts);
  facts.zero_rows = static_cast<Index>(counts[0]);
  facts.zero_rows_with_rhs = static_cast<Index>(counts[1]);
  communicator(problem.A()).sum(facts.b_norms);
  for (double& v : facts.b_norms) v = std::sqrt(v);
}

}  // namespace polyak
