// Where the rays of a view cross the lines of a band, for whichever target this is
// being compiled for: included once per target, after hwy/highway.h.

#if defined(POLYAK_TOMOGRAPHY_CROSSINGS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef POLYAK_TOMOGRAPHY_CROSSINGS_INL
#undef POLYAK_TOMOGRAPHY_CROSSINGS_INL
#else
#define POLYAK_TOMOGRAPHY_CROSSINGS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace polyak::tomography::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::CappedTag<double, 8>;
using Whole = hn::Rebind<std::int64_t, Doubles>;
using Vector = hn::Vec<Doubles>;
constexpr Index width = static_cast<Index>(hn::MaxLanes(Doubles()));

HWY_INLINE Vector load(const double* p) { return hn::LoadU(Doubles(), p); }
HWY_INLINE Vector all(double v) { return hn::Set(Doubles(), v); }

/// Where rays cross a line: pixel j = ⌊c⌋ and f = c − j. Rays beside the image
/// are brought to its margin, which is zero.
struct Crossings {
  Vector j, f;
  HWY_INLINE Crossings(Vector c, Vector lowest, Vector highest) {
    const Vector at = hn::Min(hn::Max(c, lowest), highest);
    j = hn::Floor(at);
    f = hn::Sub(at, j);
  }
  /// j as a number of pixels: in 1.5·2^52 + j it is the lowest bits.
  HWY_INLINE hn::Vec<Whole> pixel() const {
    const Vector magic = all(6755399441055744.0);
    return hn::Sub(hn::BitCast(Whole(), hn::Add(j, magic)), hn::BitCast(Whole(), magic));
  }
};
HWY_INLINE Vector lowest() { return all(-2.0); }
HWY_INLINE Vector highest(const Band& band) { return all(static_cast<double>(band.across) + 1.0); }

HWY_INLINE double step(const Band& band, Index l, double slope) {
  return static_cast<double>(band.first + l) * slope;
}

/// Whether any of these rays meets the image in the band. A strip that does has
/// an edge that does, being less than two pixels wide.
HWY_INLINE bool meets(const Band& band, const Sheaf& rays, Vector c0) {
  const Vector a = hn::Add(c0, all(step(band, 0, rays.slope)));
  const Vector b = hn::Add(c0, all(step(band, band.count - 1, rays.slope)));
  const auto inside = hn::And(hn::Gt(hn::Max(a, b), all(-1.0)),
                              hn::Lt(hn::Min(a, b), all(static_cast<double>(band.across))));
  return !hn::AllFalse(Doubles(), inside);
}

/// What `width` rays add to the pixels j and j + 1 of each line of a band. Rays
/// next to each other meet the same pixels and would wait for each other: the
/// lines take turns.
struct Additions {
  HWY_ALIGN std::int64_t pixel[Band::most * width];
  HWY_ALIGN double first[Band::most * width], second[Band::most * width];

  HWY_INLINE void set(Index l, Index pitch, hn::Vec<Whole> j, Vector a, Vector b) {
    hn::StoreU(hn::Add(j, hn::Set(Whole(), l * pitch)), Whole(), pixel + l * width);
    hn::StoreU(a, Doubles(), first + l * width);
    hn::StoreU(b, Doubles(), second + l * width);
  }
  HWY_INLINE void add_to(const Band& band) const {
    for (Index i = 0; i < width; ++i) {
      for (Index k = i; k < band.count * width; k += width) {
        double* at = band.lines + pixel[k];
        at[0] += first[k];
        at[1] += second[k];
      }
    }
  }
};

}  // namespace polyak::tomography::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
