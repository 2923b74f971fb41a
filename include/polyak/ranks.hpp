#pragma once

/// \file ranks.hpp
/// One matrix whose rows lie with several processes (ranks), each of which
/// runs the same solve: docs/decisions/0014-ranks.md.
///
/// Every rank sees the whole problem in its sizes and holds some of the rows;
/// the others, and their b, are zero to it. Sums over rows become whole in
/// RowMatrix::complete, which is all that ranks need to say to each other, so
/// that x, every decision and every bit of the report agree on all of them.
/// Where rows touch few columns a ColumnExchange says less.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "polyak/matrices.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct RowRange {
  Index first = 0;
  Index last = 0;
};

/// Rank `rank` of `ranks` gets these of `rows`; they differ by one at most.
RowRange even_share(Index rows, Index rank, Index ranks);

/// Replaces what each rank gives by the sum over all ranks, with the same bits
/// everywhere; every rank calls it at the same point with as many numbers.
using CompleteSums = std::function<void(std::span<double>)>;

struct ColumnRange {
  Index first = 0;
  Index last = 0;
};

/// Gradients of ranks whose rows touch few columns in common: the sum of a column
/// goes to the ranks whose rows touch it, and to nobody else. A method that goes
/// column by column then knows x where its rows need it, and elsewhere once it is
/// gathered. Every column belongs to one rank: the lowest whose rows touch it, or
/// rank 0. Ranks call each of these together.
class ColumnExchange {
 public:
  virtual ~ColumnExchange() = default;
  /// Whether this says less than sums of all columns, the same on every rank. The
  /// first time it is found by reading the rows held here, and kept.
  virtual bool pays(const RowMatrix& own) = 0;
  /// After that: what this rank touches and what belongs to it lies in here.
  virtual ColumnRange held() const = 0;
  /// Columns that rows here touch hold sums over these rows; then over all rows,
  /// added in the order of ranks. Other columns may hold anything.
  virtual void add(View g) = 0;
  /// Every column as the rank has it that it belongs to: the same bits everywhere.
  virtual void gather(View x) = 0;
  /// What was chosen, and the numbers that speak for it.
  virtual std::string told() const = 0;
};

/// Ascending; a value that is not finite counts. Reads all rows.
std::vector<Index> touched_columns(const RowMatrix& rows);

/// A of `rows` rows, of which `own` are those from `first` on. Every rank calls
/// this together. Steps that go row after row (RowMatrix::kaczmarz) are refused
/// where there is more than one rank. With `exchange` many ranks share the work of
/// drawing large batches; the draws are the same without. With `columns` they say no
/// more than they have to; x is the same to the last bit.
MatrixPtr rank_rows(MatrixPtr own, Index first, Index rows, Index rank, Index ranks,
                    CompleteSums complete, ExchangeWords exchange = {},
                    std::shared_ptr<ColumnExchange> columns = {});

enum class Keep { whole, copy };

/// Those rows. `whole` is a view of a dense matrix, which is kept alive (of a
/// mapped file only what is touched is ever read); all else is a copy. Rows
/// that are made as they are read (a projector) become compressed sparse rows.
MatrixPtr rows_between(const MatrixPtr& A, RowRange range, Keep keep = Keep::whole);

/// A copy of these rows, stored as they are in A; null where A does not store its rows
/// (a projector makes them as they are read).
MatrixPtr listed_rows(const RowMatrix& A, std::span<const Index> rows);

/// `own` as the rows from `first` on of an array of so many rows. The others are
/// zeros, which take addresses but, in long arrays, no memory.
Array placed_rows(ConstView own, Index first, Index rows);

/// As large as b, with such zeros outside of the range.
Array only_rows(const Array& b, RowRange range);

}  // namespace polyak
#pragma GCC visibility pop
