#include "kernels/dense.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dense_steps.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target
#include <hwy/highway.h>

#include "kernels/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace polyak::internal::kernels::HWY_NAMESPACE {

// for_each: out[j] = step(in[j]...) for each j, with vectors or with doubles.
#if POLYAK_VECTORS

HWY_INLINE Vector plus(Vector a, Vector b) { return hn::Add(a, b); }
HWY_INLINE Vector minus(Vector a, Vector b) { return hn::Sub(a, b); }
HWY_INLINE Vector times(double c, Vector a) { return hn::Mul(hn::Set(Doubles(), c), a); }

template <class Step, class... In>
HWY_INLINE void for_each(Index count, double* out, Step step, const In*... in) {
  Index j = 0;
  for (; j + width <= count; j += width) hn::StoreU(step(load(in + j)...), Doubles(), out + j);
  if (j < count) store_first(step(load_first(in + j, count - j)...), out + j, count - j);
}

#else

inline double plus(double a, double b) { return a + b; }
inline double minus(double a, double b) { return a - b; }
inline double times(double c, double a) { return c * a; }

template <class Step, class... In>
void for_each(Index count, double* out, Step step, const In*... in) {
  for (Index j = 0; j < count; ++j) out[j] = step(in[j]...);
}

#endif

void heavy_ball_step(Index count, double alpha, double beta, const double* x, const double* g,
                     double* previous) {
  const auto step = [=](auto now, auto gradient, auto before) HWY_ATTR {
    return plus(minus(now, times(alpha, gradient)), times(beta, minus(now, before)));
  };
  for_each(count, previous, step, x, g, previous);
}

void extrapolate(Index count, double beta, const double* x, double* previous) {
  const auto step = [=](auto now, auto before)
                        HWY_ATTR { return plus(now, times(beta, minus(now, before))); };
  for_each(count, previous, step, x, previous);
}

void gradient_step(Index count, double alpha, const double* g, double* x) {
  const auto step = [=](auto now, auto gradient)
                        HWY_ATTR { return minus(now, times(alpha, gradient)); };
  for_each(count, x, step, x, g);
}

}  // namespace polyak::internal::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::internal::kernels {

namespace {
HWY_EXPORT(heavy_ball_step);
HWY_EXPORT(extrapolate);
HWY_EXPORT(gradient_step);
}  // namespace

void heavy_ball_step(Index count, double alpha, double beta, const double* x, const double* g,
                     double* previous) {
  HWY_DYNAMIC_DISPATCH(heavy_ball_step)(count, alpha, beta, x, g, previous);
}
void extrapolate(Index count, double beta, const double* x, double* previous) {
  HWY_DYNAMIC_DISPATCH(extrapolate)(count, beta, x, previous);
}
void gradient_step(Index count, double alpha, const double* g, double* x) {
  HWY_DYNAMIC_DISPATCH(gradient_step)(count, alpha, g, x);
}

}  // namespace polyak::internal::kernels
#endif
