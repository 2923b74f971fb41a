#pragma once

// KSP type "polyak": its data and functions.

#include <petsc/private/kspimpl.h>

#include <memory>
#include <string>
#include <vector>

#include "mpi_ranks.hpp"
#include "petsc_matrices.hpp"
#include "polyak/solve.hpp"

namespace polyak::petsc {

/// Identifies a matrix and its changes, which PETSc counts: those of A and of the blocks inside
/// it, because a program can change a block through a handle of its own without a change of A.
/// For a matrix that is given by functions PETSc has no such count.
class OperatorState {
 public:
  OperatorState() = default;
  /// Not collective.
  explicit OperatorState(Mat A);

  /// True for the same matrix, unchanged on this process; false where there is no count.
  bool same_as(const OperatorState& other) const { return counted_ && numbers_ == other.numbers_; }

 private:
  void add(Mat A);

  bool counted_ = false;
  std::vector<PetscInt64> numbers_;
};

/// ksp->data.
struct KspPolyak {
  SolveOptions options;  ///< those of -ksp_polyak_…; tolerance and limits are those of the KSP,
                         ///< and an empty method means that of method_of()
  double ridge = 0.0;
  std::string norm = "petsc";     ///< the meaning of -ksp_rtol: petsc or backward
  std::string exchange = "auto";  ///< how gradients are summed over ranks
  MatrixPtr A;                    ///< the operator at the time of `state`
  OperatorState state;
  std::shared_ptr<mpi::MpiGhosts> ghosts;
  MPI_Comm tag_comm = MPI_COMM_NULL;  ///< the communicator in which `tag` is reserved
  PetscMPIInt tag = 0;
  std::string default_pc;  ///< PETSc's default preconditioner, if it was replaced by none
  std::string used;        ///< a description of the last solve, for -ksp_view
};

struct LogEvents {
  PetscLogEvent set_up = 0, solve = 0, sums = 0;
};
/// Global, like the registry of PETSc in which the events are numbered, once per process.
extern LogEvents log_events;

inline KspPolyak& polyak_of(KSP ksp) { return *static_cast<KspPolyak*>(ksp->data); }

/// True without a norm or with KSPConvergedSkip: there is no convergence test, and the run
/// succeeds after -ksp_max_it iterations.
bool has_fixed_iterations(KSP ksp);

/// The method that was requested; otherwise auto. But lsqr where A is given by its products only,
/// and minibatch-hbm where an option is set that only sampled steps use, or where the number of
/// iterations is fixed.
std::string method_of(KSP ksp);

PetscErrorCode create_ksp_polyak(KSP ksp);
PetscErrorCode read_ksp_options(KSP ksp, PetscOptionItems* PetscOptionsObject);
PetscErrorCode view_ksp_polyak(KSP ksp, PetscViewer viewer);
PetscErrorCode solve_ksp_polyak(KSP ksp);

/// Reads the operator into KspPolyak::A if it has changed. Collective.
void update_operator(KSP ksp);

/// Replaces the default preconditioner of PETSc (for which PETSc would factor A) by none; Error
/// usage if the user or the program has set one. Collective.
void use_no_preconditioner(KSP ksp);

}  // namespace polyak::petsc
