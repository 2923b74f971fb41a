#pragma once

// The rows of a stream, on their way from pieces to the rows that are factored (triangle.hpp).

#include <memory>
#include <span>
#include <vector>

#include "linalg/buffer.hpp"
#include "polyak/solve_stream.hpp"
#include "solve/stream/triangle.hpp"

namespace polyak {

/// Some rows, by their numbers in the stream, and where their numbers [A b] are once they are
/// converted.
struct RowBlock {
  Index number = 0, first = 0, rows = 0;
  std::unique_ptr<RowPiece> piece = nullptr;  ///< until then
  View values = {};
  Buffer kept = {};  ///< of the first blocks
};

class StreamRows {
 public:
  StreamRows(const RowStream& stream, const StreamProblem& problem);

  Index d() const { return d_; }
  Index sides() const { return c_; }
  Index unknowns() const { return d_ + (problem_.intercept ? 1 : 0); }
  Index width() const { return d_ + c_; }                                 ///< of [A b]
  Index columns() const { return d_ + 1 + c_ + (has_start() ? c_ : 0); }  ///< of the rows to factor
  /// Rows that the start is computed from; 0 where there is none.
  Index start_rows() const;
  bool has_start() const { return start_rows() > 0; }

  /// Fills block.values, which lie in `out`. Error bad_data for values that are not finite, unless
  /// rows with them are dropped.
  void convert(RowBlock& block, View out) const;
  /// Row t of the block is not dropped.
  bool is_kept(const RowBlock& block, Index t) const;
  double weight(Index i) const {
    return problem_.weights.empty() ? 1.0 : problem_.weights[to_size(i)];
  }
  /// It takes part: it is kept, and its weight is not 0.
  bool counts(const RowBlock& block, Index t) const {
    return weight(block.first + t) > 0.0 && is_kept(block, t);
  }

  /// Chooses centre, levels and start from the first rows.
  void look_at(std::span<const RowBlock> first);
  /// Row of [A b] that counts, the first of those looked at; empty if there is none.
  const std::vector<double>& first_row() const { return first_row_; }
  /// Fills the beginning of `out` with the rows that count, as they are factored; their number.
  Index make(const RowBlock& block, View out) const;
  /// A triangle of these rows, without numbers.
  Triangle triangle() const;

 private:
  void check(const RowBlock& block) const;
  void find_first_row(std::span<const RowBlock> first);
  void find_centre(std::span<const RowBlock> first);
  void find_start(std::span<const RowBlock> first);
  void fill_row(const double* values, double* row) const;

  const StreamProblem& problem_;
  const Index d_, c_;
  const bool has_rhs_;
  std::vector<double> first_row_, centre_, levels_, start_;
};

}  // namespace polyak
