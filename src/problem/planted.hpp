#pragma once

// Shared by the generators: checks of arguments, random rows, random matrices with orthonormal
// columns, and the right-hand side for a planted solution.

#include <algorithm>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "linalg/buffer.hpp"
#include "polyak/generate.hpp"
#include "polyak/types.hpp"

namespace polyak::internal {

/// Error usage: `field` was `found` but should be `expected`.
[[noreturn]] void refuse(const std::string& field, const std::string& found,
                         const std::string& expected);
void require_size(const std::string& field, Index found, Index least);
/// Requires a finite number ≥ `least`, or > `least` when `open`.
void require_number(const std::string& field, double found, double least, bool open = false);
void require_options(const GenerateOptions& options);
/// Error out_of_memory where the machine has less memory than `what` needs; `field` is the option
/// that asks for so much.
void require_memory(double bytes, const std::string& what, const std::string& field,
                    const std::string& size);
/// Memory for a dense matrix; Error usage when its size overflows, Error out_of_memory when
/// the allocation fails.
std::vector<double> dense_storage(Index rows, Index cols);

/// Fills rows [first, last) of A with iid N(0, 1) numbers; row i takes those of iteration i of
/// the random stream.
void fill_normal(const Random& random, Index first, Index last, View A);

/// Calls body(first, last) for ranges of rows that do not depend on the number of threads.
template <class Body>
void for_row_ranges(Index rows, ThreadTeam& team, Body&& body) {
  constexpr Index range = 4096;
  team.run((rows + range - 1) / range,
           [&](Index k) { body(k * range, std::min(rows, (k + 1) * range)); });
}

/// iid N(0, 1): the planted solution of every random problem.
std::vector<double> normal_solution(Index cols, const GenerateOptions& options);

/// A random vector in R^size, uniform on the sphere of this radius.
std::vector<double> noise_of_norm(double radius, Index size, std::uint64_t seed, ThreadTeam& team);

/// b = A·x + noise and, with noise, the least squares solution.
GeneratedProblem plant(MatrixPtr A, std::vector<double> x, const GenerateOptions& options,
                       ThreadTeam& team);

class ThreadTeam;

/// Fills Q (rows ≥ cols) and returns an upper triangular R such that Q·R⁻¹ is Haar distributed
/// (uniform among matrices with orthonormal columns) and orthonormal to machine precision. R is
/// the identity up to rounding; the caller multiplies R⁻¹ into its next product, which saves a
/// pass over Q.
Buffer haar_frame(View Q, const Random& random, ThreadTeam& team);

/// A ← A·M in place, M square, by blocks of rows.
void multiply_rows(View A, ConstView M, ThreadTeam& team);

}  // namespace polyak::internal
