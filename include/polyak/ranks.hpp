#pragma once

/// \file ranks.hpp
/// One matrix whose rows lie with several processes (ranks), each of which
/// runs the same solve: docs/decisions/0014-ranks.md.
///
/// Every rank sees the whole problem in its sizes and holds some of the rows;
/// the others, and their b, are zero to it. Sums over rows become whole in
/// RowMatrix::complete, which is all that ranks ever say to each other, so
/// that x, every decision and every bit of the report agree on all of them.

#include <functional>
#include <span>

#include "polyak/matrices.hpp"

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

/// A of `rows` rows, of which `own` are those from `first` on. Every rank calls
/// this together. Steps that go row after row (RowMatrix::kaczmarz) are refused
/// where there is more than one rank. With `exchange` many ranks share the work of
/// drawing large batches; the draws are the same without.
MatrixPtr rank_rows(MatrixPtr own, Index first, Index rows, Index rank, Index ranks,
                    CompleteSums complete, ExchangeWords exchange = {});

enum class Keep { whole, copy };

/// Those rows. `whole` is a view of a dense matrix, which is kept alive (of a
/// mapped file only what is touched is ever read); all else is a copy. Rows
/// that are made as they are read (a projector) become compressed sparse rows.
MatrixPtr rows_between(const MatrixPtr& A, RowRange range, Keep keep = Keep::whole);

/// As large as b, with zeros outside of the range.
Array only_rows(const Array& b, RowRange range);

}  // namespace polyak
