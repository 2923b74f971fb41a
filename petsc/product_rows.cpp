// A matrix that is only given by its products: MATNEST, MATTRANSPOSEVIRTUAL, MATSHELL, MATNORMAL,
// MATBAIJ and every other type with MatMult and MatMultTranspose. Both products are collective
// and use all rows; so is every operation below. Operations on single rows do not exist.

#include <algorithm>
#include <cmath>
#include <limits>

#include "petsc_matrices.hpp"
#include "polyak/error.hpp"

namespace polyak::petsc {
namespace {

// Numbers of mean 0 and variance 1 that depend on their place only, not on the process that owns
// it; uniform on [-√3, √3], without zeros, so that their products with a row do not cancel.
double probe(Index place, Index which) {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(8 * place + which + 1);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  h ^= h >> 31;
  return std::sqrt(3.0) * ((static_cast<double>(h >> 11) + 0.5) * 0x1.0p-52 - 1.0);
}

// v², but not zero by underflow.
double square(double v) {
  return v == 0.0 ? 0.0 : std::max(v * v, std::numeric_limits<double>::min());
}

bool has_transposed(Mat A) {
  PetscBool has = PETSC_FALSE, known = PETSC_FALSE, symmetric = PETSC_FALSE;
  checked(MatHasOperation(A, MATOP_MULT_TRANSPOSE, &has));
  if (has) return true;
  checked(MatIsSymmetricKnown(A, &known, &symmetric));
  if (known && symmetric) return false;
  MatType type = nullptr;
  checked(MatGetType(A, &type));
  throw Error(ErrorCode::usage,
              {.what = "least squares need products with A transposed, and this matrix has none",
               .where = "A",
               .found = std::string("type ") + (type ? type : "unknown"),
               .expected = "MatMultTranspose, or a symmetric matrix",
               .hint = "set MATOP_MULT_TRANSPOSE, or MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE) "
                       "where A is symmetric"});
}

class ProductRows final : public RowMatrix {
 public:
  explicit ProductRows(Mat A) : A_(A), transposed_(has_transposed(A)) {
    PetscInt rows = 0, cols = 0;
    checked(MatGetSize(A, nullptr, &cols));
    cols_ = cols;
    checked(MatCreateVecs(A, &x_, &y_));
    checked(VecGetLocalSize(y_, &rows));
    rows_ = rows;
    checked(VecGetOwnershipRange(y_, &first_row_, nullptr));
    checked(VecGetOwnershipRange(x_, &first_, &last_));
    checked(PetscObjectReference(reinterpret_cast<PetscObject>(A)));
  }
  ~ProductRows() override {
    static_cast<void>(VecDestroy(&x_));
    static_cast<void>(VecDestroy(&y_));
    static_cast<void>(MatDestroy(&A_));
  }
  ProductRows(const ProductRows&) = delete;
  ProductRows& operator=(const ProductRows&) = delete;

  Index rows() const override { return rows_; }
  Index cols() const override { return cols_; }
  Index nonzeros() const override { return rows_ * cols_; }
  double bytes() const override { return 8.0 * static_cast<double>(nonzeros()); }
  std::string kind() const override { return "products by MatMult"; }
  bool only_products() const override { return true; }

  void multiply(Index, Index, ConstView x, View y) const override {
    for (Index c = 0; c < x.rows; ++c) {
      fill(x_, [&](Index j) { return x(c, first_ + j); });
      checked(MatMult(A_, x_, y_));
      read(y_, [&](Index i, double v) { y(i, c) = v; });
    }
  }

  void add_transposed(Index, Index, ConstView y, View g) const override {
    for (Index c = 0; c < g.rows; ++c) {
      fill(y_, [&](Index i) { return y(i, c); });
      add_product(1.0, g.row(c));
    }
  }

