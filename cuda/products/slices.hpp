#pragma once

// Lists of entries, 32 of them in a slice: entry k of all 32 lie next to each other, so that each
// lane of a warp sums one list and the warp reads whole lines (sliced ELLPACK). The lists of a
// window are ordered by length, so that few places of a slice are empty. Internal.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/buffer.hpp"

namespace polyak::cuda {

using Index = std::int64_t;

constexpr Index slice_lists = 32;
/// One lane sums so many entries at most: longer lists are not in slices.
constexpr Index longest_list = 512;

/// Lanes for each of some lists that are not in slices: about five entries for a lane.
inline int lanes_for(Index entries, Index lists) {
  const Index wanted = entries / std::max<Index>(1, lists) / 5;
  int lanes = 2;
  while (lanes < wanted && lanes < 32) lanes *= 2;
  return lanes;
}

template <class Value>
struct Slices {
  Index count;
  const Index* bases;           // count + 1: entries before each slice, empty places included
  const std::int32_t* numbers;  // −1 at an empty place
  const Value* values;
  const Index* places;  // of the sums of the 32 lists of each slice; −1: none
};

/// Entry t has numbers[p] and values[from + p], p = t − from or, where it is not null, order[t −
/// from].
template <class Value>
struct EntrySource {
  const std::int32_t* numbers;
  const Value* values;
  const std::uint32_t* order;
  Index from;
};

/// List p has the entries starts[p] .. starts[p+1]−1. Its sum goes to place first_place + p.
struct Lists {
  Index count;
  const Index* starts;
  Index first_place;
};

template <class Value>
class SliceSet {
 public:
  SliceSet() = default;
  /// Window k has the lists window_lists[k] .. window_lists[k+1]−1.
  SliceSet(const Lists& lists, const EntrySource<Value>& source,
           const std::vector<Index>& window_lists);

  Slices<Value> view() const;
  /// The first slice of each window, and their number.
  const std::vector<Index>& window_slices() const { return window_slices_; }

 private:
  Index count_ = 0;
  std::vector<Index> window_slices_{0};
  Buffer<Index> bases_, places_;
  Buffer<std::int32_t> numbers_;
  Buffer<Value> values_;
};

}  // namespace polyak::cuda
