#pragma once

// Sentences about a figure, held against its numbers.

#include "experiments/figure.hpp"

namespace polyak::experiments {

/// One result for each problem of the figure that the claim is about, and for
/// each c it names; those whose premise does not hold say why.
std::vector<Claim> check_claims(const Figure& figure);

}  // namespace polyak::experiments
