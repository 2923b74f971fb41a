#pragma once

// Kernels on vectors in device memory, one launch each on the default stream. Products and sums
// of single elements are rounded as on the CPU; dot products are sums of a fixed shape that
// follows from the length alone.

#include <cstdint>

namespace polyak::cuda {

using Index = std::int64_t;

/// One scalar for each of at most so many vectors, passed with the launch.
constexpr int scalars_per_launch = 32;
struct Scalars {
  double of[scalars_per_launch];
};

/// y_k = alpha_k·x_k + beta_k·y_k; y is not read where beta_k = 0.
void axpby(Index vectors, Index length, const Scalars& alpha, const double* x, const Scalars& beta,
           double* y);
/// y_k = y_k/divisor_k; a divisor of 0 leaves y_k.
void divide(Index vectors, Index length, const Scalars& divisor, double* y);
void add_diagonal(Index vectors, Index length, double factor, const double* diagonal,
                  const double* x, double* y);
void clamp(Index vectors, Index length, const double* lower, const double* upper, double* x);
void set(Index vectors, Index length, double* x, Index unknown, double value);
void gradient_step(Index count, double alpha, const double* g, double* x);
void heavy_ball_step(Index count, double alpha, double beta, const double* x, const double* g,
                     double* previous);
void extrapolate(Index count, double beta, const double* x, double* previous);

/// y_i = scale·(root_i·b_i − y_i/scale_a): the residual from √W·scale_a·Ax. root_i = √w_i.
void residual_from_product(Index n, const double* b, const double* weights, double scale_a,
                           double scale_b, double* y);
/// out_i = scale_a·√w_i·y_i.
void weigh(Index n, const double* weights, double scale_a, const double* y, double* out);
/// y_j = y_j + factor[0]·x_j, the factor in device memory.
void add_scaled(Index count, const double* factor, const double* x, double* y);

/// Doubles of room that sums over vectors of `length` need.
Index parts_of(Index length);
/// out[0] = xᵀy, out in device memory; y null: the sum of x.
void dot(Index length, const double* x, const double* y, double* parts, double* out);
/// out[0] = the largest |x_j|; infinity if one is NaN.
void max_abs(Index length, const double* x, double* parts, double* out);

}  // namespace polyak::cuda
