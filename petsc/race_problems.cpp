#include "race_problems.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <type_traits>

#include "polyak/generate.hpp"
#include "polyak/ranks.hpp"
#include "polyak_petsc.h"

namespace polyak::race {
namespace {

// As a user of MatRowBatchGradient_C would write it: each row is read once, in order.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("avx512f", "avx2,fma", "default")))
#endif
double
add_row_gradient(const double* a, const double* x, double b, double w, Index d, double* g) {
  double r = -b;
#pragma omp simd reduction(+ : r)
  for (Index j = 0; j < d; ++j) r += a[j] * x[j];
  const double factor = w * r;
#pragma omp simd
  for (Index j = 0; j < d; ++j) g[j] += factor * a[j];
  return w * r * r;
}

PetscErrorCode row_gradient(Mat A, PetscInt count, const PetscInt rows[], const PetscReal weights[],
                            const PetscScalar x[], const PetscScalar b[], PetscScalar g[],
                            PetscReal* residual2) {
  constexpr PetscInt ahead = 12;
  void* context = nullptr;
  PetscCall(MatShellGetContext(A, &context));
  const auto& problem = *static_cast<const RaceProblem*>(context);
  const Index cols = problem.own->cols();
  const auto row = [&](PetscInt t) {
    return problem.values->data() + (rows[t] - problem.first) * cols;
  };
  double sum = 0.0;
  for (PetscInt t = 0; t < count; ++t) {
    if (t + ahead < count)
      for (Index j = 0; j < cols; j += 8) __builtin_prefetch(row(t + ahead) + j, 0, 2);
    sum += add_row_gradient(row(t), x, b[t], weights[t], cols, g);
  }
  if (residual2) *residual2 += sum;
  return 0;
}

void fill(Vec v, ConstView values) {
  PetscInt first = 0, last = 0;
  PetscScalar* to = nullptr;
  checked(VecGetOwnershipRange(v, &first, &last));
  checked(VecGetArrayWrite(v, &to));
  for (PetscInt i = first; i < last; ++i) to[i - first] = values(i, 0);
  checked(VecRestoreArrayWrite(v, &to));
}

// The sparse problems.

using Row = std::map<PetscInt, double>;

// Rotations of disjoint pairs of columns; if their number is odd one column remains as it is.
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

  Row rotated(const Row& row) const {
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

// Depends on i only, so that it is the same for any number of ranks.
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
    return second.rotated(first.rotated(row));
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

RowRange rows_here(Index rows) {
  PetscMPIInt rank = 0, ranks = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  return even_share(rows, rank, ranks);
}

void destroy(RaceProblem& problem) {
  checked(VecDestroy(&problem.b));
  checked(VecDestroy(&problem.x));
  checked(MatDestroy(&problem.A));
  problem = {};
}

// Every rank generates the whole problem and keeps its own rows.
RaceProblem paper_problem(Index rows, Index cols, double noise) {
  SpectrumProblem spectrum{
      .rows = rows, .cols = cols, .decay = Decay::algebraic, .kappa = 100.0, .rho = 1.0};
  // |Ax| is about √(Σ sigma²) = √(d(kappa+1)/2) for normal x.
  const double size = std::sqrt(static_cast<double>(cols) * 50.5);
  const GeneratedProblem made =
      generate(spectrum, {.seed = 1, .noise = noise * size, .threads = 1});
  const RowRange range = rows_here(rows);
  const Index here = range.last - range.first;
  RaceProblem out;
  out.first = range.first;
  out.values = std::make_shared<std::vector<double>>(static_cast<std::size_t>(here * cols));
  made.A->copy_rows(range.first, range.last, {out.values->data(), here, cols, cols});
  out.own = dense_view(ConstView{out.values->data(), here, cols, cols}, out.values);
  for (Index i = range.first; i < range.last; ++i) out.own_b.push_back(made.b(i));
  checked(MatCreatePolyakRows(PETSC_COMM_WORLD, here, rows, cols, out.values->data(), &out.A));
  checked(MatCreateVecs(out.A, &out.x, &out.b));
  fill(out.b, made.b.view());
  fill(out.x, made.x_least_squares.view());
  return out;
}

Mat users_shell(const RaceProblem& problem) {
  Mat A = nullptr;
  PetscInt rows = 0, cols = 0;
  checked(MatGetSize(problem.A, &rows, &cols));
  checked(MatCreateShell(PETSC_COMM_WORLD, problem.own->rows(), PETSC_DECIDE, rows, cols,
                         const_cast<RaceProblem*>(&problem), &A));
  checked(MatSetUp(A));
  checked(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(A), "MatRowBatchGradient_C",
                                     row_gradient));
  return A;
}

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
