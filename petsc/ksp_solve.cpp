#include <algorithm>
#include <limits>
#include <sstream>

#include "ksp_polyak.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
namespace {

PetscInt as_count(Index value) {
  return static_cast<PetscInt>(std::min<Index>(value, std::numeric_limits<PetscInt>::max()));
}

// Measurements go to -ksp_monitor, to the history and, where the user has set
// one, to a convergence test of their own.
class Watcher final : public Observer {
 public:
  explicit Watcher(KSP ksp) : ksp_(ksp) {}

  void measured(const Measurement& m) override {
    if (code_ == 0) code_ = tell(as_count(m.iteration), m.residual_norm);
  }
  bool stop_requested() override { return code_ != 0 || reason_ != KSP_CONVERGED_ITERATING; }

  PetscErrorCode code() const { return code_; }
  KSPConvergedReason reason() const { return reason_; }

 private:
  PetscErrorCode tell(PetscInt iteration, PetscReal residual) {
    if (iteration == 0) ksp_->rnorm0 = residual;
    ksp_->its = iteration;
    ksp_->rnorm = residual;
    PetscCall(KSPLogResidualHistory(ksp_, residual));
    PetscCall(KSPMonitor(ksp_, iteration, residual));
    if (ksp_->converged != KSPConvergedDefault && ksp_->converged != KSPConvergedSkip)
      PetscCall((*ksp_->converged)(ksp_, iteration, residual, &reason_, ksp_->cnvP));
    return 0;
  }

  KSP ksp_;
  PetscErrorCode code_ = 0;
  KSPConvergedReason reason_ = KSP_CONVERGED_ITERATING;
};

// All of n numbers, those of other ranks zero.
Array own_part_of(Vec v) {
  PetscInt n = 0, first = 0, last = 0;
  const PetscScalar* values = nullptr;
  checked(VecGetSize(v, &n));
  checked(VecGetOwnershipRange(v, &first, &last));
  checked(VecGetArrayRead(v, &values));
  Array out = placed_rows({values, last - first, 1, 1}, first, n);
  checked(VecRestoreArrayRead(v, &values));
  return out;
}

Array whole(Vec v) {
  Vec all = nullptr;
  VecScatter scatter = nullptr;
  checked(VecScatterCreateToAll(v, &scatter, &all));
  checked(VecScatterBegin(scatter, v, all, INSERT_VALUES, SCATTER_FORWARD));
  checked(VecScatterEnd(scatter, v, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscInt n = 0;
  const PetscScalar* values = nullptr;
  checked(VecGetSize(all, &n));
  checked(VecGetArrayRead(all, &values));
  std::vector<double> out(values, values + n);
  checked(VecRestoreArrayRead(all, &values));
  checked(VecScatterDestroy(&scatter));
  checked(VecDestroy(&all));
  return Array(std::move(out), n, 1);
}

void store(const Array& x, Vec v) {
  PetscInt first = 0, last = 0;
  PetscScalar* values = nullptr;
  checked(VecGetOwnershipRange(v, &first, &last));
  checked(VecGetArrayWrite(v, &values));
  for (PetscInt j = first; j < last; ++j) values[j - first] = x(j);
  checked(VecRestoreArrayWrite(v, &values));
}

SolveOptions options_of(KSP ksp) {
  SolveOptions options = polyak_of(ksp).options;
  options.method = method_of(ksp);
  options.tol = runs_to_the_end(ksp) ? 0.0 : ksp->rtol;
  options.max_iterations = ksp->max_it;
  options.threads = 1;
  return options;
}

KSPConvergedReason reason_of(const Report& report, bool limit_is_success) {
  switch (report.status) {
    case Status::converged:
      return report.reason.starts_with("|A'r|") ? KSP_CONVERGED_RTOL_NORMAL : KSP_CONVERGED_RTOL;
    case Status::limit: return limit_is_success ? KSP_CONVERGED_ITS : KSP_DIVERGED_ITS;
    case Status::diverged:
      return report.reason.find("overflow") != std::string::npos ? KSP_DIVERGED_NANORINF
                                                                 : KSP_DIVERGED_DTOL;
    case Status::stagnated:
    case Status::interrupted: break;
  }
  return KSP_DIVERGED_BREAKDOWN;
}

std::string described(const Report& report) {
  std::ostringstream out;
  out << report.method << ", " << report.matrix;
  if (report.used.batch) out << ", batch " << *report.used.batch;
  if (report.used.step_size) out << ", step " << *report.used.step_size;
  if (report.used.momentum) out << ", momentum " << *report.used.momentum;
  if (report.used.predicted_rate) out << ", predicted rate " << *report.used.predicted_rate;
  if (report.used.exchange) out << ", sums of " << *report.used.exchange;
  out << "; " << to_string(report.status) << ": " << report.reason;
  return out.str();
}

void run(KSP ksp) {
  KspPolyak& own = polyak_of(ksp);
  ProblemData data;
  data.A = own.A;
  data.b = own_part_of(ksp->vec_rhs);
  data.ridge = own.ridge;
  if (!ksp->guess_zero) data.x0 = whole(ksp->vec_sol);
  own.ghosts->ask_for(*exchange_named(own.exchange));
  Watcher watcher(ksp);
  const Report report = solve(Problem(std::move(data)), options_of(ksp), &watcher);
  checked(watcher.code());
  store(report.x, ksp->vec_sol);
  ksp->its = as_count(report.iterations);
  if (report.residual_norm) ksp->rnorm = *report.residual_norm;
  ksp->reason = watcher.reason() != KSP_CONVERGED_ITERATING
                    ? watcher.reason()
                    : reason_of(report, runs_to_the_end(ksp));
  own.used = described(report);
}

}  // namespace

bool runs_to_the_end(KSP ksp) {
  return ksp->converged == KSPConvergedSkip || ksp->normtype == KSP_NORM_NONE;
}

PetscErrorCode solve_ksp_polyak(KSP ksp) {
  PetscCheck(!ksp->transpose_solve, PetscObjectComm(reinterpret_cast<PetscObject>(ksp)),
             PETSC_ERR_SUP,
             "polyak: KSPSolveTranspose() is not there; give the transposed matrix as operator");
  PetscCall(PetscLogEventBegin(log_events.solve, ksp, 0, 0, 0));
  const PetscErrorCode code = guarded(ksp, [&] { run(ksp); });
  PetscCall(PetscLogEventEnd(log_events.solve, ksp, 0, 0, 0));
  return code;
}

}  // namespace polyak
