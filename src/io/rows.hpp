#pragma once

// Streams of dense rows. Reading into memory, converting and writing all transfer rows from a
// source to a sink, one block at a time, so files larger than memory can be converted.

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "polyak/io.hpp"

namespace polyak::internal::io {

/// Reads the rows of A in order, and of b if the data holds it.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index cols() const = 0;
  virtual bool has_rhs() const { return false; }
  /// Names of the columns of A; empty if they have none.
  virtual std::vector<std::string> names() const { return {}; }
  virtual std::string rhs_name() const { return "rhs"; }
  /// True if the values are floats: storing them in single precision is exact.
  virtual bool single() const { return false; }
  virtual Index dropped_rows() const { return 0; }
  /// The number of the first row in the file, for messages: not 0 if this is a part of a table.
  virtual Index first_row() const { return 0; }
  /// An upper bound on the number of rows left, found cheaply.
  virtual Index max_rows_left() const = 0;
  /// Fills the first rows of `A` and `b` (unused without has_rhs); returns their number, 0 only
  /// at the end.
  virtual Index read(View A, std::span<double> b) = 0;
};

class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void write(ConstView A, std::span<const double> b) = 0;
  /// Completes the output: renames a file to its final name.
  virtual void finish() = 0;
};

/// Reads all rows of the source, writes them to the sink and finishes it.
void transfer_rows(RowSource& source, RowSink& sink);

/// The rows of a matrix in memory, with its column names and right-hand side.
std::unique_ptr<RowSource> matrix_rows(const RowMatrix& A, std::vector<std::string> names = {},
                                       Array b = {});

/// The rows of `source` whose values are all finite; the others are dropped and counted.
std::unique_ptr<RowSource> finite_rows(std::unique_ptr<RowSource> source);

/// Loads all rows into a dense matrix: the last step of every dense reader. Values are stored
/// as floats if options.single is set or the source holds floats.
Table load_rows(std::unique_ptr<RowSource> source, const ReadOptions& options,
                const std::string& name);

/// Rows in a block of about half a megabyte, and at least 16 unless rows are very wide: a
/// transpose then uses more than one value per cache line.
Index rows_per_block(Index cols);

/// a · b; Error bad_data if the product exceeds 64 bits.
Index checked_product(Index a, Index b, const std::string& name);

/// Error bad_data if a file of `bytes` bytes cannot plausibly hold a matrix of this size. Empty
/// rows and columns of a sparse file take no bytes, so the bound is generous: 16 rows and 16
/// columns per byte, and never below 2^20.
void check_dimensions(Index rows, Index cols, Index bytes, const std::string& name);

[[noreturn]] void fail_narrow(double value, Index row, Index col, const std::string& name);

/// The value as it is stored; Error bad_data if it is finite but overflows single precision.
template <class Value>
Value narrow(double value, Index row, Index col, const std::string& name) {
  if constexpr (sizeof(Value) < sizeof(double)) {
    constexpr double largest = std::numeric_limits<Value>::max();
    if (std::abs(value) > largest && !std::isinf(value)) fail_narrow(value, row, col, name);
  }
  return static_cast<Value>(value);
}

}  // namespace polyak::internal::io
