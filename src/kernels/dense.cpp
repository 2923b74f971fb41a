#include "kernels/dense.hpp"

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#ifndef POLYAK_DENSE_TABLE
#define POLYAK_DENSE_TABLE
namespace polyak::internal::kernels {

// The kernels of one target.
template <class Value>
struct Table {
  decltype(&kernels::gradient<Value>) gradient;
  decltype(&kernels::multiply<Value>) multiply;
  decltype(&kernels::add_transposed<Value>) add_transposed;
  decltype(&kernels::kaczmarz<Value>) kaczmarz;
};

}  // namespace polyak::internal::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target
#include <hwy/highway.h>

#include "kernels/lanes-inl.hpp"
#include "kernels/short_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace polyak::internal::kernels::HWY_NAMESPACE {

#if POLYAK_VECTORS

// Rows of a group: eight of a list, four of a range. Measured to be the fastest, also for
// d = 10⁵, where x and g do not fit into the cache.
constexpr Index listed_group = 8, range_group = 4;
constexpr Index max_prefetched_columns = 2048;

/// s_i = a_iᵀx for `size` rows; `far` are later rows to prefetch, or null.
template <Index size, class Value>
HWY_INLINE void dots(const Value* const* a, const Value* const* far, const double* x, Index d,
                     double* s) {
  Eight sums[size];
  for (Index i = 0; i < size; ++i) sums[i] = Eight::zero();
  Index j = 0;
  for (; j + lanes <= d; j += lanes) {
    const Eight xj = Eight::from(x + j);
    for (Index i = 0; i < size; ++i) {
      if (far) prefetch_far(far[i] + j);
      sums[i].add_product(Eight::from(a[i] + j), xj);
    }
  }
  if (j < d) {
    const Eight xj = Eight::first(x + j, d - j);
    for (Index i = 0; i < size; ++i) {
      if (far) prefetch_far(far[i] + d - 1);
      sums[i].add_product(Eight::first(a[i] + j, d - j), xj);
    }
  }
  for (Index i = 0; i < size; ++i) s[i] = sums[i].sum();
}

/// g += Σ_i c_i·a_i, row after row; `near` are the next rows to prefetch, or null.
template <Index size, class Value>
HWY_INLINE void add_rows(const Value* const* a, const Value* const* near, const double* c, Index d,
                         double* g) {
  Vector factor[size];
  for (Index i = 0; i < size; ++i) factor[i] = hn::Set(Doubles(), c[i]);
  Index j = 0;
  for (; j + lanes <= d; j += lanes) {
    Eight sum = Eight::from(g + j);
    for (Index i = 0; i < size; ++i) {
      if (near) prefetch_near(near[i] + j);
      sum.add_product(factor[i], Eight::from(a[i] + j));
    }
    sum.store(g + j);
  }
  if (j < d) {
    Eight sum = Eight::first(g + j, d - j);
    for (Index i = 0; i < size; ++i) {
      if (near) prefetch_near(near[i] + d - 1);
      sum.add_product(factor[i], Eight::first(a[i] + j, d - j));
    }
    sum.store(g + j, d - j);
  }
}

/// Calls visit(size, t, a) for rows t .. t+size-1, whose addresses are a[0 .. size-1].
template <Index group, class Value, class Visit>
HWY_INLINE void in_groups(const DenseBlock<Value>& A, const RowList& rows, Visit visit) {
  const Value* a[group];
  Index t = 0;
  for (; t + group <= rows.count; t += group) {
    for (Index i = 0; i < group; ++i) a[i] = A.data + rows.row(t + i) * A.stride;
    visit(std::integral_constant<Index, group>(), t, a);
  }
  for (; t < rows.count; ++t) {
    a[0] = A.data + rows.row(t) * A.stride;
    visit(std::integral_constant<Index, 1>(), t, a);
  }
}

/// False for long rows, which the hardware prefetches, and for a list within a small part of
/// A: those come from a sweep over A (Products::gradients), and most of their rows are in the
/// second-level cache.
template <class Value>
bool prefetch_pays(const DenseBlock<Value>& A, const RowList& rows) {
  constexpr Index cached_bytes = 1 << 19;
  if (A.d > max_prefetched_columns || rows.count == 0) return false;
  const Index span = rows.row(rows.count - 1) - rows.row(0);
  return !rows.index || rows.count <= ahead ||
         std::abs(span * A.stride) * static_cast<Index>(sizeof(Value)) > cached_bytes;
}

