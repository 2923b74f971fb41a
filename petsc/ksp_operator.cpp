// The operator of the KSP: read again whenever it has changed.

#include <petsc/private/petscimpl.h>

#include "ksp_polyak.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak::petsc {
namespace {

// If one rank fails, all ranks throw: the following operations are collective.
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

class LoggedCommunicator final : public mpi::MpiCommunicator {
 public:
  using mpi::MpiCommunicator::MpiCommunicator;
  void sum(std::span<double> values) override {
    checked(PetscLogEventBegin(log_events.sums, 0, 0, 0, 0));
    mpi::MpiCommunicator::sum(values);
    checked(PetscLogEventEnd(log_events.sums, 0, 0, 0, 0));
  }
};

class LoggedGhosts final : public mpi::MpiGhosts {
 public:
  using mpi::MpiGhosts::MpiGhosts;
  void add(View g) override {
    checked(PetscLogEventBegin(log_events.sums, 0, 0, 0, 0));
    mpi::MpiGhosts::add(g);
    checked(PetscLogEventEnd(log_events.sums, 0, 0, 0, 0));
  }
};

// One tag for all solves: PETSc has a limited number of them.
PetscMPIInt tag_of(KspPolyak& polyak, Mat A, MPI_Comm comm) {
  if (polyak.tag_comm != comm)
    checked(PetscObjectGetNewTag(reinterpret_cast<PetscObject>(A), &polyak.tag));
  polyak.tag_comm = comm;
  return polyak.tag;
}

void read_operator(KspPolyak& polyak, Mat A, MPI_Comm comm) {
  PetscMPIInt ranks = 1;
  MPI_Comm_size(comm, &ranks);
  PetscInt rows = 0, first = 0;
  checked(MatGetSize(A, &rows, nullptr));
  checked(MatGetOwnershipRange(A, &first, nullptr));
  polyak.A.reset();  // the old copy first, to save memory
  polyak.ghosts = std::make_shared<LoggedGhosts>(comm, tag_of(polyak, A, comm));
  MatrixPtr own = rows_or_error(A, comm);
  const bool exchange = ranks > 1 && !own->only_products();
  polyak.A = rank_rows(std::move(own), first, rows, std::make_shared<LoggedCommunicator>(comm),
                       exchange ? polyak.ghosts : nullptr);
}

}  // namespace

OperatorState::OperatorState(Mat A) : counted_(is_stored(A)) {
  if (!counted_) return;
  add(A);
  if (is_type(A, MATMPIAIJ)) {
    Mat diagonal = nullptr, other = nullptr;
    checked(MatMPIAIJGetSeqAIJ(A, &diagonal, &other, nullptr));
    add(diagonal);
    add(other);
  }
  if (is_type(A, MATMPIDENSE)) {
    Mat local = nullptr;
    checked(MatDenseGetLocalMatrix(A, &local));
    add(local);
  }
}

void OperatorState::add(Mat A) {
  PetscObjectId id = 0;
  PetscObjectState state = 0, pattern = 0;
  checked(PetscObjectGetId(reinterpret_cast<PetscObject>(A), &id));
  checked(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &state));
  checked(MatGetNonzeroState(A, &pattern));
  numbers_.insert(numbers_.end(), {id, state, pattern});
}

void update_operator(KSP ksp) {
  KspPolyak& polyak = polyak_of(ksp);
  Mat A = nullptr;
  checked(KSPGetOperators(ksp, &A, nullptr));
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(A));
  OperatorState now(A);
  int changed = polyak.A && now.same_as(polyak.state) ? 0 : 1;  // perhaps on this process only
  MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, comm);
  if (changed == 0) return;
  checked(PetscLogEventBegin(log_events.set_up, ksp, 0, 0, 0));
  read_operator(polyak, A, comm);
  polyak.state = std::move(now);
  checked(PetscLogEventEnd(log_events.set_up, ksp, 0, 0, 0));
}

}  // namespace polyak::petsc
