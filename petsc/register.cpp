// How PETSc comes to know the type: by -dll_append, which calls
// PetscDLLibraryRegister_ and the library's name, or by KSPPolyakRegister().

#include "ksp_polyak.hpp"
#include "polyak_petsc.h"
#include "scan_matrix.hpp"

// KSP's inside and the width of PetscInt are what this was compiled for; another
// library's would be read wrongly, and crash.
static PetscErrorCode check_library() {
  size_t width = 0;
  PetscInt major = 0, minor = 0;
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &width));
  PetscCheck(width == sizeof(PetscInt), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "polyak: this plugin is for PETSc with %d-bit indices and the program's PETSc has "
             "%d-bit ones; load lib%s.so instead",
             static_cast<int>(8 * sizeof(PetscInt)), static_cast<int>(8 * width),
             width == 8 ? "polyak_petsc64" : "polyak_petsc");
  PetscCall(PetscGetVersionNumber(&major, &minor, nullptr, nullptr));
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF,
             PETSC_ERR_ARG_INCOMP,
             "polyak: this plugin is for PETSc %d.%d and the program's is %d.%d; build the plugin "
             "against that one",
             PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, static_cast<int>(major),
             static_cast<int>(minor));
  return 0;
}

PetscErrorCode KSPPolyakRegister(void) {
  PetscCall(check_library());
  PetscCall(KSPInitializePackage());
  PetscCall(PetscLogEventRegister("PolyakSetUp", KSP_CLASSID, &polyak::log_events.set_up));
  PetscCall(PetscLogEventRegister("PolyakSolve", KSP_CLASSID, &polyak::log_events.solve));
  PetscCall(PetscLogEventRegister("PolyakSums", KSP_CLASSID, &polyak::log_events.sums));
  PetscCall(KSPRegister(KSPPOLYAK, polyak::create_ksp_polyak));
  PetscCall(MatRegister(MATPOLYAKSCAN, polyak::create_scan_matrix));
  return 0;
}

#if defined(PETSC_USE_64BIT_INDICES)
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_polyak_petsc64(void) {
  return KSPPolyakRegister();
}
#else
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_polyak_petsc(void) {
  return KSPPolyakRegister();
}
#endif
