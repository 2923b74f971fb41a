// polyak: least squares by row sampling, from the command line.

#include <unistd.h>

#include <algorithm>

#include "blas_kernels.hpp"
#include "last_words.hpp"
#include "mpirun.hpp"
#include "program.hpp"
#include "signals.hpp"

namespace {

using namespace polyak::cli;

int run(const Words& words, char** argv, Messages& messages) {
  try {
    check_blas_threads();
    hand_over_to_ranks(words, argv);
    return run_command(words, argv, messages);
  } catch (...) {
    const polyak::Error error = as_error(std::current_exception());
    if (speaks_under_mpirun()) messages.error(error);
    return static_cast<int>(error.code());
  }
}

// Where even an Error finds no memory.
template <class Work>
int or_no_memory(Work work) {
  try {
    return work();
  } catch (...) {
    return tell_no_memory();
  }
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process();
  return leave(or_no_memory([&] {
    const Words words(argv + std::min(argc, 1), argv + argc);
    Messages messages(words);
    prepare_last_words(messages, STDERR_FILENO);
    return or_no_memory([&] { return run(words, argv, messages); });
  }));
}
