// Bytes moved: each vector once. Every kernel here is bound by memory or by its launch.

#include "cuda/arithmetic.hpp"
#include "cuda/products/launch.hpp"
#include "cuda/products/vectors.hpp"

namespace polyak::cuda {
namespace {

__global__ void axpby_kernel(Index length, Scalars alpha, const double* x, Scalars beta,
                             double* y) {
  const double a = alpha.of[blockIdx.y], b = beta.of[blockIdx.y];
  const Index from = static_cast<Index>(blockIdx.y) * length;
  for_each(length, [&](Index j) {
    const double term = product(a, x[from + j]);
    y[from + j] = b == 0.0 ? term : sum(term, product(b, y[from + j]));
  });
}

__global__ void divide_kernel(Index length, Scalars divisor, double* y) {
  const double by = divisor.of[blockIdx.y];
  const Index from = static_cast<Index>(blockIdx.y) * length;
  if (by != 0.0) for_each(length, [&](Index j) { y[from + j] = __ddiv_rn(y[from + j], by); });
}

__global__ void add_diagonal_kernel(Index vectors, Index length, double factor,
                                    const double* diagonal, const double* x, double* y) {
  for_each(vectors * length, [&](Index i) {
    y[i] = sum(y[i], product(product(factor, diagonal[i % length]), x[i]));
  });
}

__global__ void clamp_kernel(Index vectors, Index length, const double* lower, const double* upper,
                             double* x) {
  for_each(vectors * length, [&](Index i) {
    const double low = lower[i % length], high = upper[i % length], value = x[i];
    x[i] = value < low ? low : high < value ? high : value;
  });
}

__global__ void set_kernel(Index vectors, Index length, double* x, Index unknown, double value) {
  for_each(vectors, [&](Index k) { x[k * length + unknown] = value; });
}

__global__ void gradient_step_kernel(Index count, double alpha, const double* g, double* x) {
  for_each(count, [&](Index i) { x[i] = step(Method::sgd, alpha, 0.0, g[i], {x[i], 0.0}).x; });
}

__global__ void heavy_ball_step_kernel(Index count, double alpha, double beta, const double* x,
                                       const double* g, double* previous) {
  for_each(count, [&](Index i) {
    previous[i] = step(Method::hbm, alpha, beta, g[i], {x[i], previous[i]}).x;
  });
}

__global__ void extrapolate_kernel(Index count, double beta, const double* x, double* previous) {
  for_each(count, [&](Index i) {
    previous[i] = gradient_point(Method::nag, beta, {x[i], previous[i]});
  });
}

__global__ void residual_kernel(Index n, const double* b, const double* weights, double scale_a,
                                double scale_b, double* y) {
  for_each(n, [&](Index i) {
    const double root = weights ? __dsqrt_rn(weights[i]) : 1.0;
    y[i] = product(scale_b, sum(product(root, b[i]), -__ddiv_rn(y[i], scale_a)));
  });
}

__global__ void weigh_kernel(Index n, const double* weights, double scale_a, const double* y,
                             double* out) {
  for_each(n, [&](Index i) {
    out[i] = product(product(scale_a, weights ? __dsqrt_rn(weights[i]) : 1.0), y[i]);
  });
}

__global__ void add_scaled_kernel(Index count, const double* factor, const double* x, double* y) {
  for_each(count, [&](Index j) { y[j] = sum(y[j], product(factor[0], x[j])); });
}

// One block for so many elements, whatever the device.
constexpr Index part_length = 16 * threads;

struct Products {  // or x alone
  const double *x, *y;
  __device__ double term(Index i) const { return y ? product(x[i], y[i]) : x[i]; }
  __device__ static double join(double a, double b) { return sum(a, b); }
};
struct Largest {
  const double* x;
  __device__ double term(Index i) const {
    const double a = fabs(x[i]);
    return isnan(a) ? INFINITY : a;
  }
  __device__ static double join(double a, double b) { return a < b ? b : a; }
};

// parts[block] over elements block·part_length …: a thread takes every 256th of them in
// ascending order, then lanes and warps are joined as a tree.
template <class Terms>
__global__ void __launch_bounds__(threads) reduce(Index length, Terms terms, double* parts) {
  __shared__ double of_warp[threads / 32];
  const Index first = static_cast<Index>(blockIdx.x) * part_length;
  const Index last = first + part_length < length ? first + part_length : length;
  double s = 0.0;
  for (Index i = first + threadIdx.x; i < last; i += threads) s = Terms::join(s, terms.term(i));
  for (int distance = 16; distance > 0; distance /= 2)
    s = Terms::join(s, __shfl_xor_sync(~0u, s, distance));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < threads / 32; ++w) s = Terms::join(s, of_warp[w]);
    parts[blockIdx.x] = s;
  }
}

