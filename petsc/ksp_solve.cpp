// KSPSolve: the problem from PETSc's vectors, a solve by the library, and the result.

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "ksp_polyak.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak::petsc {
namespace {

PetscInt as_count(Index value) {
  return static_cast<PetscInt>(std::min<Index>(value, std::numeric_limits<PetscInt>::max()));
}

// The part of x of this process.
void store(ConstView x, Vec v) {
  PetscInt first = 0, last = 0;
  PetscScalar* values = nullptr;
  checked(VecGetOwnershipRange(v, &first, &last));
  checked(VecGetArrayWrite(v, &values));
  std::copy(x.data + first, x.data + last, values);
  checked(VecRestoreArrayWrite(v, &values));
}

// The test of KSPLSQR remains after a change of type, but it reads data of a KSP of type lsqr; it
// is replaced by PETSc's default test.
bool has_default_test(KSP ksp) {
  return ksp->converged == KSPConvergedDefault || ksp->converged == KSPLSQRConvergedDefault;
}

// A convergence test of the program: it alone ends the run.
bool has_own_test(KSP ksp) { return !has_default_test(ksp) && ksp->converged != KSPConvergedSkip; }

// Passes measurements to -ksp_monitor, to the residual history and to the convergence test, with
// their x as the solution of the KSP. `auto` runs several methods; for the KSP they are one run.
class Watcher final : public Observer {
 public:
  explicit Watcher(KSP ksp) : ksp_(ksp) {}

  // The residual of the initial x.
  void started(PetscReal residual) { report(0, residual); }

  void measured_x(ConstView x) override;
  void measured(const Measurement& m) override;
  bool stop_requested() override { return code_ != 0 || reason_ != KSP_CONVERGED_ITERATING; }

  PetscErrorCode code() const { return code_; }
  // The result of the convergence test.
  KSPConvergedReason reason() const { return reason_; }

 private:
  void report(PetscInt iteration, PetscReal residual);
  PetscErrorCode pass_on(PetscInt iteration, PetscReal residual);
  PetscErrorCode test(PetscInt iteration, PetscReal residual);
  bool decided_by_polyak(PetscInt iteration, KSPConvergedReason reason) const;

  KSP ksp_;
  bool begun_ = false;
  Index earlier_ = 0;  // iterations of the methods that ran before
  PetscErrorCode code_ = 0;
  KSPConvergedReason reason_ = KSP_CONVERGED_ITERATING;
};

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

// The next method of `auto` starts at the last x of the previous one: the same residual up to
// rounding, which is reported once, unless a subset of rows gave a better x in between.
void Watcher::report(PetscInt iteration, PetscReal residual) {
  constexpr double rounding = 1e-8;
  const bool repeated = begun_ && iteration == ksp_->its &&
                        std::abs(residual - ksp_->rnorm) <= rounding * ksp_->rnorm;
  if (!stop_requested() && !repeated) code_ = pass_on(iteration, residual);
}

PetscErrorCode Watcher::pass_on(PetscInt iteration, PetscReal residual) {
  const PetscInt asked = begun_ ? std::max<PetscInt>(1, iteration) : 0;
  begun_ = true;
  ksp_->its = iteration;
  ksp_->rnorm = residual;
  PetscCall(KSPLogResidualHistory(ksp_, residual));
  PetscCall(KSPMonitor(ksp_, iteration, residual));
  PetscCall(test(asked, residual));
  return 0;
}

// Results of PETSc's test that polyak decides itself. Divergence (StopRule::max_residual): polyak
// may continue with a smaller step. Convergence, where rtol is the tolerance of polyak, or where
// the residual contains a ridge.
bool Watcher::decided_by_polyak(PetscInt iteration, KSPConvergedReason reason) const {
  const KspPolyak& own = polyak_of(ksp_);
  const bool small = reason == KSP_CONVERGED_RTOL || reason == KSP_CONVERGED_ATOL;
  if (own.norm != "petsc") return reason == KSP_CONVERGED_RTOL;
  return (reason == KSP_DIVERGED_DTOL && iteration > 0) || (small && own.ridge > 0.0);
}

// KSPConvergedDefault sets ksp->rnorm0 and ksp->ttol in the call for iteration 0, which is unique.
PetscErrorCode Watcher::test(PetscInt iteration, PetscReal residual) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  if (has_own_test(ksp_)) {
    PetscCall((*ksp_->converged)(ksp_, iteration, residual, &reason_, ksp_->cnvP));
  } else if (has_default_test(ksp_) && !has_fixed_iterations(ksp_)) {
    PetscCall(KSPConvergedDefault(ksp_, iteration, residual, &reason, ksp_->cnvP));
    if (!decided_by_polyak(iteration, reason)) reason_ = reason;
  }
  return 0;
}

