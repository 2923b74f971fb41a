#include "tomography/band_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tomography/band_strips.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target
#include <hwy/highway.h>

#include "tomography/crossings-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace polyak::tomography::HWY_NAMESPACE {

HWY_INLINE bool any_meets(const Band& band, const Sheaf& rays, Index first, Index count) {
  for (Index i = first; i < first + count; i += width)
    if (meets(band, rays, load(rays.c0 + i))) return true;
  return false;
}

/// How much of the pixels j and j + 1 lies to the left of an edge: Area at f and
/// at f − 1. Of pixels before j it is all, of those behind j + 1 nothing.
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

/// The edges of some strips in one line. A strip sees, between its left edge a
/// and its right edge b,
///   Σ_j x_j·(area(b − j) − area(a − j)) = part(b) − part(a) + Σ_{⌊a⌋ ≤ j < ⌊b⌋} x_j,
/// part(e) being that of the pixels ⌊e⌋ and ⌊e⌋ + 1 and the last sum having at
/// most two members: neighbours share their edges and all that belongs to them.
struct Edges {
  static constexpr Index most = 128;
  HWY_ALIGN double part[most], j[most], x[most], next[most];

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

void project_strips(const Band& band, const Sheaf& rays, double* sums) {
  constexpr Index block = Edges::most - 8;
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

void spread_strips(const Band& band, const Sheaf& rays, const double* values) {
  const Vector low = lowest(), high = highest(band);
  // The strips that an edge is the right and the left one of, and the other
  // edge of the latter.
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

}  // namespace polyak::tomography::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::tomography {
namespace {
HWY_EXPORT(project_strips);
HWY_EXPORT(spread_strips);
}  // namespace

void project_strips(const Band& band, const Sheaf& rays, double* sums) {
  HWY_DYNAMIC_DISPATCH(project_strips)(band, rays, sums);
}
void spread_strips(const Band& band, const Sheaf& rays, const double* values) {
  HWY_DYNAMIC_DISPATCH(spread_strips)(band, rays, values);
}

}  // namespace polyak::tomography
#endif
