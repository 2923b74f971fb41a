#include "operator_state.hpp"

#include <petsc/private/petscimpl.h>

#include "mat_rows.hpp"

namespace polyak {

OperatorState::OperatorState(Mat A) : known_(is_stored(A)) {
  if (!known_) return;
  add(A);
  if (is_type(A, MATMPIAIJ)) {
    Mat diagonal = nullptr, other = nullptr;
    checked(MatMPIAIJGetSeqAIJ(A, &diagonal, &other, nullptr));
    add(diagonal);
    add(other);
  }
  if (is_type(A, MATMPIDENSE)) {
    Mat local = nullptr;
    checked(MatDenseGetLocalMatrix(A, &local));
    add(local);
  }
}

void OperatorState::add(Mat A) {
  PetscObjectId id = 0;
  PetscObjectState state = 0, pattern = 0;
  checked(PetscObjectGetId(reinterpret_cast<PetscObject>(A), &id));
  checked(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &state));
  checked(MatGetNonzeroState(A, &pattern));
  numbers_.insert(numbers_.end(), {id, state, pattern});
}

}  // namespace polyak
