#pragma once

// What polyak and polyak-mpi share of a program: commands, and how they end.

#include <exception>
#include <string>

#include "commands.hpp"

namespace polyak::cli {

/// Runs the command that the words name; throws what goes wrong. May start the
/// program anew, with argv, for the sake of a faster BLAS.
int run_command(const Words& words, char** argv, Messages& messages);

/// Whatever was thrown, as the one Error.
Error as_error(const std::exception_ptr& thrown);

}  // namespace polyak::cli
