#include "tomography/projectors/pair_row.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tomography/projectors/pair_row.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace polyak::tomography::internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::CappedTag<double, 8>;
using Pixels = hn::Rebind<std::int32_t, Doubles>;
using Whole = hn::Rebind<std::int64_t, Doubles>;
using Vector = hn::Vec<Doubles>;
constexpr Index width = static_cast<Index>(hn::MaxLanes(Doubles()));
constexpr Index vectors = 8 / width;

HWY_INLINE Vector all(double v) { return hn::Set(Doubles(), v); }

/// Computes steps k … k + width − 1. With `checked` one or both pixels may be outside the image;
/// the pair is then the nearest pair inside, with zero entries for pixels outside.
template <bool checked>
HWY_INLINE void make_some(const PairRay& ray, Index k, Index last, std::int32_t* pixel,
                          double* first, double* second) {
  const Vector one = all(1.0), none = hn::Zero(Doubles());
  Vector step = hn::Iota(Doubles(), static_cast<double>(k));
  const auto there = hn::Lt(step, all(static_cast<double>(last)));
  if constexpr (checked) step = hn::Min(step, all(static_cast<double>(last - 1)));
  const Vector at = hn::Add(all(ray.c.c0), hn::Mul(step, all(ray.c.slope)));
  Vector j = hn::Floor(at);
  const Vector t = hn::Min(one, hn::Max(none, hn::Mul(hn::Sub(hn::Sub(at, j), all(ray.share.start)),
                                                      all(ray.share.factor))));
  Vector a = hn::Mul(all(ray.length), hn::Sub(one, t)), b = hn::Mul(all(ray.length), t);
  if constexpr (checked) {
    const Vector highest = all(static_cast<double>(ray.path.across - 2));
    const Vector inside = hn::Min(hn::Max(j, none), highest);
    const Vector moved = hn::Sub(inside, j);  // how far the pair is moved
    const auto stays = hn::And(hn::Eq(moved, none), there);
    const auto up = hn::And(hn::Eq(moved, one), there),
               down = hn::And(hn::Eq(moved, all(-1.0)), there);
    const Vector p = a, q = b;
    a = hn::IfThenElse(stays, p, hn::IfThenElseZero(up, q));
    b = hn::IfThenElse(stays, q, hn::IfThenElseZero(down, p));
    j = inside;
  }
  const Vector column = hn::Add(hn::Mul(step, all(static_cast<double>(ray.path.step_stride))),
                                hn::Mul(j, all(static_cast<double>(ray.path.stride))));
  hn::StoreU(hn::DemoteTo(Pixels(), column), Pixels(), pixel);
  hn::StoreU(a, Doubles(), first);
  hn::StoreU(b, Doubles(), second);
}

Index make_pairs(const PairRay& ray, Steps all_steps, Steps middle, std::int32_t* pixel,
                 double* first, double* second) {
  Index count = 0;
  for (Index k = all_steps.first; k < all_steps.last || count % 8 != 0; k += width) {
    if (k >= middle.first && k + width <= middle.last)
      make_some<false>(ray, k, all_steps.last, pixel + count, first + count, second + count);
    else
      make_some<true>(ray, k, all_steps.last, pixel + count, first + count, second + count);
    count += width;
  }
  return count;
}

HWY_INLINE Vector gather(const double* x, const std::int32_t* pixel) {
  return hn::GatherIndex(Doubles(), x, hn::PromoteTo(Whole(), hn::LoadU(Pixels(), pixel)));
}

/// Summed as sum_lanes in kernels/reference.hpp: ((s0+s4) + (s2+s6)) + ((s1+s5) + (s3+s7)).
double dot(const PairRow& row, const double* x) {
  Vector sums[vectors];
  for (Index v = 0; v < vectors; ++v) sums[v] = hn::Zero(Doubles());
  for (Index k = 0; k < row.steps; k += 8) {
    for (Index v = 0; v < vectors; ++v) {
      const Index at = k + v * width;
      const Vector a = hn::Mul(hn::LoadU(Doubles(), row.first + at), gather(x, row.pixel + at));
      const Vector b =
          hn::Mul(hn::LoadU(Doubles(), row.second + at), gather(x + row.stride, row.pixel + at));
      sums[v] = hn::Add(sums[v], hn::Add(a, b));
    }
  }
  HWY_ALIGN double s[8];
  for (Index v = 0; v < vectors; ++v) hn::StoreU(sums[v], Doubles(), s + v * width);
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

}  // namespace polyak::tomography::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::tomography::internal {
namespace {
HWY_EXPORT(make_pairs);
HWY_EXPORT(dot);
}  // namespace

double PairRow::dot(const double* x) const { return HWY_DYNAMIC_DISPATCH(dot)(*this, x); }

bool supports_pairs(const RayMaker& maker) {
  const ImageGrid& image = maker.geometry().image;
  return maker.model() != RayModel::strip && image.rows > 1 && image.cols > 1;
}

Index pair_capacity(const RayMaker& maker) {
  const ImageGrid& image = maker.geometry().image;
  return std::max(image.rows, image.cols) + 16;
}

// The steps in the middle have both pixels inside the image and need no checks.
PairRow make_pairs(const RayMaker& maker, Index r, std::int32_t* pixel, double* first,
                   double* second) {
  const ImageGrid& image = maker.geometry().image;
  const Line line = maker.line(r);
  const bool rows = by_rows(line);
  PairRay ray{crossing(line, image, rows), Path(image, rows), {}, 0.0};
  const double q = std::abs(ray.c.slope), across = static_cast<double>(ray.path.across);
  ray.share = share_of(maker.model(), q);
  ray.length = image.pixel * std::sqrt(1.0 + q * q);
  const Steps all = steps_within(ray.c, ray.path.steps, -1.0, across);
  const Steps middle = steps_inside(ray.c, ray.path.steps, across);
  const Index steps = HWY_DYNAMIC_DISPATCH(make_pairs)(ray, all, middle, pixel, first, second);
  return {pixel, first, second, steps, ray.path.stride};
}

}  // namespace polyak::tomography::internal
#endif