/// The addresses of the rows to prefetch while row t is used.
template <class Value>
class Prefetcher {
 public:
  Prefetcher(const DenseBlock<Value>& A, const RowList& rows, ConstView b)
      : A_(A), rows_(rows), b_(b), last_(prefetch_pays(A, rows) ? rows.count : 0) {
    constexpr Index line = 64 / static_cast<Index>(sizeof(Value));
    for (Index t = 0; rows_.index && t < std::min(ahead, last_); ++t) {
      const Value* a = row(t);
      prefetch_far(b_.row(rows_.row(t)));
      for (Index j = 0; j < A.d; j += line) prefetch_far(a + j);
      if (A.d > 0) prefetch_far(a + A.d - 1);
    }
  }
  /// The rows `ahead` positions later in a list, for prefetch_far; null at its end, and for a
  /// range, which the hardware prefetches.
  template <Index size>
  HWY_INLINE const Value* const* far(Index t) {
    if (!rows_.index || t + ahead + size > last_) return nullptr;
    for (Index i = 0; i < size; ++i) prefetch_far(b_.row(rows_.index[t + ahead + i]));
    return at<size>(t + ahead, far_);
  }
  /// The next group of a list; the second next of a range.
  template <Index size>
  HWY_INLINE const Value* const* near(Index t) {
    const Index next = t + (rows_.index ? size : 2 * size);
    return next + size <= last_ ? at<size>(next, near_) : nullptr;
  }

 private:
  template <Index size>
  HWY_INLINE const Value* const* at(Index t, const Value** addresses) {
    for (Index i = 0; i < size; ++i) addresses[i] = row(t + i);
    return addresses;
  }
  HWY_INLINE const Value* row(Index t) const { return A_.data + rows_.row(t) * A_.stride; }

  const DenseBlock<Value>& A_;
  const RowList& rows_;
  ConstView b_;
  Index last_;
  const Value *far_[listed_group], *near_[listed_group];
};

/// Rows of a list: all dot products at once. Of a range: one after the other, in the order of
/// memory, as the hardware prefetch needs it.
template <bool listed, Index size, class Value>
HWY_INLINE void group_dots(const Value* const* a, const Value* const* far, const double* x, Index d,
                           double* s) {
  if constexpr (listed) {
    dots<size>(a, far, x, d, s);
  } else {
    for (Index i = 0; i < size; ++i) dots<1, Value>(a + i, nullptr, x, d, s + i);
  }
}

template <bool listed, class Value>
HWY_INLINE void gradient_by(const DenseBlock<Value>& A, const RowList& rows, double scale_a,
                            double scale_b, ConstView x, ConstView b, View g, double* residual2) {
  Prefetcher<Value> prefetcher(A, rows, b);
  in_groups<listed ? listed_group : range_group>(
      A, rows, [&](auto size, Index t, const Value* const* a) HWY_ATTR {
        const Value* const* far = prefetcher.template far<size>(t);
        const Value* const* near = prefetcher.template near<size>(t);
        for (Index c = 0; c < x.rows; ++c) {
          double s[size];
          group_dots<listed, size>(a, c == 0 ? far : nullptr, x.row(c), A.d, s);
          for (Index i = 0; i < size; ++i) {
            const double w = rows.weight(t + i);
            const double r = residual(w, scale_b, s[i], b(rows.row(t + i), c));
            if (residual2) residual2[c] += w * r * r;
            s[i] = w * r * scale_a;
          }
          add_rows<size>(a, c + 1 == x.rows ? near : nullptr, s, A.d, g.row(c));
        }
      });
}

