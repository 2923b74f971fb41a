#pragma once

#include <petscsys.h>

#include <new>
#include <string>

#include "mat_rows.hpp"

namespace polyak {

/// Runs C++ under C: whatever is thrown becomes a PETSc error with its line. `object`: the
/// KSP or Mat whose processes are concerned.
template <class Object, class Body>
PetscErrorCode guarded(Object object, Body body) {
  std::string line;
  try {
    body();
    return 0;
  } catch (const PetscFailure& failure) {
    return PetscError(PETSC_COMM_SELF, __LINE__, "polyak", __FILE__, failure.code,
                      PETSC_ERROR_REPEAT, " ");
  } catch (const std::bad_alloc&) {  // of this rank alone: it must say so itself
    return PetscError(PETSC_COMM_SELF, __LINE__, "polyak", __FILE__, PETSC_ERR_MEM,
                      PETSC_ERROR_INITIAL, "polyak: there is not enough memory");
  } catch (const std::exception& error) {
    line = error.what();
  }
  return PetscError(PetscObjectComm(reinterpret_cast<PetscObject>(object)), __LINE__, "polyak",
                    __FILE__, PETSC_ERR_LIB, PETSC_ERROR_INITIAL, "polyak: %s", line.c_str());
}

}  // namespace polyak
