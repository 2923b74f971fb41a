#include "program_ranks.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "mpi_communicator.hpp"
#include "mpi_ghosts.hpp"
#include "polyak/ranks.hpp"
#include "program.hpp"
#include "ranks.hpp"

namespace polyak::cli {
namespace {

constexpr double patience_s = 3.0;
constexpr int codes = 256;

MPI_Comm sums = MPI_COMM_NULL, talk = MPI_COMM_NULL;
int own_rank = 0, all_ranks = 1;
int heard_error = STDERR_FILENO;  // standard error as mpirun gave it

void say_nothing() {
  heard_error = ::dup(STDERR_FILENO);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

void tell(const Error& error, Messages& messages) {
  ::dup2(heard_error, STDERR_FILENO);
  messages.error(error);
}

// What the sender says, on every rank.
std::string heard(const std::string& text, int sender) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, sender, talk);
  std::string out = text;
  out.resize(static_cast<std::size_t>(length));
  MPI_Bcast(out.data(), length, MPI_CHAR, sender, talk);
  return out;
}

Error heard(const std::optional<Error>& own, int sender) {
  const ErrorParts parts = own ? own->parts() : ErrorParts{};
  int code = own ? static_cast<int>(own->code()) : 0;
  MPI_Bcast(&code, 1, MPI_INT, sender, talk);
  ErrorParts out;
  out.what = heard(parts.what, sender);
  out.where = heard(parts.where, sender);
  out.found = heard(parts.found, sender);
  out.expected = heard(parts.expected, sender);
  out.hint = heard(parts.hint, sender);
  return Error(ErrorCode{code}, out);
}

// Waits for the others with an end; true when all came.
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

int rank() { return own_rank; }
int rank_count() { return all_ranks; }

void together(const std::function<void()>& work) {
  std::optional<Error> error;
  try {
    work();
  } catch (...) {
    error = as_error(std::current_exception());
  }
  int lowest = error ? own_rank : all_ranks;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, talk);
  if (lowest < all_ranks) throw heard(error, lowest);
}

void sum_over_ranks(std::span<double> numbers) { MpiCommunicator(sums).sum(numbers); }

// Ranks on machines of their own may have files of their own.
void check_same_sizes(const ProblemData& data, Index rows) {
  long long sizes[] = {rows, -rows, data.A->cols(), -data.A->cols(), data.b.cols(), -data.b.cols()};
  MPI_Allreduce(MPI_IN_PLACE, sizes, 6, MPI_LONG_LONG, MPI_MAX, talk);
  if (sizes[0] == -sizes[1] && sizes[2] == -sizes[3] && sizes[4] == -sizes[5]) return;
  throw Error(ErrorCode::bad_data,
              {.what = "the ranks have read problems of different sizes",
               .where = "A",
               .found = std::to_string(-sizes[1]) + " to " + std::to_string(sizes[0]) + " rows, " +
                        std::to_string(-sizes[3]) + " to " + std::to_string(sizes[2]) + " columns",
               .expected = "the same files on every rank"});
}

void join_rows(ProblemData& data, Index first, Index rows) {
  check_same_sizes(data, rows);
  const RowRange range{first, first + data.A->rows()};
  together([&] {
    // Sizes that do not fit are the problem's to refuse.
    if (data.b.rows() == rows) data.b = only_rows(data.b, range);
  });
  constexpr int tag = 1;  // no other messages go through this communicator
  data.A = rank_rows(data.A, first, rows, std::make_shared<MpiCommunicator>(sums),
                     all_ranks > 1 ? std::make_shared<MpiGhosts>(sums, tag) : nullptr);
}

void start_ranks(int* argc, char*** argv) {
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &sums);
  MPI_Comm_dup(MPI_COMM_WORLD, &talk);
  MPI_Comm_rank(talk, &own_rank);
  MPI_Comm_size(talk, &all_ranks);
  if (own_rank != 0) say_nothing();
}

int error_output() { return heard_error; }

int end_ranks(int code, const std::optional<Error>& error, Messages& messages) {
  const int none = all_ranks * codes;
  const int mine = error ? own_rank * codes + static_cast<int>(error->code()) : none;
  int lowest = none;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, talk, &request);
  if (!error) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (!completed(request, patience_s)) {
    tell(*error, messages);
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(error->code()));
  }
  if (error && lowest / codes == own_rank) tell(*error, messages);
  MPI_Bcast(&code, 1, MPI_INT, 0, talk);
  MPI_Finalize();
  return lowest == none ? code : lowest % codes;
}

}  // namespace polyak::cli