/// The rows of a range, for one right-hand side. A group is added to g in quarters of the
/// columns; before each quarter the dot product of one row of the next group is computed, so
/// that memory is read without a pause.
template <class Value>
HWY_INLINE void range_gradient(const DenseBlock<Value>& A, const RowList& rows, double scale_a,
                               double scale_b, const double* x, ConstView b, double* g,
                               double* residual2) {
  constexpr Index size = range_group;
  const Index distance = range_ahead(A);
  const Index far_end = range_prefetch_in_use() ? rows.count - distance : 0;
  const auto row = [&](Index t) HWY_ATTR { return A.data + t * A.stride; };
  const auto factor = [&](Index t) HWY_ATTR {
    const Value *a = row(t), *far = t < far_end ? row(t + distance) : nullptr;
    double s = 0.0;
    dots<1, Value>(&a, far ? &far : nullptr, x, A.d, &s);
    const double w = rows.weight(t), r = residual(w, scale_b, s, b(t, 0));
    if (residual2) *residual2 += w * r * r;
    return w * r * scale_a;
  };
  const Index whole = rows.count / size * size;
  double now[size], next[size];
  for (Index i = 0; i < size && whole > 0; ++i) now[i] = factor(i);
  for (Index t = 0; t < whole; t += size) {
    for (Index i = 0; i < size; ++i) {
      if (t + size < whole) next[i] = factor(t + size + i);
      const Index first = i * A.d / size / lanes * lanes;
      const Index last = i + 1 == size ? A.d : (i + 1) * A.d / size / lanes * lanes;
      const Value* a[size];
      for (Index r = 0; r < size; ++r) a[r] = row(t + r) + first;
      add_rows<size, Value>(a, nullptr, now, last - first, g + first);
    }
    std::copy_n(next, size, now);
  }
  for (Index t = whole; t < rows.count; ++t) {
    const double c = factor(t);
    const Value* a = row(t);
    add_rows<1, Value>(&a, nullptr, &c, A.d, g);
  }
}

template <class Value>
void gradient(const DenseBlock<Value>& A, const RowList& rows, double scale_a, double scale_b,
              ConstView x, ConstView b, View g, double* residual2) {
  if (x.rows == 1 && rows.count > 0 && A.d > 0 && A.d <= most_eights * lanes) {
    if (rows.index)
      gradient_of_short<true>(A, rows, prefetch_pays(A, rows), scale_a, scale_b, x.row(0), b,
                              g.row(0), residual2);
    else
      gradient_of_short<false>(A, rows, range_prefetch_in_use(), scale_a, scale_b, x.row(0), b,
                               g.row(0), residual2);
  } else if (!rows.index && x.rows == 1)
    range_gradient(A, rows, scale_a, scale_b, x.row(0), b, g.row(0), residual2);
  else if (rows.index)
    gradient_by<true>(A, rows, scale_a, scale_b, x, b, g, residual2);
  else
    gradient_by<false>(A, rows, scale_a, scale_b, x, b, g, residual2);
}

template <class Value>
void multiply(const DenseBlock<Value>& A, ConstView x, View y) {
  in_groups<range_group>(A, {y.rows, nullptr, nullptr},
                         [&](auto size, Index t, const Value* const* a) HWY_ATTR {
                           for (Index c = 0; c < x.rows; ++c) {
                             double s[size];
                             group_dots<false, size, Value>(a, nullptr, x.row(c), A.d, s);
                             for (Index i = 0; i < size; ++i) y(t + i, c) = s[i];
                           }
                         });
}

template <class Value>
void add_transposed(const DenseBlock<Value>& A, ConstView y, View g) {
  in_groups<range_group>(A, {y.rows, nullptr, nullptr},
                         [&](auto size, Index t, const Value* const* a) HWY_ATTR {
                           for (Index c = 0; c < g.rows; ++c) {
                             double s[size];
                             for (Index i = 0; i < size; ++i) s[i] = y(t + i, c);
                             add_rows<size, Value>(a, nullptr, s, A.d, g.row(c));
                           }
                         });
}

/// x += c·(scale·a)
template <class Value>
HWY_INLINE void add_scaled(const Value* a, double c, double scale, Index d, double* x) {
  const Vector factor = hn::Set(Doubles(), c), unit = hn::Set(Doubles(), scale);
  Index j = 0;
  for (; j + lanes <= d; j += lanes) {
    Eight sum = Eight::from(x + j);
    sum.add_product(factor, Eight::from(a + j).times(unit));
    sum.store(x + j);
  }
  if (j < d) {
    Eight sum = Eight::first(x + j, d - j);
    sum.add_product(factor, Eight::first(a + j, d - j).times(unit));
    sum.store(x + j, d - j);
  }
}

