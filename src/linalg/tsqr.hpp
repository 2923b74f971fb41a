#pragma once

// The R factor of a tall matrix whose rows are read once and not stored (tall skinny QR):
// R ← R of [R; next rows] by Householder reflections. AᵀA = RᵀR holds to rounding, AᵀA is not
// formed, and the condition number of A is not squared.

#include <functional>

#include "linalg/buffer.hpp"
#include "polyak/types.hpp"

namespace polyak::internal {

/// R is unique up to the signs of its rows; `nonnegative` fixes them.
enum class Diagonal { any, nonnegative };

/// Rows are collected and reduced in blocks of fixed size, so the result depends on the rows
/// and their order only, not on how they are split over calls of add().
class Tsqr {
 public:
  explicit Tsqr(Index cols);

  Index cols() const { return r_.rows(); }
  void add(ConstView rows);
  /// The result is the R factor of the rows of both.
  void merge(const Tsqr& other);
  /// Reduces the pending rows and frees the memory of the block.
  void finish();
  /// cols × cols, upper triangular, zero below the diagonal, with RᵀR = AᵀA; also when there
  /// are fewer rows than columns.
  Buffer r(Diagonal diagonal = Diagonal::any);

 private:
  void reduce();

  Buffer r_;          // column-major
  Buffer block_;      // column-major; the pending rows
  Buffer reflector_;  // T of dtpqrt
  Buffer work_;
  Index pending_ = 0;
};

class ThreadTeam;

/// Copies rows [first, last) into `out`; called from several threads at the same time.
using RowSource = std::function<void(Index first, Index last, View out)>;

/// Number of chunks of rows whose R factors are computed separately.
Index tall_r_chunks(Index rows, Index cols);

/// The R factor of a matrix given by its rows, computed by all threads of the team. The rows
/// are cut into tall_r_chunks chunks whose R factors are merged pairwise; the number of chunks
/// depends on the sizes only, so the bits do not depend on the number of threads.
Buffer tall_r(Index rows, Index cols, const RowSource& source, ThreadTeam& team,
              Diagonal diagonal = Diagonal::any);

}  // namespace polyak::internal
