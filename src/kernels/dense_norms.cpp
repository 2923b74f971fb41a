#include <algorithm>
#include <limits>

#include "kernels/dense.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_norms.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target
#include <hwy/highway.h>

#include "kernels/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace polyak::internal::kernels::HWY_NAMESPACE {

#if POLYAK_VECTORS

/// visible_square of reference.hpp, eight at a time.
HWY_INLINE Eight visible_squares(const Eight& a, Vector unit) {
  const Vector smallest = hn::Set(Doubles(), std::numeric_limits<double>::min());
  Eight out;
  for (Index k = 0; k < vectors; ++k) {
    const Vector s = hn::Mul(unit, a.v[k]), square = hn::Mul(s, s);
    const auto lost = hn::And(hn::Lt(square, smallest), hn::Ne(a.v[k], hn::Zero(Doubles())));
    out.v[k] = hn::IfThenElse(lost, smallest, square);
  }
  return out;
}

template <class Value>
HWY_INLINE double square_sum(const Value* a, Vector unit, Index d) {
  Eight sum = Eight::zero();
  const auto add = [&](const Eight& v) HWY_ATTR { sum.add_square(v.times(unit)); };
  Index j = 0;
  for (; j + lanes <= d; j += lanes) add(Eight::from(a + j));
  if (j < d) add(Eight::first(a + j, d - j));
  return sum.sum();
}

template <class Value>
HWY_INLINE void add_squares(const Value* const* a, Index size, Vector unit, Index d, double* sums) {
  Index j = 0;
  for (; j + lanes <= d; j += lanes) {
    Eight sum = Eight::from(sums + j);
    for (Index i = 0; i < size; ++i) sum.add(visible_squares(Eight::from(a[i] + j), unit));
    sum.store(sums + j);
  }
  if (j < d) {
    Eight sum = Eight::first(sums + j, d - j);
    for (Index i = 0; i < size; ++i) sum.add(visible_squares(Eight::first(a[i] + j, d - j), unit));
    sum.store(sums + j, d - j);
  }
}

/// Row norms first, in the order of memory; then the column norms of the same rows, from cache.
template <class Value>
void all_norms(const DenseBlock<Value>& A, Index count, double scale, double* row_norms2,
               double* column_norms2) {
  const Vector unit = hn::Set(Doubles(), scale);
  constexpr Index group = 4;
  for (Index t = 0; t < count; t += group) {
    const Index size = std::min(group, count - t);
    const Value* a[group];
    for (Index i = 0; i < size; ++i) {
      a[i] = A.data + (t + i) * A.stride;
      row_norms2[t + i] = visible_norm2(square_sum(a[i], unit, A.d), a[i], A.d);
    }
    if (column_norms2) add_squares(a, size, unit, A.d, column_norms2);
  }
}

#else

template <class Value>
void all_norms(const DenseBlock<Value>& A, Index count, double scale, double* row_norms2,
               double* column_norms2) {
  const auto row_at = [A](Index i) { return DenseRow<Value>{A.data + i * A.stride, A.d}; };
  reference::norms(row_at, count, scale, row_norms2, column_norms2);
}

#endif

void double_norms(const DenseBlock<double>& A, Index count, double scale, double* row_norms2,
                  double* column_norms2) {
  all_norms(A, count, scale, row_norms2, column_norms2);
}
void float_norms(const DenseBlock<float>& A, Index count, double scale, double* row_norms2,
                 double* column_norms2) {
  all_norms(A, count, scale, row_norms2, column_norms2);
}

}  // namespace polyak::internal::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::internal::kernels {
namespace {
HWY_EXPORT(double_norms);
HWY_EXPORT(float_norms);
}  // namespace

template <>
void norms(const DenseBlock<double>& A, Index count, double scale, double* row_norms2,
           double* column_norms2) {
  HWY_DYNAMIC_DISPATCH(double_norms)(A, count, scale, row_norms2, column_norms2);
}
template <>
void norms(const DenseBlock<float>& A, Index count, double scale, double* row_norms2,
           double* column_norms2) {
  HWY_DYNAMIC_DISPATCH(float_norms)(A, count, scale, row_norms2, column_norms2);
}

}  // namespace polyak::internal::kernels
#endif
