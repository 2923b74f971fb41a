#pragma once

// The problems of the race, as PETSc sees them, and as polyak does.

#include <petscksp.h>

#include <memory>
#include <string>
#include <vector>

#include "polyak/ranks.hpp"

namespace polyak::race {

inline void checked(PetscErrorCode code) {
  if (code != 0) PETSCABORT(PETSC_COMM_WORLD, code);
}

struct RaceProblem {
  std::string name;
  Mat A = nullptr;
  Vec b = nullptr, x = nullptr;  ///< x: the least squares solution
  std::shared_ptr<std::vector<double>> values;  ///< of dense problems: own rows, from `first` on
  Index first = 0;
  MatrixPtr own;  ///< the rows of this rank, for the library itself
  std::vector<double> own_b;
};
void destroy(RaceProblem& problem);

/// Of so many, the rows of this rank.
RowRange rows_here(Index rows);

/// The paper's: algebraic decay, condition 100 (of AᵀA), Haar vectors; dense rows where
/// they lie (MatCreatePolyakRows), whose products run at the speed of memory. `noise` is
/// |epsilon|/|Ax|.
RaceProblem paper_problem(Index rows, Index cols, double noise);

/// The same rows behind nothing but a MatRowBatchGradient_C of the user's own, while the
/// problem lives.
Mat users_shell(const RaceProblem& problem);

/// AIJ, consistent, `entries` a row at random columns, or a little fewer. Condition 1:
/// normal values. Above: A = R·D·G, where R has a quarter as many such entries, D² has
/// the paper's algebraic decay up to `condition`, and G rotates pairs of columns and then
/// pairs of other columns, so that no scaling of columns undoes D.
RaceProblem sparse_problem(Index rows, Index cols, Index entries, double condition);

}  // namespace polyak::race
