#pragma once

/// \file memory.hpp
/// How much memory a solve will take, from sizes alone.

#include <optional>
#include <string>

#include "polyak/options.hpp"
#include "polyak/shape.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Bytes that `method` (any but auto) takes beside A, b and weights: its
/// vectors, factors, sketch, sampling table and the computation of the
/// spectrum. An estimate, accurate to a factor of two above a few MB.
double working_bytes(const ProblemShape& shape, const std::string& method,
                     const SolveOptions& options);

/// Bytes of the look at some rows by which auto begins; 0 where it takes none.
double look_bytes(const ProblemShape& shape, const SolveOptions& options);

/// Bytes of the method that `options` name; for auto the largest need of its stages up to the
/// first method that is no trial. With the factor for `statistics` where requested.
double solve_bytes(const ProblemShape& shape, const SolveOptions& options);

/// For a method that samples rows by their norms: the same options with uniform sampling, which
/// needs no number for each row; the method is another one where it has no such option. Nothing
/// for other methods.
std::optional<SolveOptions> with_uniform_sampling(const SolveOptions& options);

}  // namespace polyak
#pragma GCC visibility pop
