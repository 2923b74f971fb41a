#pragma once

/// \file memory.hpp
/// How much memory a solve will take, from sizes alone.

#include <string>

#include "polyak/options.hpp"
#include "polyak/shape.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Bytes that `method` (any but auto) takes beside A, b and weights: its
/// vectors, factors, sketch, sampling table and what finding the spectrum
/// needs. An estimate, good to a factor of two where it is more than some MB.
double working_bytes(const ProblemShape& shape, const std::string& method,
                     const SolveOptions& options);

/// Bytes of the look that auto takes at some rows first; 0 where it takes none.
double look_bytes(const ProblemShape& shape, const SolveOptions& options);

/// Of what auto would run first, the look included, or of the method that
/// options name; with the factor of --statistics where asked for.
double solve_bytes(const ProblemShape& shape, const SolveOptions& options);

}  // namespace polyak
#pragma GCC visibility pop
