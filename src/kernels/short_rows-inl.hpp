// Prefetch, and gradients of rows so short that a row and g stay in registers. Included once
// per target, after lanes-inl.hpp.

#if defined(POLYAK_KERNELS_SHORT_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef POLYAK_KERNELS_SHORT_ROWS_INL
#undef POLYAK_KERNELS_SHORT_ROWS_INL
#else
#define POLYAK_KERNELS_SHORT_ROWS_INL
#endif

#undef POLYAK_UNROLL
#if defined(__clang__)
#define POLYAK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define POLYAK_UNROLL _Pragma("GCC unroll 16")
#endif

HWY_BEFORE_NAMESPACE();
namespace polyak::internal::kernels::HWY_NAMESPACE {

#if POLYAK_VECTORS

// Prefetch distances in rows of a list: into the second-level cache, and from there into the
// first.
constexpr Index ahead = 16, near_ahead = 4;

// GCC removes calls of functions that do nothing but prefetch, unless they are always inlined.

/// Into the second-level cache: the first allows too few misses at a time to use the full
/// memory bandwidth for rows at random addresses.
template <class Value>
HWY_INLINE void prefetch_far(const Value* p) {
  __builtin_prefetch(p, 0, 2);
}
/// From there into the first-level cache, shortly before use.
template <class Value>
HWY_INLINE void prefetch_near(const Value* p) {
  __builtin_prefetch(p, 0, 3);
}

/// The same distance for a range. The processor's own prefetch falls behind where the sum of a
/// row fills its window of instructions; from 3 to 25 KB ahead all distances do as well.
template <class Value>
HWY_INLINE Index range_ahead(const DenseBlock<Value>& A) {
  constexpr Index bytes_ahead = 12800;
  const Index bytes = A.stride * static_cast<Index>(sizeof(Value));
  return std::max<Index>(1, bytes_ahead / std::max<Index>(bytes, 1));
}

// A row and g of so many eights fit into the 32 registers of AVX-512 and NEON and the 16 of AVX2.
constexpr Index most_eights = vectors == 1 ? 13 : 3;

/// A row of `eights` eights, the last of them with `rest` entries.
template <Index eights>
struct ShortRow {
  static constexpr Index last = (eights - 1) * lanes;
  Eight v[eights];

  HWY_INLINE static ShortRow from(const double* p, Index rest) {
    ShortRow out;
    POLYAK_UNROLL for (Index i = 0; i + 1 < eights; ++i) out.v[i] = Eight::from(p + i * lanes);
    out.v[eights - 1] = Eight::first(p + last, rest);
    return out;
  }
  /// Loads a and returns aᵀx. Between the loads it prefetches the rows at `far` and `near`,
  /// which costs half of a prefetch of the whole row at once.
  template <bool has_far, bool has_near, class Value>
  HWY_INLINE double load(const Value* a, const Value* far, const Value* near, Index rest,
                         const double* x) {
    constexpr Index line = 64 / static_cast<Index>(sizeof(Value));
    Eight sum = Eight::zero();
    POLYAK_UNROLL for (Index i = 0; i + 1 < eights; ++i) {
      if (has_far && i * lanes % line == 0) prefetch_far(far + i * lanes);
      if (has_near && i * lanes % line == 0) prefetch_near(near + i * lanes);
      v[i] = Eight::from(a + i * lanes);
      sum.add_product(v[i], Eight::from(x + i * lanes));
    }
    if (has_far) prefetch_far(far + last + rest - 1);
    if (has_near) prefetch_near(near + last + rest - 1);
    v[eights - 1] = Eight::first(a + last, rest);
    sum.add_product(v[eights - 1], Eight::from(x + last));
    return sum.sum();
  }
  HWY_INLINE void add(double c, const ShortRow& a) {  // this += c·a
    const Vector factor = hn::Set(Doubles(), c);
    POLYAK_UNROLL for (Index i = 0; i < eights; ++i) v[i].add_product(factor, a.v[i]);
  }
  HWY_INLINE void store(double* p, Index rest) const {
    POLYAK_UNROLL for (Index i = 0; i + 1 < eights; ++i) v[i].store(p + i * lanes);
    v[eights - 1].store(p + last, rest);
  }
};

/// kernels::gradient for one right-hand side and rows of `eights` eights: each row is loaded
/// once, g is stored once.
template <Index eights, bool listed, class Value>
HWY_NOINLINE void short_gradient(const DenseBlock<Value>& A, const RowList& rows, bool prefetch,
                                 double scale_a, double scale_b, const double* x, ConstView b,
                                 double* g, double* residual2) {
  const Index rest = A.d - (eights - 1) * lanes, distance = listed ? ahead : range_ahead(A);
  const Index far_end = prefetch ? rows.count - distance : 0;
  const Index near_end = listed && prefetch ? rows.count - near_ahead : 0;
  HWY_ALIGN double point[eights * lanes] = {};
  std::copy_n(x, A.d, point);
  const auto place = [&](Index t) HWY_ATTR { return listed ? rows.index[t] : t; };
  const auto row = [&](Index t) HWY_ATTR { return A.data + place(t) * A.stride; };
  ShortRow<eights> a;
  if (listed && prefetch)
    for (Index t = 0; t < std::min(ahead, rows.count); ++t) {
      constexpr Index line = 64 / static_cast<Index>(sizeof(Value));
      prefetch_far(b.row(place(t)));
      for (Index j = 0; j < A.d; j += line) prefetch_far(row(t) + j);
      prefetch_far(row(t) + A.d - 1);
    }
  const auto dot = [&](Index t) HWY_ATTR {
    if (t < far_end) {
      if constexpr (listed) prefetch_far(b.row(place(t + distance)));
      const Value* near = listed ? row(t + near_ahead) : nullptr;
      return a.template load<true, listed>(row(t), row(t + distance), near, rest, point);
    }
    const Value* none = nullptr;
    if (t < near_end)
      return a.template load<false, true>(row(t), none, row(t + near_ahead), rest, point);
    return a.template load<false, false>(row(t), none, none, rest, point);
  };
  auto sum = ShortRow<eights>::from(g, rest);
  double squares = residual2 ? *residual2 : 0.0;
  for (Index t = 0; t < rows.count; ++t) {
    const double w = rows.weight(t), r = residual(w, scale_b, dot(t), b(place(t), 0));
    squares += w * r * r;
    sum.add(w * r * scale_a, a);
  }
  sum.store(g, rest);
  if (residual2) *residual2 = squares;
}

/// The same for rows of 1 to 8·most_eights entries.
template <bool listed, Index eights = 1, class Value>
HWY_INLINE void gradient_of_short(const DenseBlock<Value>& A, const RowList& rows, bool prefetch,
                                  double scale_a, double scale_b, const double* x, ConstView b,
                                  double* g, double* residual2) {
  if constexpr (eights < most_eights) {
    if (A.d > eights * lanes)
      return gradient_of_short<listed, eights + 1>(A, rows, prefetch, scale_a, scale_b, x, b, g,
                                                   residual2);
  }
  short_gradient<eights, listed>(A, rows, prefetch, scale_a, scale_b, x, b, g, residual2);
}

#endif

}  // namespace polyak::internal::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
