// KSP type "polyak": registration, construction and preconditioner. The type is registered by
// -dll_append, which calls the function PetscDLLibraryRegister_NAME of libNAME.so, or by
// KSPPolyakRegister().

#include "ksp_polyak.hpp"

#include "polyak/error.hpp"
#include "polyak_petsc.h"

namespace polyak::petsc {

LogEvents log_events;

namespace {

// KSP polyak has no preconditioner, but PETSc gives every KSP one by default. That one is
// replaced; one that was set by an option or by the program is an error.

std::string type_of(PC pc) {
  PCType type = nullptr;
  checked(PCGetType(pc, &type));
  return type ? type : "";
}

// The type that PETSc chooses for these operators by default, found with a PC without options.
std::string default_type(KSP ksp) {
  Mat A = nullptr, P = nullptr;
  PC pc = nullptr;
  PetscOptions none = nullptr;
  checked(KSPGetOperators(ksp, &A, &P));
  checked(PetscOptionsCreate(&none));
  checked(PCCreate(PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), &pc));
  checked(PetscObjectSetOptions(reinterpret_cast<PetscObject>(pc), none));
  checked(PCSetOperators(pc, A, P));
  checked(PCSetFromOptions(pc));
  const std::string type = type_of(pc);
  checked(PCDestroy(&pc));
  checked(PetscOptionsDestroy(&none));
  return type;
}

// The default before the operators are set.
std::string early_default_type(KSP ksp) {
  PetscMPIInt ranks = 1;
  MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(ksp)), &ranks);
  return ranks == 1 ? PCILU : PCBJACOBI;
}

bool asked_by_option(PC pc) {
  PetscBool given = PETSC_FALSE;
  checked(PetscOptionsHasName(reinterpret_cast<PetscObject>(pc)->options,
                              reinterpret_cast<PetscObject>(pc)->prefix, "-pc_type", &given));
  return given;
}

[[noreturn]] void refuse(PC pc, const std::string& type) {
  const char* prefix = reinterpret_cast<PetscObject>(pc)->prefix;
  const std::string option = std::string("-") + (prefix ? prefix : "") + "pc_type";
  throw Error(ErrorCode::usage,
              {.what = "KSP polyak uses no preconditioner",
               .where = option,
               .found = type,
               .expected = PCNONE,
               .hint = "say " + option + " none, or PCSetType(pc, PCNONE), to go without"});
}

// The KSP gets another type: it has PETSc's default preconditioner again.
PetscErrorCode restore_preconditioner(KSP ksp) {
  const std::string& usual = polyak_of(ksp).default_pc;
  PetscBool none = PETSC_FALSE;
  if (usual.empty() || !ksp->pc) return 0;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp->pc), PCNONE, &none));
  if (none) PetscCall(PCSetType(ksp->pc, usual.c_str()));
  return 0;
}

PetscErrorCode set_up(KSP ksp) {
  return guarded(ksp, [&] {
    use_no_preconditioner(ksp);
    update_operator(ksp);
  });
}

PetscErrorCode reset(KSP ksp) {
  polyak_of(ksp).A.reset();
  polyak_of(ksp).ghosts.reset();
  return 0;
}

PetscErrorCode destroy(KSP ksp) {
  const PetscErrorCode code = restore_preconditioner(ksp);
  delete static_cast<KspPolyak*>(ksp->data);
  ksp->data = nullptr;
  return code;
}

}  // namespace

void use_no_preconditioner(KSP ksp) {
  PC pc = nullptr;
  checked(KSPGetPC(ksp, &pc));
  const std::string type = type_of(pc);
  if (type == PCNONE) return;
  std::string usual = default_type(ksp);
  const bool by_petsc = type.empty() || type == usual || type == early_default_type(ksp);
  if (!by_petsc || (!type.empty() && asked_by_option(pc))) refuse(pc, type);
  checked(PCSetType(pc, PCNONE));
  polyak_of(ksp).default_pc = type.empty() ? usual : type;
}

PetscErrorCode create_ksp_polyak(KSP ksp) {
  return guarded(ksp, [&] {
    auto own = std::make_unique<KspPolyak>();
    own->options.method.clear();  // chosen by method_of(), after all options are read
    checked(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
    checked(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
    ksp->data = own.release();
    ksp->ops->setup = set_up;
    ksp->ops->solve = solve_ksp_polyak;
    ksp->ops->reset = reset;
    ksp->ops->destroy = destroy;
    ksp->ops->view = view_ksp_polyak;
    ksp->ops->setfromoptions = read_ksp_options;
    ksp->ops->buildsolution = KSPBuildSolutionDefault;
    ksp->ops->buildresidual = KSPBuildResidualDefault;
  });
}

}  // namespace polyak::petsc

// The private structures of KSP and the width of PetscInt are compiled in; with another PETSc
// library they would be read wrongly.
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
  PetscCall(PetscLogEventRegister("PolyakSetUp", KSP_CLASSID, &polyak::petsc::log_events.set_up));
  PetscCall(PetscLogEventRegister("PolyakSolve", KSP_CLASSID, &polyak::petsc::log_events.solve));
  PetscCall(PetscLogEventRegister("PolyakSums", KSP_CLASSID, &polyak::petsc::log_events.sums));
  PetscCall(KSPRegister(KSPPOLYAK, polyak::petsc::create_ksp_polyak));
  PetscCall(MatRegister(MATPOLYAKSCAN, polyak::petsc::create_scan_matrix));
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
