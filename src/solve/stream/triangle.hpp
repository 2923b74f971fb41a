#pragma once

// What one read of the rows leaves, and the solution that follows from it.
//
// The rows are √w·[a − centre, 1, b − level, b − level − a·start] with any centre and any level (of
// zeros without an intercept) and any start: R is their triangle. For an x in these variables ‖r‖
// and Aᵀr of all rows are, up to rounding, those of the small problem [R_A | R_b], so that it has
// the same solutions, the same rank and the same condition. A start that is near the solution
// leaves a right-hand side that is as small as the noise: the step from there has rounding errors
// relative to the noise, not to b.

#include <vector>

#include "linalg/buffer.hpp"
#include "matrix/column_map.hpp"
#include "method/method.hpp"

namespace polyak {

struct Triangle {
  Index d = 0, c = 0;  ///< columns of A; right-hand sides
  bool intercept = false;
  double rows = 0.0;                ///< those with a weight
  double total_weight = 0.0;        ///< of all rows
  std::vector<double> centre = {};  ///< d numbers; empty means 0
  std::vector<double> levels = {};  ///< c numbers, parts of the intercepts; empty means 0
  std::vector<double> start = {};  ///< c × J, in the variables above; empty: R has no last columns
  Buffer r = {};
  double rounding = 0.0;  ///< of R, relative to the norm of each column (linalg/block_qr.hpp)

  Index unknowns() const { return d + (intercept ? 1 : 0); }
  Index height() const { return r.rows(); }
  Index b(Index k) const { return d + 1 + k; }                   ///< the column of b
  Index start_residual(Index k) const { return d + 1 + c + k; }  ///< of b − A·start
};

/// The solution of a triangle: x = base + step, where the base is the start or 0. The mapped
/// problem has columns unit_j·a_j, of norm about 1 where columns are scaled, and right-hand sides
/// times scale_b.
struct TriangleFit {
  ColumnMap map = {};
  double scale_b = 1.0;  ///< a power of two
  bool scaled = false;   ///< columns are scaled one by one, or centred
  Buffer S = {};         ///< height × J: the mapped columns; those that were removed are zero
  Buffer b = {};         ///< height × c, without its level
  Buffer rhs = {};       ///< height × c: b − A·base
  std::vector<double> norms = {};  ///< of the mapped columns
  std::vector<double> b_norms = {}, rhs_norms = {};
  std::vector<double> user_b_norms = {};  ///< of b with its level
  std::vector<Index> zero_columns = {}, constant_columns = {};
  std::vector<double> base = {}, step = {},
                      z = {};  ///< c × J, of the mapped problem; z = base + step
  std::vector<double> x = {};  ///< c × J, the user's
  RankFound found = {};
  bool ok = false;  ///< false where R is not finite, or its singular values did not converge
};

struct FitOptions {
  double ridge = 0.0;
  bool scale_columns = true;
  double least_rcond =
      0.0;  ///< smaller singular values count as zero, beside those of rank_threshold
};

/// The x of least norm (without the intercept) that minimises ‖A·x − b‖² + ridge·‖x‖².
TriangleFit fit_triangle(const Triangle& triangle, const FitOptions& options);

}  // namespace polyak
