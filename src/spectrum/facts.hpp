#pragma once

// Facts from one read of A and b: norms, zero rows and columns, whether every value is finite,
// and the powers of two by which A and b are scaled to avoid overflow and underflow.

#include <limits>
#include <memory>
#include <vector>

#include "core/large_arrays.hpp"
#include "core/thread_team.hpp"
#include "matrix/row_sums.hpp"
#include "polyak/problem.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

struct RowBlocks;

struct MatrixFacts {
  Scale scale;  ///< all norms below are of A·scale.a and b·scale.b
  /// w_i‖a_i‖² for each row; 0 only for rows that are zero or have weight 0. With several
  /// ranks the entries of rows held by other ranks are 0. Empty where there are too many rows
  /// to keep them (`blocks` then tells of them), and where sweep() gave these facts
  /// (spectrum/normal_equations.hpp), for methods that do not sample rows.
  RowNumbers norms2;
  std::shared_ptr<const RowBlocks> blocks;  ///< spectrum/row_norms.hpp
  double frobenius2 = 0.0;                  ///< Σ w_i‖a_i‖² over all rows of all ranks
  /// √(Σ_i w_i a_ij²) for each column.
  std::vector<double> column_norms;
  std::vector<double> b_norms;  ///< √(Σ w_i b_ic²), for each right-hand side
  Index zero_rows = 0;
  Index zero_rows_with_rhs = 0;  ///< zero rows with b_i ≠ 0: a lower bound of the residual
  std::vector<Index> zero_columns;
  double rows_read = 0.0;   ///< how many rows were read for it
  RowSums* sums = nullptr;  ///< where A has a copy on a device; null: none
};

/// Norms of rows are kept up to this number of rows where no method needs them (64 MB).
constexpr Index most_kept_norms = Index{1} << 23;

/// Throws Error bad_data naming the first value that is not finite. Norms come from `sums` where
/// it has A, with the same bits. Those of more than `most_kept` rows are not kept; but with
/// several ranks, or a matrix of which single rows cannot be read, they always are.
MatrixFacts gather_facts(const Problem& problem, ThreadTeam& team, RowSums* sums = nullptr,
                         Index most_kept = std::numeric_limits<Index>::max());

/// The number of nonzero rows that equal an earlier row, by 64-bit hashes of their values (one
/// read of A, eight bytes per row). The probability of a false match is below n²/2^65.
Index count_duplicate_rows(const RowMatrix& A, ThreadTeam& team);

}  // namespace polyak
