// polyak: least squares by row sampling, from the command line.

#include <algorithm>

#include "mpirun.hpp"
#include "program.hpp"
#include "signals.hpp"

int main(int argc, char** argv) {
  using namespace polyak::cli;
  prepare_process();
  const Words words(argv + std::min(argc, 1), argv + argc);
  Messages messages(words);
  try {
    hand_over_to_ranks(words, argv);
    return run_command(words, argv, messages);
  } catch (...) {
    const polyak::Error error = as_error(std::current_exception());
    if (speaks_under_mpirun()) messages.error(error);
    return static_cast<int>(error.code());
  }
}
