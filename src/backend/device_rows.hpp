#pragma once

// A problem in the memory of a device, whatever its matrix is made of.

#include <memory>
#include <vector>

#include "backend/backend.hpp"
#include "backend/device.hpp"

namespace polyak::internal {

/// A, b, row weights and bounds. Dense rows and CSR are copied as they are stored, in double or
/// single, with their columns scaled where the solver scales them; an intercept makes dense
/// rows double. Rows that are made as they are read (a projector) become CSR if they are sparse.
/// Error usage for rows of several ranks and for matrices without rows.
class DeviceRows final : public RowSums {
 public:
  /// Copies the rows; write() has to follow before products are asked for.
  DeviceRows(int device, const BackendProblem& problem);

  /// Whether the rows can be copied before scale and units are known.
  static bool independent_of_norms(const RowMatrix& A);
  /// Scale, b, weights and bounds of a problem whose A is the one copied.
  void write(const BackendProblem& problem);
  /// The same for any problem with these rows, in its units. False where its A is another one, or
  /// cannot be made from these rows; then the memory is given back.
  bool become(const BackendProblem& problem);

  bool norms(const RowMatrix& A, std::span<const double> weights, double scale, Index chunks,
             std::span<double> rows, std::span<double> columns) override;
  bool has_gram(const RowMatrix& A) const override {
    return problem_ && problem_->sums_rows() && &A == shown_;
  }
  std::optional<GramMatrix> gram(const RowMatrix& A, double scale, std::span<const double> weights,
                                 bool with_b) override;

  const std::shared_ptr<device::Problem>& problem() const { return problem_; }

 private:
  bool scale_to(std::span<const double> units);

  std::shared_ptr<device::Problem> problem_;
  const RowMatrix* stored_;    // whose rows were copied
  const RowMatrix* shown_;     // the same in the units of the copy
  std::vector<double> units_;  // of the copy beyond those of stored_; empty: 1
  Index right_hand_sides_;
};

}  // namespace polyak::internal