// A vector of all n numbers; those of other ranks are zero.
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

// The whole vector, on every rank.
Array whole(Vec v, const RowMatrix& A) {
  PetscInt n = 0, first = 0, last = 0;
  const PetscScalar* values = nullptr;
  checked(VecGetSize(v, &n));
  checked(VecGetOwnershipRange(v, &first, &last));
  checked(VecGetArrayRead(v, &values));
  std::vector<double> out(to_size(n), 0.0);
  std::copy_n(values, last - first, out.begin() + first);
  checked(VecRestoreArrayRead(v, &values));
  communicator(A).sum(out);
  return Array(std::move(out), n, 1);
}

std::string places(PetscInt first, PetscInt last) {
  return std::to_string(first) + " to " + std::to_string(last - 1);
}

// With another layout a rank would read the rows of b of another rank.
void check_layout(Vec v, PetscInt first, PetscInt last, const char* name, MPI_Comm comm) {
  PetscInt own_first = 0, own_last = 0;
  checked(VecGetOwnershipRange(v, &own_first, &own_last));
  int differs = own_first != first || own_last != last ? 1 : 0, any = 0;
  MPI_Allreduce(&differs, &any, 1, MPI_INT, MPI_MAX, comm);
  if (any != 0)
    throw Error(ErrorCode::bad_data,
                {.what = "the vector is not laid out like the matrix",
                 .where = name,
                 .found = differs ? "places " + places(own_first, own_last) + " on this process"
                                  : "other places on another process",
                 .expected = places(first, last),
                 .hint = "make it by MatCreateVecs"});
}

void check_layouts(KSP ksp) {
  Mat A = nullptr;
  PetscInt first = 0, last = 0;
  checked(KSPGetOperators(ksp, &A, nullptr));
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(A));
  checked(MatGetOwnershipRange(A, &first, &last));
  check_layout(ksp->vec_rhs, first, last, "b", comm);
  checked(MatGetOwnershipRangeColumn(A, &first, &last));
  check_layout(ksp->vec_sol, first, last, "x", comm);
}

void check_method(KSP ksp) {
  const std::string method = method_of(ksp);
  const auto by_products = {"lsqr", "cgls", "cg", "gd", "hbm", "nag"};
  if (!polyak_of(ksp).A->only_products() ||
      std::find(by_products.begin(), by_products.end(), method) != by_products.end())
    return;
  throw Error(ErrorCode::usage, {.what = "the method " + method +
                                         " needs the rows of A, and this matrix is known by "
                                         "its products only",
                                 .where = "-ksp_polyak_method",
                                 .expected = "lsqr, cgls, cg, gd, hbm or nag",
                                 .hint = "MatConvert it to MATAIJ for the others"});
}

// The tests that -ksp_rtol, -ksp_atol and -ksp_divtol mean in PETSc; ksp->ttol and ksp->rnorm0 are
// set before. A convergence test of the program replaces them all.
std::optional<StopRule> rule_of(KSP ksp) {
  if (has_fixed_iterations(ksp)) return std::nullopt;
  if (has_own_test(ksp)) return StopRule{};
  if (polyak_of(ksp).norm != "petsc") return std::nullopt;
  return StopRule{.residual = ksp->ttol,
                  .gradient = ksp->abstol,
                  .cosine = ksp->rtol,
                  .max_residual = ksp->divtol * ksp->rnorm0};
}

