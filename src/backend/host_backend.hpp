#pragma once

// The backend in the memory of this process, on a team of threads.

#include "backend/backend.hpp"

namespace polyak {

class HostBackend : public Backend {
 public:
  explicit HostBackend(const BackendProblem& problem);

  std::string device() const override { return "cpu"; }

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
  void accelerated_row_steps(std::span<const Index> rows, std::span<const AcceleratedStep> steps,
                             double unit, const Block& x, const Block& v) override;
  void prefetch(std::span<const Index> rows) override;
  void expect(std::span<const Index> rows) override;
  Index rows_ahead() const override { return problem_.A.rows_ahead(); }
  void gather_columns(ColumnExchange& exchange, const Block& x) override;
  void gather_rows(const Block& y) override;

  using Backend::axpby;

 private:
  double* data(const Block& block) const {
    return static_cast<double*>(block.memory()) + block.offset();
  }
  View view(const Block& block) const;
  template <class Step>
  void for_columns(const Block& x, ColumnRange columns, Step step) const;
  template <class Body>
  void for_rows(const Block& y, Body body);

  BackendProblem problem_;
  Products products_;
  double unit_;
  std::vector<double> zeros_;  // b of normal_product
  std::vector<double> y_, s_;  // of accelerated_row_steps
};

}  // namespace polyak
