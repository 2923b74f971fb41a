#include "tomography/projectors/band_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tomography/projectors/band_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace polyak::tomography::internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::CappedTag<double, 8>;
using Whole = hn::Rebind<std::int64_t, Doubles>;
using Vector = hn::Vec<Doubles>;
constexpr Index width = static_cast<Index>(hn::MaxLanes(Doubles()));

HWY_INLINE Vector load(const double* p) { return hn::LoadU(Doubles(), p); }
HWY_INLINE Vector all(double v) { return hn::Set(Doubles(), v); }

/// Where rays cross a line: pixel j = ⌊c⌋ and f = c − j. Rays outside the image are moved to the
/// margin, which is zero.
struct Crossings {
  Vector j, f;
  HWY_INLINE Crossings(Vector c, Vector lowest, Vector highest) {
    const Vector at = hn::Min(hn::Max(c, lowest), highest);
    j = hn::Floor(at);
    f = hn::Sub(at, j);
  }
  /// j as an integer: the lowest bits of 1.5·2^52 + j.
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

/// Whether any of these rays meets the image in the band. If a strip does, one of its edges does,
/// because a strip is less than two pixels wide.
HWY_INLINE bool meets(const Band& band, const ViewRays& rays, Vector c0) {
  const Vector a = hn::Add(c0, all(step(band, 0, rays.slope)));
  const Vector b = hn::Add(c0, all(step(band, band.count - 1, rays.slope)));
  const auto inside = hn::And(hn::Gt(hn::Max(a, b), all(-1.0)),
                              hn::Lt(hn::Min(a, b), all(static_cast<double>(band.across))));
  return !hn::AllFalse(Doubles(), inside);
}

/// The amounts that `width` rays add to the pixels j and j + 1 of each line of a band. Neighbouring
/// rays meet the same pixels, and each addition would wait for the previous one; therefore the
/// additions go line by line for one ray, then for the next.
struct Additions {
  HWY_ALIGN std::int64_t pixel[Band::max_lines * width];
  HWY_ALIGN double first[Band::max_lines * width], second[Band::max_lines * width];

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

HWY_INLINE Vector share(const ViewRays& rays, Vector f) {
  const Vector t = hn::Mul(hn::Sub(f, all(rays.share.start)), all(rays.share.factor));
  return hn::Min(all(1.0), hn::Max(hn::Zero(Doubles()), t));
}

void project_pairs(const Band& band, const ViewRays& rays, double* sums) {
  const Vector low = lowest(), high = highest(band), one = all(1.0);
  for (Index i = 0; i < rays.count; i += width) {
    const Vector c0 = load(rays.c0 + i);
    if (!meets(band, rays, c0)) continue;
    Vector sum = load(sums + i);
    for (Index l = 0; l < band.count; ++l) {
      const Crossings c(hn::Add(c0, all(step(band, l, rays.slope))), low, high);
      const Vector t = share(rays, c.f);
      const auto pixel = c.pixel();
      const double* line = band.lines + l * band.pitch;
      const Vector x = hn::GatherIndex(Doubles(), line, pixel);
      const Vector next = hn::GatherIndex(Doubles(), line + 1, pixel);
      sum = hn::Add(sum, hn::Add(hn::Mul(hn::Sub(one, t), x), hn::Mul(t, next)));
    }
    hn::StoreU(sum, Doubles(), sums + i);
  }
}

void back_project_pairs(const Band& band, const ViewRays& rays, const double* values) {
  const Vector low = lowest(), high = highest(band), one = all(1.0);
  Additions out;
  for (Index i = 0; i < rays.count; i += width) {
    const Vector c0 = load(rays.c0 + i), value = load(values + i);
    if (!meets(band, rays, c0)) continue;
    for (Index l = 0; l < band.count; ++l) {
      const Crossings c(hn::Add(c0, all(step(band, l, rays.slope))), low, high);
      const Vector t = share(rays, c.f);
      out.set(l, band.pitch, c.pixel(), hn::Mul(hn::Sub(one, t), value), hn::Mul(t, value));
    }
    out.add_to(band);
  }
}

HWY_INLINE bool any_meets(const Band& band, const ViewRays& rays, Index first, Index count) {
  for (Index i = first; i < first + count; i += width)
    if (meets(band, rays, load(rays.c0 + i))) return true;
  return false;
}

/// The area of the pixels j and j + 1 to the left of an edge: Area at f and at f − 1. For earlier
/// pixels it is 1, for later ones 0.
struct Parts {
  Vector first, second;
  HWY_INLINE Parts(const Area& area, Vector f) {
    const Vector T = all(area.T), S = all(area.S), h = all(area.h), curve = all(area.curve);
    const Vector one = all(1.0), half = all(0.5), none = hn::Zero(Doubles());
    const Vector u = hn::Max(hn::Sub(T, f), none);
    first = hn::IfThenElse(hn::Gt(f, S), hn::Sub(one, hn::Mul(hn::Mul(curve, u), u)),
                           hn::Add(half, hn::Mul(h, f)));
    const Vector o = hn::Sub(f, one), v = hn::Max(hn::Add(o, T), none);
    second = hn::IfThenElse(hn::Lt(o, hn::Neg(S)), hn::Mul(hn::Mul(curve, v), v),
                            hn::Add(half, hn::Mul(h, o)));
  }
};

/// The edges of neighbouring strips in one line. The sum of a strip between its left edge a and
/// its right edge b is
///   Σ_j x_j·(area(b − j) − area(a − j)) = part(b) − part(a) + Σ_{⌊a⌋ ≤ j < ⌊b⌋} x_j,
/// where part(e) is the sum over the pixels ⌊e⌋ and ⌊e⌋ + 1, and the last sum has at most two
/// terms. Neighbouring strips share the values of their common edge.
struct Edges {
  static constexpr Index max_edges = 128;
  HWY_ALIGN double part[max_edges], j[max_edges], x[max_edges], next[max_edges];

