#pragma once

// A problem in the memory of one device: the interface of src/backend/device.hpp on top of the
// kernels. Every function makes the device current, and turns exceptions into failures.

#include <cstdint>
#include <memory>
#include <string>

#include "backend/device.hpp"
#include "cuda/buffer.hpp"
#include "cuda/products/rows.hpp"
#include "polyak/error.hpp"

namespace polyak::cuda {

/// The last error, in the form that leaves this library.
class KeptFailure {
 public:
  const internal::device::Failure* keep(const Error& error);

  /// What `body` throws, or null.
  template <class Body>
  const internal::device::Failure* of(Body body) noexcept {
    try {
      body();
      return nullptr;
    } catch (const Error& error) {
      return keep(error);
    } catch (const std::bad_alloc&) {
      return keep(Error(ErrorCode::out_of_memory, {.what = "the memory of the host is too small"}));
    } catch (const std::exception& error) {
      return keep(Error(ErrorCode::internal, {.what = error.what()}));
    }
  }

 private:
  ErrorParts parts_;
  internal::device::Failure failure_{};
};

/// All that does not depend on how A is stored.
class CommonProblem : public internal::device::Problem {
 public:
  using Failure = internal::device::Failure;

  CommonProblem(int device, const internal::device::Layout& layout);
  virtual ~CommonProblem() = default;
  void destroy() noexcept final;

  const Failure* write_rhs(const double* b) final;
  const Failure* write_weights(const double* weights) final;
  const Failure* write_bounds(const double* lower, const double* upper) final;
  const Failure* write_sampling(const std::uint64_t* starts) override;
  const Failure* set_scale(double scale_a, double scale_b) final;

  const Failure* allocate(Index count, double** device) final;
  void release(double* device) noexcept final;
  const Failure* write(const double* from, double* device, Index count) final;
  const Failure* read(const double* device, double* to, Index count) final;
  const Failure* copy(const double* from, double* device, Index count) final;

  const Failure* axpby(Index vectors, Index length, const double* alpha, const double* x,
                       const double* beta, double* y) final;
  const Failure* divide(Index vectors, Index length, const double* divisor, double* y) final;
  const Failure* add_diagonal(Index vectors, double factor, const double* diagonal, const double* x,
                              double* y) final;
  const Failure* dot(Index vectors, Index length, const double* x, const double* y,
                     double* out) final;
  const Failure* max_abs(Index count, const double* x, double* out) final;
  const Failure* clamp(Index vectors, double* x) final;
  const Failure* set(Index vectors, double* x, Index unknown, double value) final;
  const Failure* gradient_step(Index count, double alpha, const double* g, double* x) final;
  const Failure* heavy_ball_step(Index count, double alpha, double beta, const double* x,
                                 const double* g, double* previous) final;
  const Failure* extrapolate(Index count, double beta, const double* x, double* previous) final;

  const Failure* gradient(const internal::device::Rows& rows, const double* x, double* g,
                          double* residual2) final;
  const Failure* multiply(const double* x, double* y) final;
  const Failure* multiply_transposed(const double* y, double* g) final;
  const Failure* residual(Index column, const double* x, double* r) final;
  const Failure* row_steps(Index count, const Index* rows, const double* steps, Index column,
                           double* x) final;

  bool sums_rows() const override { return false; }
  const Failure* norms(double, const double*, Index, double*, double*) override {
    return misused();
  }
  const Failure* gram(double, const double*, bool, double*, Index*) override { return misused(); }
  bool iterates() const override { return false; }
  const Failure* iterate(const internal::device::Iterations& run, double* x,
                         double* previous) override;

  // Parts that one kind of storage has not.
  const Failure* write_rows(Index, Index, const void*, Index) override { return misused(); }
  const Failure* staging(int, Index, void**) override { return misused(); }
  const Failure* write_row_starts(const Index*) override { return misused(); }
  const Failure* write_column_starts(const Index*) override { return misused(); }
  const Failure* write_entries(Index, Index, const std::int32_t*, const void*) override {
    return misused();
  }
  const Failure* write_transposed(Index, Index, const std::int32_t*, const void*) override {
    return misused();
  }
  const Failure* write_shift(const double*) override { return misused(); }
  const Failure* scale_columns(const double*, bool*) override { return misused(); }

 protected:
  // By storage. residual2 is a number in device memory.
  virtual void sum_gradient(const Terms& terms, double* g, double* residual2) = 0;
  virtual void compute_product(const double* x, double* y) = 0;
  virtual void sum_rows(const double* y, double* g) = 0;
  virtual void take_steps(const RowSteps& run) = 0;

  template <class Body>
  const Failure* call(Body body) noexcept {
    return failure_.of([&] {
      const UseDevice use(device_);
      body();
    });
  }
  const Failure* misused();
  /// Grows to `count` numbers; what it held is lost.
  template <class T>
  static T* room(Buffer<T>& buffer, Index count, const char* what) {
    if (static_cast<Index>(buffer.size()) < count)
      buffer = Buffer<T>(static_cast<std::size_t>(count), what);
    return buffer.data();
  }

  int device_;
  internal::device::Layout layout_;
  Buffer<double> b_, weights_, lower_, upper_;
  Buffer<double> parts_, scalar_;  // of sums

 private:
  const double* rhs(Index column) const { return b_.data() + column * layout_.n; }
  double scalar() const;

  KeptFailure failure_;
  Buffer<Index> listed_rows_;
  Buffer<double> listed_weights_, weighted_;
};

/// Bytes of A, b, weights and bounds are compared with what is free; then memory is taken.
internal::device::Problem* make_problem(int device, const internal::device::Layout& layout);
internal::device::Rates measure_rates(int device);
std::unique_ptr<CommonProblem> make_dense(int device, const internal::device::Layout& layout);
std::unique_ptr<CommonProblem> make_sparse(int device, const internal::device::Layout& layout);

}  // namespace polyak::cuda
