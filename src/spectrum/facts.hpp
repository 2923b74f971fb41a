#pragma once

// What one read of A and b tells: norms, zero rows and columns, whether every
// value is finite, and the powers of two that keep the arithmetic in range.

#include <vector>

#include "core/row_numbers.hpp"
#include "core/thread_team.hpp"
#include "polyak/problem.hpp"
#include "polyak/row_matrix.hpp"

namespace polyak {

struct MatrixFacts {
  Scale scale;  ///< all norms below are of A·scale.a and b·scale.b
  /// w_i‖a_i‖², row by row; 0 only for rows that do nothing. Where ranks share the
  /// rows, those of others are 0, and were never sent.
  RowNumbers norms2;
  double frobenius2 = 0.0;  ///< Σ of them, of all rows
  /// √(Σ_i w_i a_ij²), column by column.
  std::vector<double> column_norms;
  std::vector<double> b_norms;  ///< √(Σ w_i b_ic²), for each right-hand side
  Index zero_rows = 0;
  Index zero_rows_with_rhs = 0;  ///< zero rows whose b is not: a floor under the residual
  std::vector<Index> zero_columns;
  double rows_read = 0.0;  ///< what finding all this cost
};

/// Throws Error bad_data naming the first value that is not finite.
MatrixFacts gather_facts(const Problem& problem, ThreadTeam& team);

/// How many rows that are not zero repeat an earlier one, by 64-bit
/// fingerprints of their values (one read of A, eight bytes a row). A false
/// match among n rows has probability below n²/2^65.
Index count_duplicate_rows(const RowMatrix& A, ThreadTeam& team);

}  // namespace polyak
