// Eight doubles as 8/N vectors of N lanes, N being the width of the current target. Included
// once per target, after hwy/highway.h.

#if defined(POLYAK_KERNELS_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef POLYAK_KERNELS_LANES_INL
#undef POLYAK_KERNELS_LANES_INL
#else
#define POLYAK_KERNELS_LANES_INL
#endif

#undef POLYAK_VECTORS
#define POLYAK_VECTORS (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

HWY_BEFORE_NAMESPACE();
namespace polyak::internal::kernels::HWY_NAMESPACE {

#if POLYAK_VECTORS

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Doubles>;
constexpr Index width = static_cast<Index>(hn::MaxLanes(Doubles()));
constexpr Index vectors = 8 / width;

HWY_INLINE Vector load(const double* p) { return hn::LoadU(Doubles(), p); }
HWY_INLINE Vector load(const float* p) {
  return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<float, Doubles>(), p));
}

/// Load and store of the first `count` < width values, without access to the memory behind
/// them; the other lanes are zero.
#if HWY_MEM_OPS_MIGHT_FAULT
template <class Value>
HWY_INLINE Vector load_first(const Value* p, Index count) {
  HWY_ALIGN Value buffer[8] = {};
  for (Index l = 0; l < count; ++l) buffer[l] = p[l];
  return load(buffer);
}
HWY_INLINE void store_first(Vector v, double* p, Index count) {
  HWY_ALIGN double buffer[8];
  hn::StoreU(v, Doubles(), buffer);
  for (Index l = 0; l < count; ++l) p[l] = buffer[l];
}
#else
template <class Tag>
HWY_INLINE auto first_lanes(Tag tag, Index count) {
  return hn::FirstN(tag, static_cast<std::size_t>(count));
}
HWY_INLINE Vector load_first(const double* p, Index count) {
  return hn::MaskedLoad(first_lanes(Doubles(), count), Doubles(), p);
}
HWY_INLINE Vector load_first(const float* p, Index count) {
  const hn::Rebind<float, Doubles> floats;
  return hn::PromoteTo(Doubles(), hn::MaskedLoad(first_lanes(floats, count), floats, p));
}
HWY_INLINE void store_first(Vector v, double* p, Index count) {
  hn::BlendedStore(v, first_lanes(Doubles(), count), Doubles(), p);
}
#endif

/// ((s0+s4) + (s2+s6)) + ((s1+s5) + (s3+s7)), as in sum_lanes: the upper half is added to the
/// lower one until one number is left.
template <class V>
HWY_INLINE double sum_of_lanes(V v) {
  if constexpr (hn::MaxLanes(hn::DFromV<V>()) > 2) {
    const hn::Half<hn::DFromV<V>> half;
    return sum_of_lanes(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  } else {
    return hn::GetLane(v) + hn::GetLane(hn::Shuffle01(v));
  }
}
template <Index count>
HWY_INLINE double sum_of_vectors(const Vector* v) {
  if constexpr (count > 1) {
    Vector halves[count / 2];
    for (Index k = 0; k < count / 2; ++k) halves[k] = hn::Add(v[k], v[k + count / 2]);
    return sum_of_vectors<count / 2>(halves);
  } else {
    return sum_of_lanes(v[0]);
  }
}

/// Eight values, loaded from p; or the first `count` of them and zeros.
struct Eight {
  Vector v[vectors];

  HWY_INLINE static Eight zero() {
    Eight out;
    for (Index k = 0; k < vectors; ++k) out.v[k] = hn::Zero(Doubles());
    return out;
  }
  template <class Value>
  HWY_INLINE static Eight from(const Value* p) {
    Eight out;
    for (Index k = 0; k < vectors; ++k) out.v[k] = load(p + k * width);
    return out;
  }
  template <class Value>
  HWY_INLINE static Eight first(const Value* p, Index count) {
    Eight out = zero();
    for (Index k = 0; k < vectors; ++k) {
      const Index here = count - k * width;
      if (here >= width)
        out.v[k] = load(p + k * width);
      else if (here > 0)
        out.v[k] = load_first(p + k * width, here);
    }
    return out;
  }
  HWY_INLINE void store(double* p) const {
    for (Index k = 0; k < vectors; ++k) hn::StoreU(v[k], Doubles(), p + k * width);
  }
  HWY_INLINE void store(double* p, Index count) const {
    for (Index k = 0; k < vectors; ++k) {
      const Index here = count - k * width;
      if (here >= width)
        hn::StoreU(v[k], Doubles(), p + k * width);
      else if (here > 0)
        store_first(v[k], p + k * width, here);
    }
  }
  /// this += a·b, rounded once.
  HWY_INLINE void add_product(const Eight& a, const Eight& b) {
    for (Index k = 0; k < vectors; ++k) v[k] = hn::MulAdd(a.v[k], b.v[k], v[k]);
  }
  HWY_INLINE void add_product(Vector c, const Eight& a) {
    for (Index k = 0; k < vectors; ++k) v[k] = hn::MulAdd(c, a.v[k], v[k]);
  }
  HWY_INLINE void add(const Eight& a) {
    for (Index k = 0; k < vectors; ++k) v[k] = hn::Add(v[k], a.v[k]);
  }
  /// this += a², square and sum rounded separately.
  HWY_INLINE void add_square(const Eight& a) {
    for (Index k = 0; k < vectors; ++k) v[k] = hn::Add(v[k], hn::Mul(a.v[k], a.v[k]));
  }
  HWY_INLINE Eight times(Vector c) const {
    Eight out;
    for (Index k = 0; k < vectors; ++k) out.v[k] = hn::Mul(c, v[k]);
    return out;
  }
  /// In the order of sum_lanes.
  HWY_INLINE double sum() const { return sum_of_vectors<vectors>(v); }
};

#endif

}  // namespace polyak::internal::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
