#pragma once

// The commands; each takes the words behind its name and returns the exit code.

#include <string>
#include <vector>

#include "messages.hpp"

namespace polyak::cli {

using Words = std::vector<std::string>;

int solve_command(const Words& words, Messages& messages);
int plan_command(const Words& words, Messages& messages);
int theory_command(const Words& words, Messages& messages);
int generate_command(const Words& words, Messages& messages);
int reproduce_command(const Words& words, Messages& messages);
int info_command(const Words& words, Messages& messages);
int convert_command(const Words& words, Messages& messages);
int tomography_command(const Words& words, Messages& messages);
int bench_command(const Words& words, Messages& messages);

}  // namespace polyak::cli