  HWY_INLINE void fill(const Area& area, const double* line, const double* c0, Index count,
                       double shift, Vector low, Vector high) {
    for (Index i = 0; i < count; i += width) {
      const Crossings c(hn::Add(load(c0 + i), all(shift)), low, high);
      const Parts parts(area, c.f);
      const auto pixel = c.pixel();
      const Vector x0 = hn::GatherIndex(Doubles(), line, pixel);
      const Vector x1 = hn::GatherIndex(Doubles(), line + 1, pixel);
      hn::StoreU(hn::Add(hn::Mul(parts.first, x0), hn::Mul(parts.second, x1)), Doubles(), part + i);
      hn::StoreU(c.j, Doubles(), j + i);
      hn::StoreU(x0, Doubles(), x + i);
      hn::StoreU(x1, Doubles(), next + i);
    }
  }
  HWY_INLINE Vector seen(Index left, Index right) const {
    const Vector between = hn::Sub(load(j + right), load(j + left));
    const Vector one = hn::IfThenElseZero(hn::Gt(between, all(0.5)), load(x + left));
    const Vector two = hn::IfThenElseZero(hn::Gt(between, all(1.5)), load(next + left));
    return hn::Add(hn::Sub(load(part + right), load(part + left)), hn::Add(one, two));
  }
};

void project_strips(const Band& band, const ViewRays& rays, double* sums) {
  constexpr Index block = Edges::max_edges - 8;
  const Vector low = lowest(), high = highest(band);
  const Index left = rays.ascending ? 0 : 1, right = 1 - left;
  Edges edges;
  for (Index first = 0; first < rays.count; first += block) {
    const Index count = std::min(block, rays.count - first);
    if (!any_meets(band, rays, first, count + 1)) continue;
    for (Index l = 0; l < band.count; ++l) {
      edges.fill(rays.area, band.lines + l * band.pitch, rays.c0 + first, count + 1,
                 step(band, l, rays.slope), low, high);
      for (Index i = 0; i < count; i += width) {
        double* sum = sums + first + i;
        hn::StoreU(hn::Add(load(sum), edges.seen(i + left, i + right)), Doubles(), sum);
      }
    }
  }
}

void back_project_strips(const Band& band, const ViewRays& rays, const double* values) {
  const Vector low = lowest(), high = highest(band);
  // Relative to edge i: the strip whose right edge it is, the strip whose left edge it is, and
  // the right edge of the latter.
  const Index right_of = rays.ascending ? -1 : 0, left_of = -1 - right_of;
  const Index other = rays.ascending ? 1 : -1;
  Additions out;
  for (Index i = 0; i <= rays.count; i += width) {
    const Vector c0 = load(rays.c0 + i), end = load(rays.c0 + i + other);
    if (!meets(band, rays, c0) && !meets(band, rays, end)) continue;
    const Vector inside = load(values + i + left_of);
    const Vector change = hn::Sub(load(values + i + right_of), inside);
    for (Index l = 0; l < band.count; ++l) {
      const Vector shift = all(step(band, l, rays.slope));
      const Crossings c(hn::Add(c0, shift), low, high), e(hn::Add(end, shift), low, high);
      const Parts parts(rays.area, c.f);
      const Vector between = hn::Sub(e.j, c.j);
      const Vector one = hn::IfThenElseZero(hn::Gt(between, all(0.5)), inside);
      const Vector two = hn::IfThenElseZero(hn::Gt(between, all(1.5)), inside);
      out.set(l, band.pitch, c.pixel(), hn::Add(hn::Mul(change, parts.first), one),
              hn::Add(hn::Mul(change, parts.second), two));
    }
    out.add_to(band);
  }
}

}  // namespace polyak::tomography::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::tomography::internal {
namespace {
HWY_EXPORT(project_pairs);
HWY_EXPORT(back_project_pairs);
HWY_EXPORT(project_strips);
HWY_EXPORT(back_project_strips);
}  // namespace

void project_pairs(const Band& band, const ViewRays& rays, double* sums) {
  HWY_DYNAMIC_DISPATCH(project_pairs)(band, rays, sums);
}
void back_project_pairs(const Band& band, const ViewRays& rays, const double* values) {
  HWY_DYNAMIC_DISPATCH(back_project_pairs)(band, rays, values);
}
void project_strips(const Band& band, const ViewRays& rays, double* sums) {
  HWY_DYNAMIC_DISPATCH(project_strips)(band, rays, sums);
}
void back_project_strips(const Band& band, const ViewRays& rays, const double* values) {
  HWY_DYNAMIC_DISPATCH(back_project_strips)(band, rays, values);
}

}  // namespace polyak::tomography::internal
#endif