unsigned parts_in(Index length) {
  return static_cast<unsigned>(std::max<Index>(1, (length + part_length - 1) / part_length));
}

dim3 grid(Index length, Index vectors) {
  return dim3(blocks_for(length), static_cast<unsigned>(vectors));
}

// Levels of parts, one behind the other in memory, until one is left.
template <class Terms, class Again>
void reduce_all(Index length, Terms terms, Again again, double* parts, double* out) {
  unsigned left = parts_in(length);
  reduce<<<left, threads>>>(length, terms, left == 1 ? out : parts);
  while (left > 1) {
    const unsigned next = parts_in(left);
    reduce<<<next, threads>>>(left, again(parts), next == 1 ? out : parts + left);
    parts += left;
    left = next;
  }
  check_launch("launch of a sum");
}

}  // namespace

void axpby(Index vectors, Index length, const Scalars& alpha, const double* x, const Scalars& beta,
           double* y) {
  axpby_kernel<<<grid(length, vectors), threads>>>(length, alpha, x, beta, y);
  check_launch("launch of axpby");
}

void divide(Index vectors, Index length, const Scalars& divisor, double* y) {
  divide_kernel<<<grid(length, vectors), threads>>>(length, divisor, y);
  check_launch("launch of divide");
}

void add_diagonal(Index vectors, Index length, double factor, const double* diagonal,
                  const double* x, double* y) {
  add_diagonal_kernel<<<blocks_for(vectors * length), threads>>>(vectors, length, factor, diagonal,
                                                                 x, y);
  check_launch("launch of add_diagonal");
}

void clamp(Index vectors, Index length, const double* lower, const double* upper, double* x) {
  clamp_kernel<<<blocks_for(vectors * length), threads>>>(vectors, length, lower, upper, x);
  check_launch("launch of clamp");
}

void set(Index vectors, Index length, double* x, Index unknown, double value) {
  set_kernel<<<blocks_for(vectors), threads>>>(vectors, length, x, unknown, value);
  check_launch("launch of set");
}

void gradient_step(Index count, double alpha, const double* g, double* x) {
  gradient_step_kernel<<<blocks_for(count), threads>>>(count, alpha, g, x);
  check_launch("launch of a gradient step");
}

void heavy_ball_step(Index count, double alpha, double beta, const double* x, const double* g,
                     double* previous) {
  heavy_ball_step_kernel<<<blocks_for(count), threads>>>(count, alpha, beta, x, g, previous);
  check_launch("launch of a heavy-ball step");
}

void extrapolate(Index count, double beta, const double* x, double* previous) {
  extrapolate_kernel<<<blocks_for(count), threads>>>(count, beta, x, previous);
  check_launch("launch of extrapolate");
}

void residual_from_product(Index n, const double* b, const double* weights, double scale_a,
                           double scale_b, double* y) {
  residual_kernel<<<blocks_for(n), threads>>>(n, b, weights, scale_a, scale_b, y);
  check_launch("launch of residual");
}

void weigh(Index n, const double* weights, double scale_a, const double* y, double* out) {
  weigh_kernel<<<blocks_for(n), threads>>>(n, weights, scale_a, y, out);
  check_launch("launch of weigh");
}

void add_scaled(Index count, const double* factor, const double* x, double* y) {
  add_scaled_kernel<<<blocks_for(count), threads>>>(count, factor, x, y);
  check_launch("launch of add_scaled");
}

Index parts_of(Index length) {
  Index all = 0;
  for (Index left = parts_in(length);; left = parts_in(left)) {
    all += left;
    if (left == 1) return all;
  }
}

void dot(Index length, const double* x, const double* y, double* parts, double* out) {
  reduce_all(
      length, Products{x, y},
      [](double* p) {
        return Products{p, nullptr};
      },
      parts, out);
}

void max_abs(Index length, const double* x, double* parts, double* out) {
  reduce_all(
      length, Largest{x}, [](double* p) { return Largest{p}; }, parts, out);
}

}  // namespace polyak::cuda
