#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <type_traits>

#include "polyak/generate.hpp"
#include "race_problems.hpp"

namespace polyak::race {
namespace {

using Row = std::map<PetscInt, double>;

// Rotates disjoint pairs of columns, all of them but one at most.
class Rotations {
 public:
  Rotations(Index cols, std::uint64_t seed)
      : other_(static_cast<std::size_t>(cols)),
        cosine_(other_.size(), 1.0),
        sine_(other_.size(), 0.0) {
    std::iota(other_.begin(), other_.end(), PetscInt{0});
    std::vector<PetscInt> order = other_;
    std::mt19937_64 random(seed);
    std::shuffle(order.begin(), order.end(), random);
    std::uniform_real_distribution<double> angle(0.25 * M_PI, 0.75 * M_PI);
    for (std::size_t k = 0; k + 1 < order.size(); k += 2) {
      const auto a = static_cast<std::size_t>(order[k]), b = static_cast<std::size_t>(order[k + 1]);
      const double phi = angle(random);
      other_[a] = order[k + 1];
      other_[b] = order[k];
      cosine_[a] = cosine_[b] = std::cos(phi);
      sine_[a] = std::sin(phi);
      sine_[b] = -sine_[a];
    }
  }

  Row turned(const Row& row) const {
    Row out;
    for (const auto& [column, value] : row) {
      const auto j = static_cast<std::size_t>(column);
      out[column] += cosine_[j] * value;
      if (sine_[j] != 0.0) out[other_[j]] += sine_[j] * value;
    }
    return out;
  }

 private:
  std::vector<PetscInt> other_;
  std::vector<double> cosine_, sine_;
};

// Any number of ranks, the same row.
Row random_row(Index i, Index cols, Index entries) {
  std::mt19937_64 random(static_cast<std::uint64_t>(i));
  std::normal_distribution<double> normal;
  Row row;
  while (std::ssize(row) < std::min(entries, cols))
    row[static_cast<PetscInt>(random() % static_cast<std::uint64_t>(cols))] = 0.0;
  for (auto& [column, value] : row) value = normal(random);
  return row;
}

struct Spread {
  std::vector<double> sizes;  // the diagonal of D
  Rotations first, second;

  Row operator()(Row row) const {
    for (auto& [column, value] : row) value *= sizes[static_cast<std::size_t>(column)];
    return second.turned(first.turned(row));
  }
};

Spread spread(Index cols, double condition) {
  std::vector<double> sizes = squared_singular_values(
      {.rows = cols, .cols = cols, .decay = Decay::algebraic, .kappa = condition, .rho = 1.0});
  for (double& size : sizes) size = std::sqrt(size);
  return {std::move(sizes), Rotations(cols, 1), Rotations(cols, 2)};
}

using Column = std::conditional_t<sizeof(PetscInt) == 4, std::int32_t, Index>;

void make_matrix(Index rows, Index cols, Index entries, double condition, RaceProblem& out) {
  const RowRange range = rows_here(rows);
  const Spread change = spread(cols, condition);
  std::vector<PetscInt> starts{0};
  Csr<double, Column> own{{0}, {}, {}, cols};
  for (Index i = range.first; i < range.last; ++i) {
    const Row row = condition > 1.0 ? change(random_row(i, cols, std::max<Index>(1, entries / 4)))
                                    : random_row(i, cols, entries);
    for (const auto& [column, value] : row) {
      own.columns.push_back(column);
      own.values.push_back(value);
    }
    own.row_start.push_back(std::ssize(own.values));
    starts.push_back(static_cast<PetscInt>(own.values.size()));
  }
  checked(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, range.last - range.first, PETSC_DECIDE, rows,
                                    cols, starts.data(), own.columns.data(), own.values.data(),
                                    &out.A));
  out.own = csr_matrix(std::move(own));
}

}  // namespace

RaceProblem sparse_problem(Index rows, Index cols, Index entries, double condition) {
  RaceProblem out;
  make_matrix(rows, cols, entries, condition, out);
  checked(MatCreateVecs(out.A, &out.x, &out.b));
  PetscInt first = 0, last = 0;
  PetscScalar* x = nullptr;
  checked(VecGetOwnershipRange(out.x, &first, &last));
  checked(VecGetArrayWrite(out.x, &x));
  for (PetscInt j = first; j < last; ++j) {
    std::mt19937_64 random(0x5eedull + static_cast<std::uint64_t>(j));
    x[j - first] = std::normal_distribution<double>()(random);
  }
  checked(VecRestoreArrayWrite(out.x, &x));
  checked(MatMult(out.A, out.x, out.b));
  const PetscScalar* b = nullptr;
  checked(VecGetArrayRead(out.b, &b));
  out.own_b.assign(b, b + out.own->rows());
  checked(VecRestoreArrayRead(out.b, &b));
  return out;
}

}  // namespace polyak::race