SolveOptions options_of(KSP ksp) {
  SolveOptions options = polyak_of(ksp).options;
  options.method = method_of(ksp);
  options.tol = has_fixed_iterations(ksp) ? 0.0 : ksp->rtol;
  options.stop_rule = rule_of(ksp);
  options.max_iterations = ksp->max_it;
  options.threads = 1;
  return options;
}

// For A = 0 the normal residual is zero without a measurement.
KSPConvergedReason converged(KSP ksp, const Report& report) {
  const bool by_residual =
      report.stopped_by == StoppedBy::residual || report.stopped_by == StoppedBy::backward_error;
  if (by_residual) return KSP_CONVERGED_RTOL;
  const bool petsc = polyak_of(ksp).norm == "petsc";
  return petsc && report.gradient_norm.value_or(0.0) < ksp->abstol ? KSP_CONVERGED_ATOL_NORMAL
                                                                   : KSP_CONVERGED_RTOL_NORMAL;
}

KSPConvergedReason reason_of(KSP ksp, const Report& report) {
  switch (report.status) {
    case Status::converged: return converged(ksp, report);
    case Status::limit: return has_fixed_iterations(ksp) ? KSP_CONVERGED_ITS : KSP_DIVERGED_ITS;
    case Status::diverged:
      return report.stopped_by == StoppedBy::overflow ? KSP_DIVERGED_NANORINF : KSP_DIVERGED_DTOL;
    case Status::stagnated:
    case Status::interrupted: break;
  }
  return KSP_DIVERGED_BREAKDOWN;
}

std::string description(const Report& report) {
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

// |b - Ax| of the initial x.
double first_residual(const ProblemData& data) {
  const RowMatrix& A = *data.A;
  const Index d = A.cols();
  std::vector<double> g(to_size(d), 0.0);
  const std::vector<double> zero(data.x0.empty() ? to_size(d) : 0, 0.0);
  double square = 0.0;
  const double* x = data.x0.empty() ? zero.data() : data.x0.view().data;
  A.range_gradient(0, A.rows(), {}, {}, {x, 1, d, d}, data.b.view(), {g.data(), 1, d, d},
                   {&square, 1});
  communicator(A).sum({&square, 1});
  return std::sqrt(square);
}

PetscReal start_of(KSP ksp, const ProblemData& data) {
  PetscReal norm = 0.0;
  if (!ksp->guess_zero) return first_residual(data);
  checked(VecNorm(ksp->vec_rhs, NORM_2, &norm));
  return norm;
}

void finish(KSP ksp, const Watcher& watcher, const Report& report) {
  checked(watcher.code());
  polyak_of(ksp).used = description(report);
  ksp->reason = watcher.reason();
  if (ksp->reason != KSP_CONVERGED_ITERATING) return;  // ksp->vec_sol is the x that was tested
  store(report.x.view(), ksp->vec_sol);                // one column of d numbers
  ksp->its = as_count(report.iterations);
  if (report.residual_norm) ksp->rnorm = *report.residual_norm;
  ksp->reason = reason_of(ksp, report);
}

void run(KSP ksp) {
  KspPolyak& own = polyak_of(ksp);
  use_no_preconditioner(ksp);
  update_operator(ksp);
  check_layouts(ksp);
  check_method(ksp);
  ProblemData data;
  data.A = own.A;
  data.b = own_part_of(ksp->vec_rhs);
  data.ridge = own.ridge;
  if (!ksp->guess_zero) data.x0 = whole(ksp->vec_sol, *own.A);
  own.ghosts->ask_for(*mpi::exchange_named(own.exchange));
  Watcher watcher(ksp);
  watcher.started(start_of(ksp, data));
  checked(watcher.code());
  ksp->reason = watcher.reason();
  if (ksp->reason != KSP_CONVERGED_ITERATING) return;
  finish(ksp, watcher, solve(Problem(std::move(data)), options_of(ksp), &watcher));
}

}  // namespace

bool has_fixed_iterations(KSP ksp) {
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

}  // namespace polyak::petsc
