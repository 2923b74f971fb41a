#pragma once

/// \file ranks.hpp
/// One matrix whose rows are distributed over several processes (ranks), each of
/// which runs the same solve: docs/decisions/0014-ranks.md.
///
/// Every rank sees a matrix of all rows and stores a contiguous part of them; to this
/// rank the other rows, and their b, are zero. A sum over rows is therefore complete
/// after Communicator::sum, and x, every decision and every bit of the report agree on
/// all ranks. Where rows have entries in few columns, a ColumnExchange sends less than
/// an allreduce of all columns.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "polyak/communicator.hpp"
#include "polyak/matrices.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct RowRange {
  Index first = 0;
  Index last = 0;
};

/// Rank `rank` of `ranks` gets these of `rows`; they differ by one at most.
RowRange even_share(Index rows, Index rank, Index ranks);

struct ColumnRange {
  Index first = 0;
  Index last = 0;
};

/// Sums of gradients over ranks whose rows have few columns in common: the sum of a
/// column goes only to the ranks whose rows have entries in it. A method that works
/// column by column then has x up to date where its rows need it, and elsewhere after
/// gather(). Every column is owned by one rank: the lowest whose rows have entries in it,
/// or rank 0. All operations are collective.
class ColumnExchange {
 public:
  virtual ~ColumnExchange() = default;
  /// True if this sends less than an allreduce of all columns; the same on every rank.
  /// The first call reads the rows stored here; the result is kept.
  virtual bool sends_less(const RowMatrix& own) = 0;
  /// After sends_less(): a range that contains all columns this rank uses or owns.
  virtual ColumnRange held() const = 0;
  /// Before: the columns with entries in rows stored here hold sums over these rows.
  /// After: sums over all rows, added in the order of ranks. Other columns are undefined.
  virtual void add(View g) = 0;
  /// Every column becomes that of its owner: the same bits everywhere.
  virtual void gather(View x) = 0;
  /// The choice made by sends_less(), with its figures, as a sentence.
  virtual std::string description() const = 0;
};

/// Ascending; a value that is not finite counts. Reads all rows.
std::vector<Index> touched_columns(const RowMatrix& rows);

/// The rows of a matrix that this process stores, as a matrix of their own: row 0 of
/// `rows` is row `first` of the whole.
struct Partition {
  const RowMatrix* rows = nullptr;
  Index first = 0;
  Communicator* communicator = nullptr;  ///< never null
  ColumnExchange* columns = nullptr;     ///< null where sums are of all columns

  Index rank() const { return communicator->rank(); }
  Index ranks() const { return communicator->size(); }
  Index last() const { return first + rows->rows(); }
};

/// All rows and a communicator of one process, unless A was made by rank_rows.
Partition partition(const RowMatrix& A);
inline Communicator& communicator(const RowMatrix& A) { return *partition(A).communicator; }

/// A matrix of `rows` rows, of which `own` are those from `first` on. Collective. Steps
/// that go row after row (RowMatrix::kaczmarz) are refused if there is more than one rank.
/// With `columns` gradients are summed by it where it pays; x has the same bits.
MatrixPtr rank_rows(MatrixPtr own, Index first, Index rows,
                    std::shared_ptr<Communicator> communicator,
                    std::shared_ptr<ColumnExchange> columns = {});

enum class Keep { view, copy };

/// The rows of the range. `view`: of a dense matrix a view, which keeps A alive (of a
/// mapped file only the pages used are read); of any other matrix a copy. Rows
/// that are computed on demand (a projector) become compressed sparse rows.
MatrixPtr rows_between(const MatrixPtr& A, RowRange range, Keep keep = Keep::view);

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
