#include "ksp_watcher.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ksp_polyak.hpp"

namespace polyak {

PetscInt as_count(Index value) {
  return static_cast<PetscInt>(std::min<Index>(value, std::numeric_limits<PetscInt>::max()));
}

void store(ConstView x, Vec v) {
  PetscInt first = 0, last = 0;
  PetscScalar* values = nullptr;
  checked(VecGetOwnershipRange(v, &first, &last));
  checked(VecGetArrayWrite(v, &values));
  std::copy(x.data + first, x.data + last, values);
  checked(VecRestoreArrayWrite(v, &values));
}

// KSPLSQRConvergedDefault reads what a KSP of type lsqr keeps, and this one does not.
bool has_default_test(KSP ksp) {
  return ksp->converged == KSPConvergedDefault || ksp->converged == KSPLSQRConvergedDefault;
}

bool has_own_test(KSP ksp) { return !has_default_test(ksp) && ksp->converged != KSPConvergedSkip; }

void Watcher::measured_x(ConstView x) {
  if (stop_requested()) return;
  try {
    store(x, ksp_->vec_sol);
  } catch (const PetscFailure& failure) {
    code_ = failure.code;
  }
}

void Watcher::measured(const Measurement& m) {
  if (m.iteration == 0) earlier_ = ksp_->its;
  report(as_count(earlier_ + m.iteration), m.residual_norm);
}

// The next method starts where the last one ended: nothing new but rounding, unless some rows
// gave a better x in between.
void Watcher::report(PetscInt iteration, PetscReal residual) {
  constexpr double rounding = 1e-8;
  const bool known = begun_ && iteration == ksp_->its &&
                     std::abs(residual - ksp_->rnorm) <= rounding * ksp_->rnorm;
  if (!stop_requested() && !known) code_ = tell(iteration, residual);
}

PetscErrorCode Watcher::tell(PetscInt iteration, PetscReal residual) {
  const PetscInt asked = begun_ ? std::max<PetscInt>(1, iteration) : 0;
  begun_ = true;
  ksp_->its = iteration;
  ksp_->rnorm = residual;
  PetscCall(KSPLogResidualHistory(ksp_, residual));
  PetscCall(KSPMonitor(ksp_, iteration, residual));
  PetscCall(test(asked, residual));
  return 0;
}

// That a run diverges polyak says by itself (StopRule::most_residual): it may go on with a
// smaller step. So it does, where rtol is its own tolerance, that x is an answer, and where a
// ridge has its part in the residual.
bool Watcher::left_to_polyak(PetscInt iteration, KSPConvergedReason reason) const {
  const KspPolyak& own = polyak_of(ksp_);
  const bool small = reason == KSP_CONVERGED_RTOL || reason == KSP_CONVERGED_ATOL;
  if (own.norm != "petsc") return reason == KSP_CONVERGED_RTOL;
  return (reason == KSP_DIVERGED_DTOL && iteration > 0) || (small && own.ridge > 0.0);
}

// KSPConvergedDefault sets ksp->rnorm0 and ksp->ttol when it is asked for iteration 0, once.
PetscErrorCode Watcher::test(PetscInt iteration, PetscReal residual) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  if (has_own_test(ksp_)) {
    PetscCall((*ksp_->converged)(ksp_, iteration, residual, &reason_, ksp_->cnvP));
  } else if (has_default_test(ksp_) && !runs_to_the_end(ksp_)) {
    PetscCall(KSPConvergedDefault(ksp_, iteration, residual, &reason, ksp_->cnvP));
    if (!left_to_polyak(iteration, reason)) reason_ = reason;
  }
  return 0;
}

}  // namespace polyak
