#include "program_ranks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "mpi_ranks.hpp"
#include "polyak/ranks.hpp"
#include "program.hpp"
#include "ranks.hpp"

namespace polyak::cli {
namespace {

constexpr double wait_for_others_s = 3.0;
constexpr int exit_codes = 256;

// The object of main(). A pointer at file scope is necessary, for two reasons:
//  - rank() and rank_count() are called in the handler of SIGBUS (cli/fatal_errors.cpp). A signal
//    handler has no argument through which it could get the object.
//  - polyak and polyak-mpi are built from the same sources. The functions of
//    apps/polyak/ranks.hpp are chosen by the linker (one_rank.cpp or this file), so that
//    polyak has no object to pass.
ProgramRanks* current = nullptr;

// Waits for the other ranks up to a time limit; true if all of them arrived.
bool completed(MPI_Request& request, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

// Before main() has made the object (while it chooses BLAS kernels) there is one rank.
int rank() { return current != nullptr ? current->rank() : 0; }
int rank_count() { return current != nullptr ? current->count() : 1; }
void run_collectively(const std::function<void()>& work) { current->run_collectively(work); }
void sum_over_ranks(std::span<double> numbers) { current->sum(numbers); }
void check_same_sizes(const ProblemData& data, Index rows) {
  current->check_same_sizes(data, rows);
}
void join_rows(ProblemData& data, Index first, Index rows) {
  current->join_rows(data, first, rows);
}

ProgramRanks::ProgramRanks(int* argc, char*** argv) : error_output_(STDERR_FILENO) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &for_solver_);
  MPI_Comm_dup(MPI_COMM_WORLD, &for_program_);
  MPI_Comm_rank(for_program_, &rank_);
  MPI_Comm_size(for_program_, &count_);
  if (rank_ != 0) silence_output();
  current = this;
}

ProgramRanks::~ProgramRanks() { current = nullptr; }

void ProgramRanks::silence_output() {
  error_output_ = ::dup(STDERR_FILENO);
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
}

void ProgramRanks::print_error(const Error& error, Messages& messages) const {
  ::dup2(error_output_, STDERR_FILENO);
  messages.error(error);
}

std::string ProgramRanks::broadcast(const std::string& text, int sender) const {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, sender, for_program_);
  std::string out = text;
  out.resize(static_cast<std::size_t>(length));
  MPI_Bcast(out.data(), length, MPI_CHAR, sender, for_program_);
  return out;
}

Error ProgramRanks::broadcast(const std::optional<Error>& own, int sender) const {
  const ErrorParts parts = own ? own->parts() : ErrorParts{};
  int code = own ? static_cast<int>(own->code()) : 0;
  MPI_Bcast(&code, 1, MPI_INT, sender, for_program_);
  ErrorParts out;
  out.what = broadcast(parts.what, sender);
  out.where = broadcast(parts.where, sender);
  out.found = broadcast(parts.found, sender);
  out.expected = broadcast(parts.expected, sender);
  out.hint = broadcast(parts.hint, sender);
  return Error(ErrorCode{code}, out);
}

void ProgramRanks::run_collectively(const std::function<void()>& work) {
  std::optional<Error> error;
  try {
    work();
  } catch (...) {
    error = as_error(std::current_exception());
  }
  int lowest = error ? rank_ : count_;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, for_program_);
  if (lowest < count_) throw broadcast(error, lowest);
}

void ProgramRanks::sum(std::span<double> numbers) {
  mpi::MpiCommunicator(for_solver_).sum(numbers);
}

// Ranks on different machines may read different files.
void ProgramRanks::check_same_sizes(const ProblemData& data, Index rows) {
  long long sizes[] = {rows, -rows, data.A->cols(), -data.A->cols(), data.b.cols(), -data.b.cols()};
  MPI_Allreduce(MPI_IN_PLACE, sizes, 6, MPI_LONG_LONG, MPI_MAX, for_program_);
  if (sizes[0] == -sizes[1] && sizes[2] == -sizes[3] && sizes[4] == -sizes[5]) return;
  throw Error(ErrorCode::bad_data,
              {.what = "the ranks have read problems of different sizes",
               .where = "A",
               .found = std::to_string(-sizes[1]) + " to " + std::to_string(sizes[0]) + " rows, " +
                        std::to_string(-sizes[3]) + " to " + std::to_string(sizes[2]) + " columns",
               .expected = "the same files on every rank"});
}

void ProgramRanks::join_rows(ProblemData& data, Index first, Index rows) {
  check_same_sizes(data, rows);
  const RowRange range{first, first + data.A->rows()};
  run_collectively([&] {
    // Other sizes are refused by Problem.
    if (data.b.rows() == rows) data.b = only_rows(data.b, range);
  });
  constexpr int tag = 1;  // no other messages go through this communicator
  data.A = rank_rows(data.A, first, rows, std::make_shared<mpi::MpiCommunicator>(for_solver_),
                     count_ > 1 ? std::make_shared<mpi::MpiGhosts>(for_solver_, tag) : nullptr);
}

int ProgramRanks::end(int code, const std::optional<Error>& error, Messages& messages) {
  const int none = count_ * exit_codes;
  const int mine = error ? rank_ * exit_codes + static_cast<int>(error->code()) : none;
  int lowest = none;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, for_program_, &request);
  if (!error) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (!completed(request, wait_for_others_s)) {
    print_error(*error, messages);
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(error->code()));
  }
  if (error && lowest / exit_codes == rank_) print_error(*error, messages);
  MPI_Bcast(&code, 1, MPI_INT, 0, for_program_);
  MPI_Finalize();
  return lowest == none ? code : lowest % exit_codes;
}

}  // namespace polyak::cli
