#pragma once

// The problems of race.cpp, for PETSc and for the library itself.

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
  std::shared_ptr<std::vector<double>>
      values;  ///< of dense problems: the rows of this rank, from `first` on
  Index first = 0;
  MatrixPtr own;  ///< the rows of this rank, for the library itself
  std::vector<double> own_b;
};
void destroy(RaceProblem& problem);

/// The range of this rank among `rows` rows.
RowRange rows_here(Index rows);

/// The problem of the paper: algebraic decay, condition 100 (of AᵀA), Haar vectors; dense rows in
/// place (MatCreatePolyakRows), whose products run at the speed of memory. `noise` is
/// |epsilon|/|Ax|.
RaceProblem paper_problem(Index rows, Index cols, double noise);

/// The same rows, given only by a MatRowBatchGradient_C as a user would write it. Uses `problem`,
/// which must stay valid.
Mat users_shell(const RaceProblem& problem);

/// AIJ, consistent, at most `entries` entries per row at random columns. With condition 1 they are
/// normally distributed. Otherwise A = R·D·G, where R has a quarter as many such entries, D² has
/// the algebraic decay of the paper up to `condition`, and G rotates pairs of columns and then
/// pairs of other columns, so that no scaling of columns removes D.
RaceProblem sparse_problem(Index rows, Index cols, Index entries, double condition);

}  // namespace polyak::race
