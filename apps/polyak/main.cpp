// polyak: least squares by row sampling, from the command line.

#include <unistd.h>

#include <algorithm>

#include "program.hpp"
#include "ranks.hpp"

namespace {

using namespace polyak::cli;

int run(const Words& words, char** argv, Messages& messages) {
  try {
    start_polyak_mpi(words, argv);
    return run_command(words, messages);
  } catch (...) {
    const polyak::Error error = as_error(std::current_exception());
    if (reports_errors_under_mpirun()) messages.error(error);
    return static_cast<int>(error.code());
  }
}

// For failures to allocate even the Error.
template <class Work>
int or_no_memory(Work work) {
  try {
    return work();
  } catch (...) {
    return report_no_memory();
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process();
  return leave(or_no_memory([&] {
    const Words words(argv + std::min(argc, 1), argv + argc);
    Messages messages(words);
    install_fatal_handlers(messages, STDERR_FILENO);
    return or_no_memory([&] { return run(words, argv, messages); });
  }));
}
