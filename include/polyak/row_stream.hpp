#pragma once

/// \file row_stream.hpp
/// Rows that can be read once, in order: of a pipe, of text longer than memory.

#include <memory>
#include <span>

#include "polyak/matrices.hpp"
#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Consecutive rows of a RowStream, perhaps still to be converted to numbers.
class RowPiece {
 public:
  virtual ~RowPiece() = default;
  virtual Index rows() const = 0;
  /// Fills `A` (rows() × cols) and, where the stream has a right-hand side, `b`. Called once, by
  /// any thread, while other threads do the same for other pieces. Error bad_data names the line.
  virtual void copy(View A, std::span<double> b) = 0;
};

class RowStream {
 public:
  virtual ~RowStream() = default;
  virtual Index cols() const = 0;
  /// True if every row comes with its element of b.
  virtual bool has_rhs() const = 0;
  /// The next `rows` rows, fewer only at the end; null where there are none. One thread at a time.
  virtual std::unique_ptr<RowPiece> next(Index rows) = 0;
};

/// The rows of a matrix, with b (n × 1) unless it is empty.
std::unique_ptr<RowStream> row_stream(MatrixPtr A, Array b = {});

}  // namespace polyak
#pragma GCC visibility pop
