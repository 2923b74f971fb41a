#pragma once

// Sorts and searches of the device, by CUB. Internal, for .cu files.

#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "cuda/products/launch.hpp"

namespace polyak::cuda {

using Index = std::int64_t;

/// call(memory, bytes) with as much memory as CUB asks for in a first call with null.
template <class Call>
void with_room(Buffer<std::byte>& room, Call call) {
  constexpr const char* name = "a sort on the device";
  std::size_t bytes = 0;
  check(call(nullptr, bytes), name);
  if (room.size() < bytes) room = Buffer<std::byte>(bytes, name);
  check(call(room.data(), bytes), name);
}

/// Pairs in ascending order of their keys, equal keys in the order they had. Both arrays are twice
/// `count` long, the pairs in the first half; the result is in the halves that are returned.
template <class Key, class Item>
std::pair<const Key*, const Item*> sort_pairs(Buffer<std::byte>& room, Key* keys, Item* items,
                                              Index count, std::uint64_t largest) {
  cub::DoubleBuffer<Key> k(keys, keys + count);
  cub::DoubleBuffer<Item> v(items, items + count);
  const int bits = largest == 0 ? 1 : static_cast<int>(std::bit_width(largest));
  with_room(room, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, k, v, count, 0, bits);
  });
  return {k.Current(), v.Current()};
}

/// How many of the ascending numbers are below `limit`.
template <class Number>
__device__ Index count_below(Index numbers, const Number* from, Index limit) {
  Index low = 0, high = numbers;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (static_cast<Index>(from[middle]) < limit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace polyak::cuda
