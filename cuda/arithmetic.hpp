#pragma once

// The arithmetic of one row, one column and one Kaczmarz block, on the host and on the
// device with the same bits. Products and sums are fused where the CPU's definition fuses
// them (src/kernels/reference.hpp) and nowhere else (-ffp-contract=off); kernels may fuse
// where they sum in an order of their own.

#include <cstdint>

#include "cuda/host_device.hpp"

namespace polyak::cuda {

POLYAK_HOST_DEVICE inline double product(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
POLYAK_HOST_DEVICE inline double sum(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}
POLYAK_HOST_DEVICE inline double fused(double a, double b, double c) {  // a·b + c, rounded once
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

/// One lane's part of a dot product, the terms in ascending order. With eight lanes, lane l
/// holding the elements j with j mod 8 = l, these are the eight running sums that
/// src/kernels/reference.hpp defines. Elements beyond the row are zero in both arrays.
template <int count>
POLYAK_HOST_DEVICE inline double lane_part(const double (&a)[count], const double (&x)[count]) {
  double s = 0.0;
  for (int c = 0; c < count; ++c) s = fused(a[c], x[c], s);
  return s;
}

/// v, or 0 where the weight of the row is 0: residual of src/kernels/reference.hpp.
POLYAK_HOST_DEVICE inline double taking_part(double weight, double v) {
  return weight == 0.0 ? 0.0 : v;
}

/// (scale·v)², at least the smallest normal double unless v is zero: visible_square of
/// src/kernels/reference.hpp.
POLYAK_HOST_DEVICE inline double visible_square(double v, double scale) {
  constexpr double smallest = 2.2250738585072014e-308;
  const double s = product(scale, v), square = product(s, s);
  return square < smallest && v != 0.0 ? smallest : square;
}

/// One lane's part of a sum of squares, and whether all its values are zero.
struct LaneSquares {
  double sum = 0.0;
  bool zero = true;

  POLYAK_HOST_DEVICE void add(double v, double scale) {
    const double s = product(scale, v);
    sum = cuda::sum(sum, product(s, s));
    zero = zero && v == 0.0;
  }
};

/// `sum`, the sum of squares of a row, as visible_norm2 of src/kernels/reference.hpp.
POLYAK_HOST_DEVICE inline double visible_norm2(double sum, bool zero) {
  constexpr double smallest = 2.2250738585072014e-308;
  if (!(sum < smallest)) return sum;
  return zero ? 0.0 : smallest;
}

/// Σ over lanes, halves added until one number is left: with eight,
/// ((s0+s4) + (s2+s6)) + ((s1+s5) + (s3+s7)). On the device each step is a shuffle with
/// the lane at distance 4, 2, 1; addition commutes, so every lane gets the same bits.
template <int lanes>
POLYAK_HOST_DEVICE inline double lane_tree(const double* s) {
  double part[lanes];
  for (int l = 0; l < lanes; ++l) part[l] = s[l];
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    for (int l = 0; l < distance; ++l) part[l] = sum(part[l], part[l + distance]);
  return part[0];
}

/// s[0] + s[stride] + … as a balanced tree of `count` terms.
template <int count>
POLYAK_HOST_DEVICE inline double tree_sum(const double* s, int stride) {
  if constexpr (count == 1) {
    return s[0];
  } else {
    return sum(tree_sum<count / 2>(s, stride),
               tree_sum<count - count / 2>(s + count / 2 * stride, stride));
  }
}

enum class Method { sgd, hbm, nag };

/// One entry of the iterates x_k and x_{k−1}.
struct Entry {
  double x, previous;
};

/// Where the gradient of iteration k is taken: y_k = x_k + beta·(x_k − x_{k−1}) for NAG,
/// x_k for the others.
POLYAK_HOST_DEVICE inline double gradient_point(Method method, double beta, Entry e) {
  return method == Method::nag ? sum(e.x, product(beta, sum(e.x, -e.previous))) : e.x;
}

/// x_{k+1} and x_k, given the gradient at that point:
///   SGD  x − alpha·g,   HBM  (x − alpha·g) + beta·(x − previous),   NAG  y − alpha·g.
POLYAK_HOST_DEVICE inline Entry step(Method method, double alpha, double beta, double g, Entry e) {
  const double from = gradient_point(method, beta, e);
  const double down = sum(from, -product(alpha, g));
  if (method != Method::hbm) return {down, e.x};
  return {sum(down, product(beta, sum(e.x, -e.previous))), e.x};
}

/// Kaczmarz steps with the rows a_0 … a_{m−1}, one after the other, as one block: from
/// s_j = a_jᵀx − b_j at the x before the block and the Gram matrix G = (a_jᵀa_i),
///   c_j = w_j·(s_j − Σ_{i<j} G_ji·c_i),   x ← x − Σ_j c_j·a_j
/// has the iterates of the m single steps, but for rounding. G is row-major, only its part
/// below the diagonal is read. c may be s.
POLYAK_HOST_DEVICE inline void kaczmarz_block(int m, const double* G, const double* weight,
                                              const double* s, double* c) {
  for (int j = 0; j < m; ++j) {
    double rest = s[j];
    for (int i = 0; i < j; ++i) rest = fused(-G[j * m + i], c[i], rest);
    c[j] = product(weight[j], rest);
  }
}

}  // namespace polyak::cuda
