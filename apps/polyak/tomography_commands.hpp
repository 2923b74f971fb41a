#pragma once

// The commands behind `polyak tomography`.

#include "commands.hpp"

namespace polyak::cli {

int tomography_matrix(const Words& words, Messages& messages);
int tomography_project(const Words& words, Messages& messages);
int tomography_reconstruct(const Words& words, Messages& messages);

}  // namespace polyak::cli
