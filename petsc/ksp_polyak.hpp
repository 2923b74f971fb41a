#pragma once

// KSP type "polyak", inside.

#include <petsc/private/kspimpl.h>

#include <string>

#include "guarded.hpp"
#include "mat_rows.hpp"
#include "mpi_ghosts.hpp"
#include "operator_state.hpp"
#include "polyak/solve.hpp"

namespace polyak {

/// ksp->data.
struct KspPolyak {
  SolveOptions options;  ///< those of -ksp_polyak_…; tolerance and limit are the KSP's
                         ///< and an empty method means the one of method_of()
  double ridge = 0.0;
  std::string norm = "petsc";     ///< what -ksp_rtol means: petsc or backward
  std::string exchange = "auto";  ///< how ranks add up gradients
  MatrixPtr A;                    ///< the operator as it was when `state` was taken
  OperatorState state;
  std::shared_ptr<MpiGhosts> ghosts;
  MPI_Comm tag_comm = MPI_COMM_NULL;  ///< whose `tag` is ours
  PetscMPIInt tag = 0;
  std::string default_pc;  ///< PETSc's own choice, where none took its place
  std::string used;        ///< what the last solve did, for -ksp_view
};

struct LogEvents {
  PetscLogEvent set_up = 0, solve = 0, sums = 0;
};
extern LogEvents log_events;

inline KspPolyak& polyak_of(KSP ksp) { return *static_cast<KspPolyak*>(ksp->data); }

/// Without a norm there is no test: so many iterations, and that is success.
bool runs_to_the_end(KSP ksp);

/// The method asked for. Otherwise auto, which chooses for the problem; but lsqr where A is
/// known by products only, and minibatch-hbm where something was asked that only sampled
/// steps heed, or a number of iterations rather than an answer.
std::string method_of(KSP ksp);

PetscErrorCode create_ksp_polyak(KSP ksp);
PetscErrorCode read_ksp_options(KSP ksp, PetscOptionItems* PetscOptionsObject);
PetscErrorCode view_ksp_polyak(KSP ksp, PetscViewer viewer);
PetscErrorCode solve_ksp_polyak(KSP ksp);

/// Sees to it that KspPolyak::A is the operator as it is now. Collective.
void follow_operator(KSP ksp);

/// No preconditioner in place of the one that PETSc takes unless told otherwise (and would
/// factor A for); Error usage where somebody has asked for one. Collective.
void use_no_preconditioner(KSP ksp);
/// The KSP becomes one of another type: PETSc's choice stands again.
PetscErrorCode give_back_preconditioner(KSP ksp);

}  // namespace polyak
