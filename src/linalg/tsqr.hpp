#pragma once

// The R factor of a tall matrix, its rows seen once and never kept (tall
// skinny QR): R ← R of [R; next rows], by Householder reflections, so AᵀA =
// RᵀR holds to rounding without AᵀA ever being formed and nothing of A's
// conditioning is lost.
//
// The R factor of a tall matrix by the whole team.

#include <functional>

#include "linalg/buffer.hpp"
#include "polyak/types.hpp"

namespace polyak {

/// R is unique up to the signs of its rows; `nonnegative` fixes them.
enum class Diagonal { any, nonnegative };

/// Rows are collected and reduced in blocks of fixed size, so the result
/// depends on the rows and their order only, not on how they were handed over.
class Tsqr {
 public:
  explicit Tsqr(Index cols);

  Index cols() const { return r_.rows(); }
  void add(ConstView rows);
  /// As if the rows of `other`, in some rotation, followed.
  void merge(const Tsqr& other);
  /// Reduces what is pending and gives the block's memory back.
  void finish();
  /// cols × cols, upper triangular, zero below, with RᵀR = AᵀA; for fewer rows
  /// than columns too, where R has a row for each column all the same.
  Buffer r(Diagonal diagonal = Diagonal::any);

 private:
  void reduce();

  Buffer r_;          // by columns
  Buffer block_;      // by columns; the pending rows
  Buffer reflector_;  // T of dtpqrt
  Buffer work_;
  Index pending_ = 0;
};

class ThreadTeam;

/// Copies rows [first, last) into a block; called from several threads.
using RowSource = std::function<void(Index first, Index last, View out)>;

/// How many chunks of rows get an R factor of their own.
Index tall_r_chunks(Index rows, Index cols);

/// R of a matrix known by its rows. It is cut into chunks whose number follows
/// from its size alone and merged pairwise: the same bits for any team.
Buffer tall_r(Index rows, Index cols, const RowSource& source, ThreadTeam& team,
              Diagonal diagonal = Diagonal::any);

}  // namespace polyak
