#pragma once

// The problems of the race, as PETSc sees them, and as polyak does.

#include <petscksp.h>

#include <string>
#include <vector>

#include "polyak/matrices.hpp"

namespace polyak::race {

inline void checked(PetscErrorCode code) {
  if (code != 0) PETSCABORT(PETSC_COMM_WORLD, code);
}

struct RaceProblem {
  std::string name;
  Mat A = nullptr;
  Vec b = nullptr, x = nullptr;  ///< x: the least squares solution
  MatrixPtr own;                 ///< dense problems: the rows of this rank
  std::vector<double> own_b;
};
void destroy(RaceProblem& problem);

/// The paper's: algebraic decay, condition 100 (of AᵀA), Haar vectors; a dense
/// row-major matrix in a MATSHELL whose products and row gradients run at the
/// speed of memory. `noise` is |epsilon|/|Ax|.
RaceProblem paper_problem(Index rows, Index cols, double noise);

/// AIJ, `entries` a row at random columns, normal values, consistent.
RaceProblem sparse_problem(Index rows, Index cols, Index entries);

}  // namespace polyak::race
