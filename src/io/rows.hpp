#pragma once

// Dense rows on the move, a block at a time. Reading into memory, converting
// and writing are all the same thing: a source pumped into a sink. Neither
// sees more than one block, so files larger than memory pass through.

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "polyak/io.hpp"

namespace polyak::io {

/// Rows of A, and of b where the data holds it, in order.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index cols() const = 0;
  virtual bool has_rhs() const { return false; }
  /// Names of the columns of A; empty when they have none.
  virtual std::vector<std::string> names() const { return {}; }
  virtual std::string rhs_name() const { return "rhs"; }
  /// The values are floats at heart: storing them as such loses nothing.
  virtual bool single() const { return false; }
  virtual Index dropped_rows() const { return 0; }
  /// The number of its first row, for messages: it may be a part of a larger one.
  virtual Index first_row() const { return 0; }
  /// A limit on the rows still to come that is cheap to know.
  virtual Index rows_at_most() const = 0;
  /// Fills the top rows of `A` and `b` (unused without has_rhs); returns how
  /// many, 0 only at the end.
  virtual Index read(View A, std::span<double> b) = 0;
};

class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void write(ConstView A, std::span<const double> b) = 0;
  /// Afterwards the file is whole and under its final name.
  virtual void finish() = 0;
};

void pump(RowSource& source, RowSink& sink);

/// The rows of a matrix that is already here, and what comes with it.
std::unique_ptr<RowSource> matrix_rows(const RowMatrix& A, std::vector<std::string> names = {},
                                       Array b = {});

/// Passes on only rows in which everything is finite, and counts the others.
std::unique_ptr<RowSource> finite_rows(std::unique_ptr<RowSource> source);

/// Loads everything: the end of every dense reader. Values are stored as
/// floats when the options ask for it or the source holds floats.
Table collect(std::unique_ptr<RowSource> source, const ReadOptions& options,
              const std::string& name);

/// Rows that make a block of about half a megabyte, but 16 of them where that
/// is affordable: a transpose should find more than one value per cache line.
Index rows_per_block(Index cols);

/// a · b, or bad_data when that exceeds 64 bits.
Index checked_product(Index a, Index b, const std::string& name);

/// Refuses sizes that a file of so many bytes cannot mean. Empty rows and
/// columns cost no bytes in a sparse file, so this is generous: 16 of each per
/// byte, and always 2^20.
void check_dimensions(Index rows, Index cols, Index bytes, const std::string& name);

[[noreturn]] void fail_narrow(double value, Index row, Index col, const std::string& name);

/// The value as it will be stored; bad_data when it is finite but would not be
/// so in single precision.
template <class Value>
Value narrow(double value, Index row, Index col, const std::string& name) {
  if constexpr (sizeof(Value) < sizeof(double)) {
    constexpr double largest = std::numeric_limits<Value>::max();
    if (std::abs(value) > largest && !std::isinf(value)) fail_narrow(value, row, col, name);
  }
  return static_cast<Value>(value);
}

}  // namespace polyak::io
