#pragma once

#include <petscmat.h>

namespace polyak {

/// What MatSetType(A, MATPOLYAKSCAN) calls.
PetscErrorCode create_scan_matrix(Mat A);

}  // namespace polyak
