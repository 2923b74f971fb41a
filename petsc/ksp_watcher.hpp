#pragma once

// What a KSP is told while polyak runs, and what it says to that: monitors, the history of
// residuals, the convergence test.

#include <petsc/private/kspimpl.h>

#include "polyak/solve.hpp"

namespace polyak {

/// Measurements go to -ksp_monitor and to the history, with the x they belong to as the KSP's
/// solution, and then to the convergence test. `auto` runs one method after the other; to the
/// KSP that is one run.
class Watcher final : public Observer {
 public:
  explicit Watcher(KSP ksp) : ksp_(ksp) {}

  /// Of the x that the run starts from.
  void started(PetscReal residual) { report(0, residual); }

  void measured_x(ConstView x) override;
  void measured(const Measurement& m) override;
  bool stop_requested() override { return code_ != 0 || reason_ != KSP_CONVERGED_ITERATING; }

  PetscErrorCode code() const { return code_; }
  /// The word of the convergence test.
  KSPConvergedReason reason() const { return reason_; }

 private:
  void report(PetscInt iteration, PetscReal residual);
  PetscErrorCode tell(PetscInt iteration, PetscReal residual);
  PetscErrorCode test(PetscInt iteration, PetscReal residual);
  bool left_to_polyak(PetscInt iteration, KSPConvergedReason reason) const;

  KSP ksp_;
  bool begun_ = false;
  Index earlier_ = 0;  // iterations of methods that ran before
  PetscErrorCode code_ = 0;
  KSPConvergedReason reason_ = KSP_CONVERGED_ITERATING;
};

/// PETSc's own test, or that of KSPLSQR, which a KSP keeps that has changed its type.
bool has_default_test(KSP ksp);

/// A test that the program has set: its word alone ends the run.
bool has_own_test(KSP ksp);

PetscInt as_count(Index value);

/// The part of x that this process keeps.
void store(ConstView x, Vec v);

}  // namespace polyak
