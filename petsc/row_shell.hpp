#pragma once

// A PETSc matrix whose rows polyak has: products for any KSP, the composed
// MatRowBatchGradient_C for whoever asks for rows, and for KSP polyak the rows
// themselves.

#include "mat_rows.hpp"

namespace polyak {

/// A, fresh from MatCreate, becomes a shell around the rows of this process, of which
/// `rows` are on all. Collective.
void become_row_shell(Mat A, MatrixPtr own, Index rows);

/// The rows of such a matrix; null of any other.
MatrixPtr rows_of_shell(Mat A);

}  // namespace polyak
