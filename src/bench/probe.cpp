#include "bench/contenders.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/probe.cpp"
#include <hwy/foreach_target.h>  // this file once more for each target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace polyak::bench::internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr Index line = 8;   // doubles in a cache line
constexpr Index ahead = 8;  // prefetch distance in rows

// Four sums hide the latency of additions.
double sum_values(const double* p, Index count) {
  const hn::ScalableTag<double> tag;
  const auto width = static_cast<Index>(hn::Lanes(tag));
  auto s0 = hn::Zero(tag), s1 = s0, s2 = s0, s3 = s0;
  Index i = 0;
  for (; i + 4 * width <= count; i += 4 * width) {
    s0 = hn::Add(s0, hn::LoadU(tag, p + i));
    s1 = hn::Add(s1, hn::LoadU(tag, p + i + width));
    s2 = hn::Add(s2, hn::LoadU(tag, p + i + 2 * width));
    s3 = hn::Add(s3, hn::LoadU(tag, p + i + 3 * width));
  }
  for (; i + width <= count; i += width) s0 = hn::Add(s0, hn::LoadU(tag, p + i));
  const auto sum = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  double out = hn::GetLane(hn::SumOfLanes(tag, sum));
  for (; i < count; ++i) out += p[i];
  return out;
}

double sum_rows(const double* data, Index stride, Index d, const Index* rows, Index count) {
  double out = 0.0;
  for (Index t = 0; t < count; ++t) {
    if (t + ahead < count) {
      const double* next = data + rows[t + ahead] * stride;
      // Into the second-level cache: the loads need the few miss buffers of the first.
      for (Index j = 0; j < d; j += line) __builtin_prefetch(next + j, 0, 2);
      __builtin_prefetch(next + d - 1, 0, 2);
    }
    out += sum_values(data + rows[t] * stride, d);
  }
  return out;
}

}  // namespace polyak::bench::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

HWY_EXPORT(sum_values);
HWY_EXPORT(sum_rows);

// The sum of body(first, last) over one part per thread.
template <class Body>
double sum_parts(Index count, ThreadTeam& team, Body body) {
  constexpr Index apart = 8;  // the sum of each thread in its own cache line
  const Index parts = team.size();
  std::vector<double> sums(to_size(parts * apart), 0.0);
  team.run(parts, [&](Index p) {
    sums[to_size(p * apart)] = body(p * count / parts, (p + 1) * count / parts);
  });
  double out = 0.0;
  for (double sum : sums) out += sum;
  return out;
}

}  // namespace

double read_values(const double* values, Index count) {
  return HWY_DYNAMIC_DISPATCH(sum_values)(values, count);
}

double read_rows(ConstView A, std::span<const Index> rows) {
  return HWY_DYNAMIC_DISPATCH(sum_rows)(A.data, A.stride, A.cols, rows.data(), std::ssize(rows));
}

double read_values(const double* values, Index count, ThreadTeam& team) {
  return sum_parts(count, team, [&](Index first, Index last) {
    return read_values(values + first, last - first);
  });
}

double read_rows(ConstView A, std::span<const Index> rows, ThreadTeam& team) {
  return sum_parts(std::ssize(rows), team, [&](Index first, Index last) {
    return read_rows(A, rows.subspan(to_size(first), to_size(last - first)));
  });
}

}  // namespace polyak::bench::internal
#endif
