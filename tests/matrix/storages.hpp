#pragma once

// One matrix in every storage there is, and operands that are not contiguous.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "linalg/eigen_views.hpp"
#include "polyak/matrices.hpp"

namespace polyak::test {
using namespace polyak::internal;

/// Normal entries that a float can hold, about `zeros` of ten of them zero, and
/// every third row empty then.
inline Matrix sparse_normal(Index rows, Index cols, std::uint64_t seed, int zeros = 5) {
  Matrix A = normal(rows, cols, seed);
  const Random random(seed, 99);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const bool zero = random.bits(to_size(i), to_size(j)) % 10 < static_cast<unsigned>(zeros);
      const bool empty_row = zeros > 0 && i % 3 == 1;
      A(i, j) = zero || empty_row ? 0.0 : static_cast<double>(static_cast<float>(A(i, j)));
    }
  }
  return A;
}

template <class Value, class Column>
Csr<Value, Column> compressed(const Matrix& A) {
  Csr<Value, Column> csr;
  csr.cols = A.cols();
  csr.row_start = {0};
  for (Index i = 0; i < A.rows(); ++i) {
    for (Index j = 0; j < A.cols(); ++j) {
      if (A(i, j) == 0.0) continue;
      csr.columns.push_back(static_cast<Column>(j));
      csr.values.push_back(static_cast<Value>(A(i, j)));
    }
    csr.row_start.push_back(ssize(csr.values));
  }
  return csr;
}

template <class Value>
std::vector<Value> values(const Matrix& A) {
  std::vector<Value> out;
  for (Index k = 0; k < A.size(); ++k) out.push_back(static_cast<Value>(A.data()[k]));
  return out;
}

/// Rows with `gap` numbers between them, starting one number into the memory:
/// on no boundary a vector unit would like. The gaps hold NaN.
template <class Value>
MatrixPtr strided(const Matrix& A, Index gap) {
  const Index stride = A.cols() + gap;
  auto memory = std::make_shared<std::vector<Value>>(to_size(A.rows() * stride + 1),
                                                     std::numeric_limits<Value>::quiet_NaN());
  const MatrixView<Value> view{memory->data() + 1, A.rows(), A.cols(), stride};
  for (Index i = 0; i < A.rows(); ++i)
    for (Index j = 0; j < A.cols(); ++j) view(i, j) = static_cast<Value>(A(i, j));
  return dense_view(MatrixView<const Value>(view), memory);
}

template <class Value, class Column>
MatrixPtr csr_viewed(const Matrix& A) {
  auto owner = std::make_shared<const Csr<Value, Column>>(compressed<Value, Column>(A));
  return csr_view<Value, Column>(owner->row_start, owner->columns, owner->values, owner->cols,
                                 owner);
}

struct Stored {
  std::string name;
  MatrixPtr A;
};

inline std::vector<Stored> storages(const Matrix& A) {
  return {{"dense double", dense_matrix(values<double>(A), A.rows(), A.cols())},
          {"dense float", dense_matrix(values<float>(A), A.rows(), A.cols())},
          {"strided double", strided<double>(A, 3)},
          {"strided float", strided<float>(A, 1)},
          {"unaligned double", strided<double>(A, 0)},
          {"csr double 32", csr_matrix(compressed<double, std::int32_t>(A))},
          {"csr double 64", csr_matrix(compressed<double, Index>(A))},
          {"csr float 32", csr_matrix(compressed<float, std::int32_t>(A))},
          {"csr float 64", csr_matrix(compressed<float, Index>(A))},
          {"csr view double 32", csr_viewed<double, std::int32_t>(A)},
          {"csr view float 64", csr_viewed<float, Index>(A)}};
}

/// A block whose rows do not follow each other in memory, as an operand.
class Padded {
 public:
  explicit Padded(const Matrix& m)
      : rows_(m.rows()), cols_(m.cols()), memory_(-7.0 * Matrix::Ones(rows_, cols_ + 2)) {
    memory_.leftCols(cols_) = m;
  }
  View view() { return {memory_.data(), rows_, cols_, cols_ + 2}; }
  Matrix matrix() const { return memory_.leftCols(cols_); }
  /// Whether the memory between the rows is still as it was.
  bool intact() const { return (memory_.rightCols(2).array() == -7.0).all(); }

 private:
  Index rows_, cols_;
  Matrix memory_;
};

/// |m|, for bounds that go through a computation entry by entry.
inline Matrix absolute(const Matrix& m) { return m.cwiseAbs(); }

/// Entry by entry |got − expected| ≤ steps·eps·size: `steps` roundings in a row
/// on numbers of that size, with a factor of two for the oracle's own.
inline void expect_close(const Matrix& got, const Matrix& expected, Index steps, const Matrix& size,
                         const std::string& name) {
  ASSERT_EQ(got.rows(), expected.rows()) << name;
  ASSERT_EQ(got.cols(), expected.cols()) << name;
  for (Index i = 0; i < got.rows(); ++i)
    for (Index j = 0; j < got.cols(); ++j)
      ASSERT_LE(std::abs(got(i, j) - expected(i, j)), static_cast<double>(steps) * eps * size(i, j))
          << name << " at " << i << ", " << j;
}

}  // namespace polyak::test
