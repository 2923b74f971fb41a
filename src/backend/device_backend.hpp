#pragma once

// The backend of a CUDA device: every operation is a call of the device's library, vectors stay
// in its memory. Vectors of equations lie there one after the other, on the host row by row.

#include <memory>
#include <string>

#include "backend/backend.hpp"
#include "backend/device.hpp"
#include "backend/device_rows.hpp"

namespace polyak::internal {

class DeviceBackend final : public Backend {
 public:
  /// Copies A, b, weights and bounds to CUDA device `number`; A only where it is not there yet.
  DeviceBackend(int number, const BackendProblem& problem);

  std::string device() const override { return name_; }
  std::string description() const override { return description_; }

  Block make(Block::Kind kind, Index vectors) override;
  void write(ConstView from, const Block& to) override;
  void read(const Block& from, View to) override;
  void copy(const Block& from, const Block& to) override;

  void axpby(std::span<const double> alpha, const Block& x, std::span<const double> beta,
             const Block& y) override;
  void divide(std::span<const double> divisor, const Block& y) override;
  void add_diagonal(double factor, const Block& diagonal, const Block& x, const Block& y) override;
  void dot(const Block& x, const Block& y, std::span<double> out) override;
  double max_abs(const Block& x) override;
  void clamp(const Block& x) override;
  void set(const Block& x, std::span<const Index> unknowns, double value) override;

  void gradient_step(double alpha, const Block& g, const Block& x, ColumnRange columns) override;
  void heavy_ball_step(double alpha, double beta, const Block& x, const Block& g,
                       const Block& previous, ColumnRange columns) override;
  void extrapolate(double beta, const Block& x, const Block& previous,
                   ColumnRange columns) override;

  void batch_gradient(std::span<const Batch> batches, const Block& x, const Block& g,
                      ColumnExchange* exchange) override;
  void full_gradient(const Block& x, const Block& g, std::span<double> residual2,
                     ColumnExchange* exchange) override;
  void normal_product(const Block& v, const Block& q, std::span<double> curvature) override;
  void multiply(const Block& x, const Block& y) override;
  void multiply_transposed(const Block& y, const Block& g) override;
  void residual(const Block& x, const Block& r) override;
  void row_steps(std::span<const Index> rows, std::span<const double> steps,
                 const Block& x) override;
  // One process has all rows and columns.
  void prefetch(std::span<const Index>) override {}
  void gather_columns(ColumnExchange&, const Block&) override {}
  void gather_rows(const Block&) override {}

  RowSums* row_sums() override { return copy_.get(); }

  using Backend::axpby;

  /// For the device's own implementations of methods.
  device::Problem& problem() const { return *problem_; }
  double* data(const Block& block) const {
    return static_cast<double*>(block.memory()) + block.offset();
  }

 private:
  double* vector(const Block& block, Index k) const { return data(block) + k * block.length(); }

  std::string name_, description_;
  Index rows_, cols_, right_hand_sides_;
  std::shared_ptr<DeviceRows> copy_;
  std::shared_ptr<device::Problem> problem_;
  std::vector<double> room_;  // of transposed copies
};

}  // namespace polyak::internal
