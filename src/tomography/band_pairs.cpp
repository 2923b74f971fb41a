#include "tomography/band_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tomography/band_pairs.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target
#include <hwy/highway.h>

#include "tomography/crossings-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace polyak::tomography::HWY_NAMESPACE {

HWY_INLINE Vector share(const Sheaf& rays, Vector f) {
  const Vector t = hn::Mul(hn::Sub(f, all(rays.share.start)), all(rays.share.factor));
  return hn::Min(all(1.0), hn::Max(hn::Zero(Doubles()), t));
}

void project_pairs(const Band& band, const Sheaf& rays, double* sums) {
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

void spread_pairs(const Band& band, const Sheaf& rays, const double* values) {
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

}  // namespace polyak::tomography::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::tomography {
namespace {
HWY_EXPORT(project_pairs);
HWY_EXPORT(spread_pairs);
}  // namespace

void project_pairs(const Band& band, const Sheaf& rays, double* sums) {
  HWY_DYNAMIC_DISPATCH(project_pairs)(band, rays, sums);
}
void spread_pairs(const Band& band, const Sheaf& rays, const double* values) {
  HWY_DYNAMIC_DISPATCH(spread_pairs)(band, rays, values);
}

}  // namespace polyak::tomography
#endif
