// polyak-mpi: `polyak solve`, its rows shared out over the ranks of mpirun.

#include <unistd.h>

#include <algorithm>

#include "mpi_ranks.hpp"
#include "program.hpp"

namespace {

using namespace polyak::cli;

// All else has nothing to share out, and would do everything once per rank.
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

int run(const Words& words, char** argv, Messages& messages) {
  int code = 70;
  std::optional<polyak::Error> error;
  try {
    check_command(words);
    code = run_command(words, argv, messages);
  } catch (...) {
    error = as_error(std::current_exception());
  }
  return end_ranks(code, error, messages);
}

// Where even an Error finds no memory; mpirun ends the other ranks.
template <class Work>
int or_no_memory(Work work) {
  try {
    return work();
  } catch (...) {
    ::_exit(tell_no_memory());
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process();
  return leave(or_no_memory([&] {
    const Words words(argv + std::min(argc, 1), argv + argc);
    check_blas_threads();
    if (!words.empty() && words[0] == "solve") choose_blas_kernels(argv);  // before MPI: may exec
    start_ranks(&argc, &argv);
    Messages messages(words);
    prepare_last_words(messages, error_output());
    return or_no_memory([&] { return run(words, argv, messages); });
  }));
}
