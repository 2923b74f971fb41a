#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <numeric>

#include "cuda/products/slices.hpp"
#include "cuda/products/sort.cuh"

namespace polyak::cuda {
namespace {

constexpr const char* name = "slices of A";

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

/// Windows of lists, in device memory.
struct Windows {
  Index count;
  const Index* lists;   // count + 1
  const Index* slices;  // count + 1
  const Index* steps;   // count
};

// Slice k of m has the lists of group k·step mod m by length, so that neighbours differ in length
// and every range of slices has short and long ones: a step near the golden ratio, without a
// common divisor with m.
Index step_for(Index m) {
  Index step = std::max<Index>(1, static_cast<Index>(0.618 * static_cast<double>(m)));
  while (std::gcd(step, m) > 1) ++step;
  return step;
}

__device__ Index length_of(const Lists& lists, Index p) {
  const Index length = lists.starts[p + 1] - lists.starts[p];
  return length > longest_list ? 0 : length;
}

__global__ void write_keys(Lists lists, Windows windows, std::uint64_t* keys, Index* order) {
  for_each(lists.count, [&](Index p) {
    const Index window = count_below(windows.count, windows.lists + 1, p + 1);
    keys[p] = static_cast<std::uint64_t>(window * (longest_list + 1) + length_of(lists, p));
    order[p] = p;
  });
}

// lists_at = the list of each of the 32 places of a slice, or −1; widths = 32 times the entries of
// the longest, which is the last.
__global__ void place_lists(Lists lists, Windows windows, Index slices, const Index* order,
                            Index* lists_at, Index* places, Index* widths) {
  for_each(slices * slice_lists, [&](Index slot) {
    const Index slice = slot / slice_lists;
    const Index window = count_below(windows.count, windows.slices + 1, slice + 1);
    const Index first = windows.slices[window], all = windows.slices[window + 1] - first;
    const Index group = (slice - first) * windows.steps[window] % all;
    const Index q = windows.lists[window] + group * slice_lists + slot % slice_lists;
    const Index end = windows.lists[window + 1];
    const Index p = q < end ? order[q] : -1;
    const bool is_long = p >= 0 && lists.starts[p + 1] - lists.starts[p] > longest_list;
    lists_at[slot] = p;
    places[slot] = p < 0 || is_long ? -1 : lists.first_place + p;
    if (q < end && (q == end - 1 || slot % slice_lists == slice_lists - 1))
      widths[slice] = slice_lists * length_of(lists, p);
  });
}

// A warp for each slice.
template <class Value>
__global__ void fill(Lists lists, EntrySource<Value> source, Index slices, const Index* lists_at,
                     const Index* bases, std::int32_t* numbers, Value* values) {
  const Index lane = threadIdx.x % 32, all = Index{gridDim.x} * blockDim.x / 32;
  for (Index s = (Index{blockIdx.x} * blockDim.x + threadIdx.x) / 32; s < slices; s += all) {
    const Index p = lists_at[s * slice_lists + lane];
    const Index first = p < 0 ? 0 : lists.starts[p] - source.from;
    const Index length = p < 0 ? 0 : length_of(lists, p);
    Index at = bases[s] + lane;
    for (Index k = 0; at < bases[s + 1]; ++k, at += slice_lists) {
      const bool there = k < length;
      const Index t = !there ? 0 : source.order ? Index{source.order[first + k]} : first + k;
      numbers[at] = there ? source.numbers[t] : -1;
      values[at] = there ? source.values[source.from + t] : Value{0};
    }
  }
}

}  // namespace

template <class Value>
SliceSet<Value>::SliceSet(const Lists& lists, const EntrySource<Value>& source,
                          const std::vector<Index>& window_lists) {
  for (std::size_t k = 1; k < window_lists.size(); ++k)
    window_slices_.push_back(window_slices_.back() +
                             (window_lists[k] - window_lists[k - 1] + slice_lists - 1) /
                                 slice_lists);
  count_ = window_slices_.back();
  if (count_ == 0) return;
  std::vector<Index> steps;
  for (std::size_t k = 1; k < window_slices_.size(); ++k)
    steps.push_back(step_for(window_slices_[k] - window_slices_[k - 1]));
  const Buffer<Index> of_lists(window_lists, name), of_slices(window_slices_, name),
      of_steps(steps, name);
  const Windows windows{std::ssize(steps), of_lists.data(), of_slices.data(), of_steps.data()};
  Buffer<std::byte> room;
  Buffer<std::uint64_t> keys(size(2 * lists.count), name);
  Buffer<Index> order(size(2 * lists.count), name), lists_at(size(count_ * slice_lists), name),
      widths(size(count_ + 1), name);
  write_keys<<<blocks_for(lists.count), threads>>>(lists, windows, keys.data(), order.data());
  const Index largest = windows.count * (longest_list + 1);
  const auto sorted =
      sort_pairs(room, keys.data(), order.data(), lists.count, static_cast<std::uint64_t>(largest));
  places_ = Buffer<Index>(size(count_ * slice_lists), name);
  bases_ = Buffer<Index>(size(count_ + 1), name);
  place_lists<<<blocks_for(count_ * slice_lists), threads>>>(
      lists, windows, count_, sorted.second, lists_at.data(), places_.data(), widths.data());
  check(cudaMemset(widths.data() + count_, 0, sizeof(Index)), "clear device memory");
  with_room(room, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(memory, bytes, widths.data(), bases_.data(), count_ + 1);
  });
  Index entries = 0;
  check(cudaMemcpy(&entries, bases_.data() + count_, sizeof entries, cudaMemcpyDeviceToHost),
        "copy from the device");
  numbers_ = Buffer<std::int32_t>(size(entries), name);
  values_ = Buffer<Value>(size(entries), name);
  fill<<<blocks_for(count_ * 32), threads>>>(lists, source, count_, lists_at.data(), bases_.data(),
                                             numbers_.data(), values_.data());
  check_launch("launch of a cut into slices");
}

template <class Value>
Slices<Value> SliceSet<Value>::view() const {
  return {count_, bases_.data(), numbers_.data(), values_.data(), places_.data()};
}

template class SliceSet<double>;
template class SliceSet<float>;

}  // namespace polyak::cuda
