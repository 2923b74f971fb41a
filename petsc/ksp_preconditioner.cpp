// KSP polyak has no preconditioner. PETSc gives every KSP one all the same, unless told, and
// that is not to be mistaken for one that was asked for, by an option or in the program.

#include "ksp_polyak.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

std::string type_of(PC pc) {
  PCType type = nullptr;
  checked(PCGetType(pc, &type));
  return type ? type : "";
}

// What PETSc takes for these operators when nobody says anything: a PC of no options tells.
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

// The same before the operators were known.
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

PetscErrorCode give_back_preconditioner(KSP ksp) {
  const std::string& usual = polyak_of(ksp).default_pc;
  PetscBool none = PETSC_FALSE;
  if (usual.empty() || !ksp->pc) return 0;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(ksp->pc), PCNONE, &none));
  if (none) PetscCall(PCSetType(ksp->pc, usual.c_str()));
  return 0;
}

}  // namespace polyak