template <class Value>
void kaczmarz(const DenseBlock<Value>& A, const RowList& rows, double scale, ConstView b, View x) {
  Prefetcher<Value> prefetcher(A, rows, b);
  for (Index t = 0; t < rows.count; ++t) {
    const Index i = rows.row(t);
    const Value* a = A.data + i * A.stride;
    const Value* const* far = prefetcher.template far<1>(t);
    for (Index c = 0; c < x.rows; ++c) {
      double s = 0.0;
      dots<1>(&a, c == 0 ? far : nullptr, x.row(c), A.d, &s);
      add_scaled(a, -rows.weight(t) * (scale * (s - b(i, c))), scale, A.d, x.row(c));
    }
  }
}

#else

template <class Value>
auto plain_rows(const DenseBlock<Value>& A) {
  return [A](Index i) { return DenseRow<Value>{A.data + i * A.stride, A.d}; };
}

template <class Value>
void gradient(const DenseBlock<Value>& A, const RowList& rows, double scale_a, double scale_b,
              ConstView x, ConstView b, View g, double* residual2) {
  reference::gradient(plain_rows(A), rows, scale_a, scale_b, x, b, g, residual2);
}
template <class Value>
void multiply(const DenseBlock<Value>& A, ConstView x, View y) {
  reference::multiply(plain_rows(A), x, y);
}
template <class Value>
void add_transposed(const DenseBlock<Value>& A, ConstView y, View g) {
  reference::add_transposed(plain_rows(A), y, g);
}
template <class Value>
void kaczmarz(const DenseBlock<Value>& A, const RowList& rows, double scale, ConstView b, View x) {
  reference::kaczmarz(plain_rows(A), rows, scale, b, x);
}

#endif

template <class Value>
Table<Value> table() {
  return {gradient<Value>, multiply<Value>, add_transposed<Value>, kaczmarz<Value>};
}
Table<double> double_table() { return table<double>(); }
Table<float> float_table() { return table<float>(); }

}  // namespace polyak::internal::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::internal::kernels {
namespace {

HWY_EXPORT(double_table);
HWY_EXPORT(float_table);

Table<double> chosen(double) { return HWY_DYNAMIC_DISPATCH(double_table)(); }
Table<float> chosen(float) { return HWY_DYNAMIC_DISPATCH(float_table)(); }

}  // namespace

template <class Value>
void gradient(const DenseBlock<Value>& A, const RowList& rows, double scale_a, double scale_b,
              ConstView x, ConstView b, View g, double* residual2) {
  constexpr Index large_bytes = 8 << 20;
  const bool large = rows.count * A.d * static_cast<Index>(sizeof(Value)) >= large_bytes;
  if (!rows.index && large) choose_range_prefetch();
  chosen(Value()).gradient(A, rows, scale_a, scale_b, x, b, g, residual2);
}
template <class Value>
void multiply(const DenseBlock<Value>& A, ConstView x, View y) {
  chosen(Value()).multiply(A, x, y);
}
template <class Value>
void add_transposed(const DenseBlock<Value>& A, ConstView y, View g) {
  chosen(Value()).add_transposed(A, y, g);
}
template <class Value>
void kaczmarz(const DenseBlock<Value>& A, const RowList& rows, double scale, ConstView b, View x) {
  chosen(Value()).kaczmarz(A, rows, scale, b, x);
}
#define POLYAK_DENSE(Value)                                                                   \
  template void gradient(const DenseBlock<Value>&, const RowList&, double, double, ConstView, \
                         ConstView, View, double*);                                           \
  template void multiply(const DenseBlock<Value>&, ConstView, View);                          \
  template void add_transposed(const DenseBlock<Value>&, ConstView, View);                    \
  template void kaczmarz(const DenseBlock<Value>&, const RowList&, double, ConstView, View);
POLYAK_DENSE(double)
POLYAK_DENSE(float)
#undef POLYAK_DENSE

}  // namespace polyak::internal::kernels
#endif
