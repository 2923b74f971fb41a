// polyak-mpi: `polyak solve` with the rows of A distributed over the ranks of mpirun.

#include <unistd.h>

#include <algorithm>

#include "program.hpp"
#include "program_ranks.hpp"

namespace {

using namespace polyak::cli;

// Every other command has no parallel form and would be executed once per rank.
void check_command(const Words& words) {
  const std::string first = words.empty() ? "" : words[0];
  if (first == "solve" || first == "--help" || first == "-h" || first == "--version") return;
  throw polyak::Error(polyak::ErrorCode::usage,
                      {.what = "several ranks solve together, and do nothing else",
                       .where = "polyak-mpi",
                       .found = first.empty() ? "no command" : "'" + first + "'",
                       .expected = "mpirun -n 4 polyak-mpi solve A b",
                       .hint = "run polyak without mpirun for everything else"});
}

int run(const Words& words, char** argv, ProgramRanks& ranks, Messages& messages) {
  int code = 70;
  std::optional<polyak::Error> error;
  try {
    check_command(words);
    code = run_command(words, argv, messages);
  } catch (...) {
    error = as_error(std::current_exception());
  }
  return ranks.end(code, error, messages);
}

// If there is no memory even for an Error; mpirun then ends the other ranks.
template <class Work>
int or_no_memory(Work work) {
  try {
    return work();
  } catch (...) {
    ::_exit(report_no_memory());
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process();
  return leave(or_no_memory([&] {
    const Words words(argv + std::min(argc, 1), argv + argc);
    check_blas_threads();
    if (!words.empty() && words[0] == "solve") choose_blas_kernels(argv);  // before MPI: may exec
    ProgramRanks ranks(&argc, &argv);
    Messages messages(words);
    install_fatal_handlers(messages, ranks.error_output());
    return or_no_memory([&] { return run(words, argv, ranks, messages); });
  }));
}