  void range_gradient(Index, Index, std::span<const double> weights, Scale scale, ConstView x,
                      ConstView b, View g, std::span<double> residual2) const override {
    std::vector<double> r(to_size(rows_));
    for (Index c = 0; c < x.rows; ++c) {
      fill(x_, [&](Index j) { return x(c, first_ + j); });
      checked(MatMult(A_, x_, y_));
      read(y_, [&](Index i, double v) {
        const double w = weights.empty() ? 1.0 : weights[to_size(i)];
        const double residual = scale.b * (v - b(i, c));
        r[to_size(i)] = w * residual;
        if (!residual2.empty()) residual2[to_size(c)] += w * residual * residual;
      });
      fill(y_, [&](Index i) { return r[to_size(i)]; });
      add_product(scale.a, g.row(c));
    }
  }

  // Exact for up to max_exact_columns, column by column; otherwise estimated with random probes z:
  // the mean of (a·z)² is ‖a‖².
  void norms(Index, Index, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    std::fill(row_norms2.begin(), row_norms2.end(), 0.0);
    const bool exact = cols_ <= max_exact_columns;
    const Index products = exact ? cols_ : probes;
    const double weight = exact ? 1.0 : 1.0 / static_cast<double>(probes);
    for (Index k = 0; k < products; ++k) {
      fill(x_, [&](Index j) { return exact ? double(first_ + j == k) : probe(first_ + j, k); });
      checked(MatMult(A_, x_, y_));
      read(y_, [&](Index i, double v) {
        row_norms2[to_size(i)] += weight * square(scale * v);
        if (exact && !column_norms2.empty()) column_norms2[to_size(k)] += square(scale * v);
      });
    }
    if (exact || column_norms2.empty()) return;
    for (Index k = 0; k < probes; ++k) {
      fill(y_, [&](Index i) { return probe(first_row_ + i, k); });
      multiply_transposed();
      read(x_, [&](Index j, double v) {
        column_norms2[to_size(first_ + j)] += weight * square(scale * v);
      });
    }
  }

  // The largest norm of a row: a bound on its entries, sufficient for the choice of a scale.
  double max_abs(Index first, Index last) const override {
    std::vector<double> norms2(to_size(rows_));
    norms(first, last, 1.0, norms2, {});
    double largest = 0.0;
    for (double v : norms2)
      if (!std::isnan(largest) && !(v <= largest)) largest = v;
    return std::sqrt(largest);
  }

  void gradient(std::span<const Index>, std::span<const double>, Scale, ConstView, ConstView,
                View) const override {
    refuse();
  }
  void kaczmarz(std::span<const Index>, std::span<const double>, double, ConstView,
                View) const override {
    refuse();
  }
  void copy_rows(Index, Index, View) const override { refuse(); }

 private:
  static constexpr Index max_exact_columns = 16, probes = 4;

  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::internal, {.what = "a matrix of products was asked for a row"});
  }

  template <class Value>
  static void fill(Vec v, Value value) {
    PetscInt n = 0;
    PetscScalar* to = nullptr;
    checked(VecGetLocalSize(v, &n));
    checked(VecGetArrayWrite(v, &to));
    for (PetscInt i = 0; i < n; ++i) to[i] = value(i);
    checked(VecRestoreArrayWrite(v, &to));
  }

  template <class Use>
  static void read(Vec v, Use use) {
    PetscInt n = 0;
    const PetscScalar* from = nullptr;
    checked(VecGetLocalSize(v, &n));
    checked(VecGetArrayRead(v, &from));
    for (PetscInt i = 0; i < n; ++i) use(i, from[i]);
    checked(VecRestoreArrayRead(v, &from));
  }

  void multiply_transposed() const {  // x_ = A'y_
    checked(transposed_ ? MatMultTranspose(A_, y_, x_) : MatMult(A_, y_, x_));
  }

  // g += factor·A'y_ on the columns of this process; sums over processes add the others.
  void add_product(double factor, double* g) const {
    multiply_transposed();
    read(x_, [&](Index j, double v) { g[first_ + j] += factor * v; });
  }

  Mat A_;
  bool transposed_;
  Index rows_ = 0, cols_ = 0;
  PetscInt first_row_ = 0, first_ = 0, last_ = 0;
  mutable Vec x_ = nullptr, y_ = nullptr;  // of the current product
};

}  // namespace

MatrixPtr product_rows(Mat A) { return std::make_shared<ProductRows>(A); }

}  // namespace polyak::petsc
