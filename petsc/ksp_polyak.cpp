#include "ksp_polyak.hpp"

#include "mpi_sums.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak {

LogEvents log_events;

namespace {

// PETSc chooses a preconditioner unless told, and would factor A for it.
void use_no_preconditioner(KSP ksp) {
  PC pc = nullptr;
  char asked[64] = "";
  PetscBool given = PETSC_FALSE;
  checked(KSPGetPC(ksp, &pc));
  checked(PetscOptionsGetString(reinterpret_cast<PetscObject>(pc)->options,
                                reinterpret_cast<PetscObject>(pc)->prefix, "-pc_type", asked,
                                sizeof asked, &given));
  if (given && std::string(asked) != PCNONE)
    throw Error(ErrorCode::usage, {.what = "KSP polyak uses no preconditioner",
                                   .where = "-pc_type",
                                   .found = asked,
                                   .expected = "none"});
  checked(PCSetType(pc, PCNONE));
}

// Every rank leaves with an error of any: sums are formed together from here on.
MatrixPtr rows_or_error(Mat A, MPI_Comm comm) {
  MatrixPtr own;
  std::string line;
  try {
    own = own_rows(A);
  } catch (const std::exception& error) {
    line = error.what();
  }
  int failed = line.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
  if (failed != 0 && line.empty()) line = "another rank could not read its rows";
  if (failed != 0) throw Error(ErrorCode::bad_data, {.what = line});
  return own;
}

class LoggedGhosts final : public MpiGhosts {
 public:
  using MpiGhosts::MpiGhosts;
  void add(View g) override {
    checked(PetscLogEventBegin(log_events.sums, 0, 0, 0, 0));
    MpiGhosts::add(g);
    checked(PetscLogEventEnd(log_events.sums, 0, 0, 0, 0));
  }
};

void prepare(KSP ksp) {
  Mat A = nullptr;
  checked(KSPGetOperators(ksp, &A, nullptr));
  use_no_preconditioner(ksp);
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(A));
  PetscMPIInt rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  PetscInt rows = 0, first = 0;
  checked(MatGetSize(A, &rows, nullptr));
  checked(MatGetOwnershipRange(A, &first, nullptr));
  MatrixPtr own = rows_or_error(A, comm);
  const auto complete = [comm](std::span<double> sums) {
    checked(PetscLogEventBegin(log_events.sums, 0, 0, 0, 0));
    complete_sums(comm, sums);
    checked(PetscLogEventEnd(log_events.sums, 0, 0, 0, 0));
  };
  PetscMPIInt tag = 0;
  checked(PetscObjectGetNewTag(reinterpret_cast<PetscObject>(A), &tag));
  KspPolyak& polyak = polyak_of(ksp);
  polyak.ghosts = std::make_shared<LoggedGhosts>(comm, tag);
  polyak.A = rank_rows(
      std::move(own), first, rows, rank, ranks, complete,
      [comm](auto words, auto& received) { exchange_words(comm, words, received); },
      ranks > 1 ? polyak.ghosts : nullptr);
}

PetscErrorCode set_up(KSP ksp) {
  PetscCall(PetscLogEventBegin(log_events.set_up, ksp, 0, 0, 0));
  const PetscErrorCode code = guarded(ksp, [&] { prepare(ksp); });
  PetscCall(PetscLogEventEnd(log_events.set_up, ksp, 0, 0, 0));
  return code;
}

PetscErrorCode reset(KSP ksp) {
  polyak_of(ksp).A.reset();
  polyak_of(ksp).ghosts.reset();
  return 0;
}

PetscErrorCode destroy(KSP ksp) {
  delete static_cast<KspPolyak*>(ksp->data);
  ksp->data = nullptr;
  return 0;
}

}  // namespace

PetscErrorCode create_ksp_polyak(KSP ksp) {
  return guarded(ksp, [&] {
    auto own = std::make_unique<KspPolyak>();
    own->options.method.clear();  // chosen when it is known what else was asked
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

}  // namespace polyak
