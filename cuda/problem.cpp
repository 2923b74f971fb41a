#include "cuda/problem.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "cuda/products/vectors.hpp"

namespace polyak::cuda {
using namespace polyak::internal;

namespace {

std::size_t size(Index count) { return static_cast<std::size_t>(count); }
std::size_t bytes(Index count) { return size(count) * sizeof(double); }

// part(first vector, vectors, scalars…) in groups that one launch has room for.
template <class Part>
void in_groups(Index vectors, Part part) {
  for (Index k = 0; k < vectors; k += scalars_per_launch)
    part(k, std::min<Index>(scalars_per_launch, vectors - k));
}

Scalars scalars(const double* from, Index count) {
  Scalars out{};
  std::copy_n(from, count, out.of);
  return out;
}

}  // namespace

const device::Failure* KeptFailure::keep(const Error& error) {
  parts_ = error.parts();
  failure_ = {static_cast<int>(error.code()), parts_.what.c_str(),     parts_.where.c_str(),
              parts_.found.c_str(),           parts_.expected.c_str(), parts_.hint.c_str()};
  return &failure_;
}

CommonProblem::CommonProblem(int device, const device::Layout& layout)
    : device_(device),
      layout_(layout),
      b_(size(layout.n * layout.right_hand_sides), "the right-hand side"),
      weights_(size(layout.weighted ? layout.n : 0), "the row weights"),
      lower_(size(layout.bounded ? layout.d : 0), "the lower bounds"),
      upper_(size(layout.bounded ? layout.d : 0), "the upper bounds"),
      scalar_(1, "a sum") {}

void CommonProblem::destroy() noexcept {
  const int device = device_;
  (void)cudaSetDevice(device);
  delete this;
}

const device::Failure* CommonProblem::misused() {
  return call([] {
    throw Error(ErrorCode::internal, {.what = "an operation that this storage has not was called"});
  });
}

const device::Failure* CommonProblem::write_rhs(const double* b) {
  return call([&] { b_.write({b, b_.size()}); });
}
const device::Failure* CommonProblem::write_weights(const double* weights) {
  return call([&] { weights_.write({weights, weights_.size()}); });
}
const device::Failure* CommonProblem::write_bounds(const double* lower, const double* upper) {
  return call([&] {
    lower_.write({lower, lower_.size()});
    upper_.write({upper, upper_.size()});
  });
}
const device::Failure* CommonProblem::set_scale(double scale_a, double scale_b) {
  return call([&] {
    layout_.scale_a = scale_a;
    layout_.scale_b = scale_b;
  });
}
const device::Failure* CommonProblem::write_sampling(const std::uint64_t*) { return misused(); }
const device::Failure* CommonProblem::iterate(const device::Iterations&, double*, double*) {
  return misused();
}

const device::Failure* CommonProblem::allocate(Index count, double** device) {
  return call([&] {
    *device = static_cast<double*>(cuda::allocate(bytes(count), "vectors of the method"));
    check(cudaMemset(*device, 0, bytes(count)), "clear device memory");
  });
}
void CommonProblem::release(double* device) noexcept {
  (void)cudaSetDevice(device_);
  cuda::release(device);
}
const device::Failure* CommonProblem::write(const double* from, double* device, Index count) {
  return call([&] {
    check(cudaMemcpy(device, from, bytes(count), cudaMemcpyHostToDevice), "copy to the device");
  });
}
const device::Failure* CommonProblem::read(const double* device, double* to, Index count) {
  return call([&] {
    check(cudaMemcpy(to, device, bytes(count), cudaMemcpyDeviceToHost), "copy from the device");
  });
}
const device::Failure* CommonProblem::copy(const double* from, double* device, Index count) {
  return call([&] {
    check(cudaMemcpyAsync(device, from, bytes(count), cudaMemcpyDeviceToDevice),
          "copy on the device");
  });
}

const device::Failure* CommonProblem::axpby(Index vectors, Index length, const double* alpha,
                                            const double* x, const double* beta, double* y) {
  return call([&] {
    in_groups(vectors, [&](Index k, Index count) {
      cuda::axpby(count, length, scalars(alpha + k, count), x + k * length,
                  scalars(beta + k, count), y + k * length);
    });
  });
}
const device::Failure* CommonProblem::divide(Index vectors, Index length, const double* divisor,
                                             double* y) {
  return call([&] {
    in_groups(vectors, [&](Index k, Index count) {
      cuda::divide(count, length, scalars(divisor + k, count), y + k * length);
    });
  });
}
const device::Failure* CommonProblem::add_diagonal(Index vectors, double factor,
                                                   const double* diagonal, const double* x,
                                                   double* y) {
  return call([&] { cuda::add_diagonal(vectors, layout_.d, factor, diagonal, x, y); });
}

double CommonProblem::scalar() const {
  double out = 0.0;
  scalar_.read({&out, 1});
  return out;
}
const device::Failure* CommonProblem::dot(Index vectors, Index length, const double* x,
                                          const double* y, double* out) {
  return call([&] {
    double* parts = room(parts_, parts_of(length), "partial sums");
    for (Index k = 0; k < vectors; ++k) {
      cuda::dot(length, x + k * length, y + k * length, parts, scalar_.data());
      out[k] = scalar();
    }
  });
}
const device::Failure* CommonProblem::max_abs(Index count, const double* x, double* out) {
  return call([&] {
    cuda::max_abs(count, x, room(parts_, parts_of(count), "partial sums"), scalar_.data());
    *out = scalar();
  });
}

const device::Failure* CommonProblem::clamp(Index vectors, double* x) {
  return call([&] {
    if (layout_.bounded) cuda::clamp(vectors, layout_.d, lower_.data(), upper_.data(), x);
  });
}
const device::Failure* CommonProblem::set(Index vectors, double* x, Index unknown, double value) {
  return call([&] { cuda::set(vectors, layout_.d, x, unknown, value); });
}
const device::Failure* CommonProblem::gradient_step(Index count, double alpha, const double* g,
                                                    double* x) {
  return call([&] { cuda::gradient_step(count, alpha, g, x); });
}
const device::Failure* CommonProblem::heavy_ball_step(Index count, double alpha, double beta,
                                                      const double* x, const double* g,
                                                      double* previous) {
  return call([&] { cuda::heavy_ball_step(count, alpha, beta, x, g, previous); });
}
const device::Failure* CommonProblem::extrapolate(Index count, double beta, const double* x,
                                                  double* previous) {
  return call([&] { cuda::extrapolate(count, beta, x, previous); });
}

const device::Failure* CommonProblem::gradient(const device::Rows& rows, const double* x, double* g,
                                               double* residual2) {
  return call([&] {
    const bool with_b = rows.column >= 0;
    Terms terms{rows.count,
                nullptr,
                layout_.weighted ? weights_.data() : nullptr,
                with_b ? rhs(rows.column) : nullptr,
                x,
                layout_.scale_a,
                with_b ? layout_.scale_b : layout_.scale_a};
    if (rows.rows) {
      terms.rows = room(listed_rows_, rows.count, "a list of rows");
      terms.weights = room(listed_weights_, rows.count, "weights of a list of rows");
      listed_rows_.write({rows.rows, size(rows.count)});
      listed_weights_.write({rows.weights, size(rows.count)});
    }
    sum_gradient(terms, g, residual2 ? scalar_.data() : nullptr);
    if (residual2) *residual2 = scalar();
  });
}

const device::Failure* CommonProblem::multiply(const double* x, double* y) {
  return call([&] { compute_product(x, y); });
}
const device::Failure* CommonProblem::multiply_transposed(const double* y, double* g) {
  return call([&] {
    double* weighted = room(weighted_, layout_.n, "weighted equations");
    weigh(layout_.n, layout_.weighted ? weights_.data() : nullptr, layout_.scale_a, y, weighted);
    sum_rows(weighted, g);
  });
}
const device::Failure* CommonProblem::residual(Index column, const double* x, double* r) {
  return call([&] {
    compute_product(x, r);
    residual_from_product(layout_.n, rhs(column), layout_.weighted ? weights_.data() : nullptr,
                          layout_.scale_a, layout_.scale_b, r);
  });
}
const device::Failure* CommonProblem::row_steps(Index count, const Index* rows, const double* steps,
                                                Index column, double* x) {
  return call([&] {
    const Index* listed = room(listed_rows_, count, "a list of rows");
    const double* of_rows = room(listed_weights_, count, "steps of a list of rows");
    listed_rows_.write({rows, size(count)});
    listed_weights_.write({steps, size(count)});
    take_steps({count, listed, of_rows, layout_.scale_a, rhs(column),
                layout_.bounded ? lower_.data() : nullptr,
                layout_.bounded ? upper_.data() : nullptr, x});
  });
}

}  // namespace polyak::cuda
