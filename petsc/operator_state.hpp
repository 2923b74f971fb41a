#pragma once

// Whether a matrix is still what it was: PETSc counts every change of an object.

#include <petscmat.h>

#include <vector>

namespace polyak {

/// Which matrix A is and how often it changed, in its pattern and otherwise, together with
/// the blocks that PETSc keeps inside of it: those can be changed through a handle of their
/// own, of which A itself knows nothing. Of a matrix that is only known by functions nothing
/// can be told.
class OperatorState {
 public:
  OperatorState() = default;
  /// Not collective.
  explicit OperatorState(Mat A);

  /// The same matrix, unchanged as far as this process knows; never where nothing is told.
  bool same_as(const OperatorState& other) const { return known_ && numbers_ == other.numbers_; }

 private:
  void add(Mat A);

  bool known_ = false;
  std::vector<PetscInt64> numbers_;
};

}  // namespace polyak
