#pragma once

// Sums over all rows of a matrix where another memory than that of the host has a copy of it. The
// host asks for them by these functions and computes them itself where there is no such copy.

#include <optional>
#include <span>
#include <vector>

#include "polyak/row_matrix.hpp"

namespace polyak::internal {

/// H = Σ_i f_i² v_i v_iᵀ, both triangles. `additions` is the length of the longest chain of
/// additions in an entry.
struct GramMatrix {
  std::vector<double> H;
  double additions = 0.0;
};

class RowSums {
 public:
  virtual ~RowSums() = default;

  /// RowMatrix::norms of all rows (without weights) and column_norms with weights, the latter
  /// summed in `chunks` chunks as by Products, with the bits of the host. False where this A has
  /// no copy.
  virtual bool norms(const RowMatrix& A, std::span<const double> weights, double scale,
                     Index chunks, std::span<double> rows, std::span<double> columns) = 0;

  /// Whether gram() has this A.
  virtual bool has_gram(const RowMatrix& A) const = 0;
  /// With f_i = scale·√weights_i, weights empty for those of the problem; v_i is row i of A, or of
  /// [A b] with the b of the problem. Nothing where this A has no copy.
  virtual std::optional<GramMatrix> gram(const RowMatrix& A, double scale,
                                         std::span<const double> weights, bool with_b) = 0;
};

}  // namespace polyak::internal
