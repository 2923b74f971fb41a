#pragma once

/// \file row_matrix.hpp
/// A, known by its rows.
///
/// Everything above this interface reads rows, never single entries, so that a
/// dense array, a CSR matrix, a mapped file, a projector that computes its rows
/// on demand and the rows of several processes (polyak/ranks.hpp) can all implement
/// it (docs/decisions/0002-row-matrix.md describes each).
///
/// Calls are virtual per chunk of rows, never per row. No call allocates.
/// All are const and may run in several threads at once.
///
/// Notation: a_i is row i of A; x and g are c × d (one row per right-hand
/// side), b is n × c. A call touches only the rows it names.

#include <span>
#include <string>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Powers of two that keep extreme data in range: the solver works on A·a and
/// b·b. Both are 1 unless the data needs them.
struct Scale {
  double a = 1.0;
  double b = 1.0;
};

class RowMatrix {
 public:
  virtual ~RowMatrix() = default;

  virtual Index rows() const = 0;
  virtual Index cols() const = 0;
  /// Stored entries (n·d for a dense matrix).
  virtual Index nonzeros() const = 0;
  /// Products of two entries of a row that AᵀA is made of: Σ k_i² for rows stored by
  /// their k_i entries, n·d² for any other.
  virtual double gram_products() const {
    return static_cast<double>(rows()) * static_cast<double>(cols()) * static_cast<double>(cols());
  }
  /// Single rows cannot be read: multiply, add_transposed, range_gradient and norms are
  /// asked for all rows held here at a time, on every process together, and nothing else.
  /// Norms are estimates then.
  virtual bool only_products() const { return false; }
  /// What it is, for people: "dense, double", "csr, 32-bit columns".
  virtual std::string kind() const = 0;
  /// Bytes that reading all rows once takes from memory.
  virtual double bytes() const = 0;

  /// The primitive, one fused pass (each row is read once). For each listed
  /// row i = rows[t], with r = scale.b·(a_iᵀx_c − b_ic):
  ///   g_c += weights[t]·scale.a·r·a_i.
  virtual void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                        ConstView x, ConstView b, View g) const = 0;

  /// The same over the rows [first, last), where empty weights mean 1; also
  /// residual2[c] += w_i·r².
  virtual void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                              ConstView x, ConstView b, View g,
                              std::span<double> residual2) const = 0;

  /// y(i − first, c) = a_iᵀ x_c for rows [first, last).
  virtual void multiply(Index first, Index last, ConstView x, View y) const = 0;

  /// g_c += Σ_i y(i − first, c) a_i for rows [first, last).
  virtual void add_transposed(Index first, Index last, ConstView y, View g) const = 0;

  /// Sequential steps, each from the x of the one before:
  ///   x_c ← x_c − steps[t]·scale · (a_{rows[t]}ᵀ x_c − b(rows[t], c)) · (scale·a_{rows[t]})
  /// The scale is applied to the row first: 1/‖a‖² itself may not be a double.
  virtual void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                        ConstView b, View x) const = 0;

  /// The same, every step followed by the projection onto lower ≤ x ≤ upper, for an x
  /// that lies within. This definition projects every entry of x; sparse rows override
  /// it and project only the entries that the row changes.
  virtual void kaczmarz_within(std::span<const Index> rows, std::span<const double> steps,
                               double scale, ConstView b, std::span<const double> lower,
                               std::span<const double> upper, View x) const;

  /// row_norms2[i − first] = ‖scale·a_i‖², at least the smallest normal double
  /// for a row that is not zero; column_norms2[j] += Σ_i (scale·a_ij)² unless
  /// that span is empty, at least as much for a column that is not zero. NaN
  /// and Inf show as non-finite norms.
  virtual void norms(Index first, Index last, double scale, std::span<double> row_norms2,
                     std::span<double> column_norms2) const = 0;

  /// norms2[j] += Σ_i weights[i − first]·(scale·a_ij)² for rows [first, last), where
  /// empty weights mean 1 and a row of weight 0 is left out.
  virtual void column_norms(Index first, Index last, std::span<const double> weights, double scale,
                            std::span<double> norms2) const;

  /// The largest |a_ij| in rows [first, last); NaN if one of them is NaN.
  virtual double max_abs(Index first, Index last) const = 0;

  /// Rows [first, last) as dense doubles into out.
  virtual void copy_rows(Index first, Index last, View out) const = 0;

  /// Starts loading these rows into the caches. Changes no result.
  virtual void prefetch(std::span<const Index> /*rows*/) const {}

  // Rows on a disk are read ahead of their use if they are announced. Changes no result.

  /// How many listed rows may be announced before they are used; 0 if that is of no use.
  virtual Index rows_ahead() const { return 0; }
  /// These rows, ascending, are used soon.
  virtual void expect_rows(std::span<const Index> /*rows*/) const {}
  /// The rows [first, last) are used next, from the first to the last, in calls for some of
  /// them each.
  virtual void expect_range(Index /*first*/, Index /*last*/) const {}
};

}  // namespace polyak
#pragma GCC visibility pop
