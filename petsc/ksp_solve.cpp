#include <algorithm>
#include <cmath>
#include <sstream>

#include "ksp_polyak.hpp"
#include "ksp_watcher.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
namespace {

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

// On every rank.
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

// A rank would read rows of b that belong to others, or none.
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

// What PETSc means by -ksp_rtol, -ksp_atol and -ksp_divtol; ksp->ttol and ksp->rnorm0 are
// known by now. A test of the program's own decides alone.
std::optional<StopRule> rule_of(KSP ksp) {
  if (runs_to_the_end(ksp)) return std::nullopt;
  if (has_own_test(ksp)) return StopRule{};
  if (polyak_of(ksp).norm != "petsc") return std::nullopt;
  return StopRule{.residual = ksp->ttol,
                  .gradient = ksp->abstol,
                  .cosine = ksp->rtol,
                  .most_residual = ksp->divtol * ksp->rnorm0};
}

SolveOptions options_of(KSP ksp) {
  SolveOptions options = polyak_of(ksp).options;
  options.method = method_of(ksp);
  options.tol = runs_to_the_end(ksp) ? 0.0 : ksp->rtol;
  options.stop_rule = rule_of(ksp);
  options.max_iterations = ksp->max_it;
  options.threads = 1;
  return options;
}

// Of an A of zeros the normal residual is zero, and was not measured.
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
    case Status::limit: return runs_to_the_end(ksp) ? KSP_CONVERGED_ITS : KSP_DIVERGED_ITS;
    case Status::diverged:
      return report.stopped_by == StoppedBy::overflow ? KSP_DIVERGED_NANORINF : KSP_DIVERGED_DTOL;
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

// |b - Ax| of the x to start from.
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
  polyak_of(ksp).used = described(report);
  ksp->reason = watcher.reason();
  if (ksp->reason != KSP_CONVERGED_ITERATING) return;  // x is the one that was tested
  store(report.x.view(), ksp->vec_sol);                // d numbers, one below the other
  ksp->its = as_count(report.iterations);
  if (report.residual_norm) ksp->rnorm = *report.residual_norm;
  ksp->reason = reason_of(ksp, report);
}

void run(KSP ksp) {
  KspPolyak& own = polyak_of(ksp);
  use_no_preconditioner(ksp);
  follow_operator(ksp);
  check_layouts(ksp);
  check_method(ksp);
  ProblemData data;
  data.A = own.A;
  data.b = own_part_of(ksp->vec_rhs);
  data.ridge = own.ridge;
  if (!ksp->guess_zero) data.x0 = whole(ksp->vec_sol, *own.A);
  own.ghosts->ask_for(*exchange_named(own.exchange));
  Watcher watcher(ksp);
  watcher.started(start_of(ksp, data));
  checked(watcher.code());
  ksp->reason = watcher.reason();
  if (ksp->reason != KSP_CONVERGED_ITERATING) return;
  finish(ksp, watcher, solve(Problem(std::move(data)), options_of(ksp), &watcher));
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
