// Blocks are sorted by columns with a sort that keeps the order of equal keys: rows ascend in a
// piece, so the order of every sum follows from A alone.

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_select.cuh>
#include <limits>
#include <tuple>

#include "cuda/products/by_columns.hpp"
#include "cuda/products/sort.cuh"
#include "polyak/error.hpp"

namespace polyak::cuda {
namespace {

using Key = std::uint64_t;
using Place = std::uint32_t;  // of an entry in its part

constexpr const char* name = "the entries of A by columns";
constexpr Index wanted_piece = 16, longest_piece = 256;  // entries
constexpr Index window_pieces = 2048;
constexpr Index block_entries = Index{1} << 24, least_part = block_entries;
constexpr Index part_bytes = 104;  // twice what an entry takes while its part is sorted
constexpr Index most_in_part = 0xFFFFFFFF;

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

// As many as make pieces of some entries, or as an entry limit allows.
template <class Value>
Index block_rows_of(const CompressedRows<Value>& A) {
  const double n = static_cast<double>(A.n), entries = static_cast<double>(A.entries);
  const double wanted = wanted_piece * n * static_cast<double>(A.columns_count) / entries;
  const double most = block_entries * n / entries;
  const double rows = std::min(std::max<double>(shared_rows, wanted), most);
  return std::clamp<Index>(static_cast<Index>(rows), 1, A.n);
}

Index entries_of_part() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return std::clamp(static_cast<Index>(free) / part_bytes, least_part, most_in_part);
}

/// Rows of whole blocks, and where their entries are.
struct Rows {
  Index first, last, from, count;
};

// A warp for each row.
template <class Value>
__global__ void write_keys(CompressedRows<Value> A, Rows part, Index block_rows, Key* keys,
                           Place* order, std::int32_t* rows) {
  const Index all = Index{gridDim.x} * blockDim.x / 32;
  const Index warp = (Index{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  for (Index i = part.first + warp; i < part.last; i += all) {
    const Index block = (i - part.first) / block_rows;
    for (Index k = A.starts[i] + threadIdx.x % 32; k < A.starts[i + 1]; k += 32) {
      const Index t = k - part.from;
      keys[t] = static_cast<Key>(block * A.columns_count + A.columns[k]);
      order[t] = static_cast<Place>(t);
      rows[t] = static_cast<std::int32_t>(i % block_rows);
    }
  }
}

// Long pieces are cut in places that do not depend on the part: half a piece is on either side.
__global__ void find_heads(Rows part, const Key* keys, std::uint8_t* heads) {
  constexpr Index step = longest_piece / 2, half = longest_piece / 4;
  for_each(part.count, [&](Index t) {
    const bool is_cut = (part.from + t) % step == 0 && t >= half && t + half <= part.count &&
                        keys[t - half] == keys[t] && keys[t + half - 1] == keys[t];
    heads[t] = t == 0 || keys[t] != keys[t - 1] || is_cut;
  });
}

__global__ void find_columns(Index pieces, const Index* starts, Index from, const Key* keys,
                             Index columns_count, std::int32_t* columns) {
  for_each(pieces, [&](Index p) {
    const Key column = keys[starts[p] - from] % static_cast<Key>(columns_count);
    columns[p] = static_cast<std::int32_t>(column);
  });
}

// out[k] = how many of the ascending numbers are below limits[k], or below k.
template <class Number>
__global__ void count_all_below(Index count, const Index* limits, Index numbers, const Number* from,
                                Index* out) {
  for_each(count, [&](Index k) { out[k] = count_below(numbers, from, limits ? limits[k] : k); });
}

__global__ void count_up(Index count, std::int32_t* out) {
  for_each(count, [&](Index p) { out[p] = static_cast<std::int32_t>(p); });
}

// The starts of windows in blocks of pieces, and the first window of each block.
struct PieceWindows {
  explicit PieceWindows(const std::vector<Index>& block_pieces) {
    for (std::size_t k = 0; k + 1 < block_pieces.size(); ++k) {
      of_blocks.push_back(starts.size());
      for (Index p = block_pieces[k]; p < block_pieces[k + 1]; p += window_pieces)
        starts.push_back(p);
    }
    of_blocks.push_back(starts.size());
    starts.push_back(block_pieces.back());
  }
  std::vector<Index> block_slices(const std::vector<Index>& window_slices) const {
    std::vector<Index> out;
    for (const std::size_t window : of_blocks) out.push_back(window_slices[window]);
    return out;
  }

  std::vector<Index> starts;
  std::vector<std::size_t> of_blocks;
};

std::vector<Rows> cut(const std::vector<Index>& starts, Index block_rows) {
  const Index n = std::ssize(starts) - 1, most = entries_of_part();
  const auto behind = [&](Index row) { return std::min(n, row + block_rows); };
  std::vector<Rows> out;
  for (Index first = 0, last = 0; first < n; first = last) {
    const Index from = starts[size(first)];
    last = behind(first);
    while (last < n && starts[size(behind(last))] - from <= most) last = behind(last);
    out.push_back({first, last, from, starts[size(last)] - from});
  }
  return out;
}

// The first entries of the blocks of a part, and its end.
std::vector<Index> block_entries_of(const Rows& part, const std::vector<Index>& starts,
                                    Index block_rows) {
  std::vector<Index> out;
  for (Index row = part.first; row < part.last; row += block_rows) out.push_back(starts[size(row)]);
  out.push_back(part.from + part.count);
  return out;
}

// Blocks are cut where one share of the slices ends and the next begins.
std::pair<std::vector<Tile>, std::vector<Index>> share_out(const std::vector<Index>& block_slices,
                                                           Index first_row, Index block_rows,
                                                           Index shares) {
  const Index all = block_slices.back();
  std::vector<Tile> tiles;
  std::vector<Index> share_tiles{0};
  std::size_t block = 0;
  for (Index share = 0, slice = 0; share < shares; ++share) {
    const Index end = all * (share + 1) / shares;
    while (slice < end) {
      while (block_slices[block + 1] <= slice) ++block;
      const Index last = std::min(end, block_slices[block + 1]);
      tiles.push_back({slice, last, first_row + static_cast<Index>(block) * block_rows});
      slice = last;
    }
    share_tiles.push_back(std::ssize(tiles));
  }
  return {tiles, share_tiles};
}

// The pieces of one part, sorted.
struct Pieces {
  Buffer<Index> starts;          // one more than pieces
  Buffer<std::int32_t> columns;  // of each
  std::vector<Index> block_pieces;
  Index count = 0;
};

/// The arrays of a sort of up to `most` entries.
struct Sort {
  explicit Sort(Index most)
      : keys(size(2 * most), name),
        order(size(2 * most), name),
        rows(size(most), name),
        heads(size(most), name),
        starts(size(most), name),
        count(1, name) {}

  template <class Value>
  Pieces run(const CompressedRows<Value>& A, const Rows& part, Index block_rows,
             const std::vector<Index>& block_entries) {
    write_keys<<<blocks_for((part.last - part.first) * 32), threads>>>(
        A, part, block_rows, keys.data(), order.data(), rows.data());
    const auto largest = static_cast<Key>((std::ssize(block_entries) - 1) * A.columns_count);
    std::tie(sorted_keys, sorted_order) =
        sort_pairs(room, keys.data(), order.data(), part.count, largest);
    find_heads<<<blocks_for(part.count), threads>>>(part, sorted_keys, heads.data());
    with_room(room, [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<Index>(part.from),
                                        heads.data(), starts.data(), count.data(), part.count);
    });
    Pieces out;
    count.read({&out.count, 1});
    out.columns = Buffer<std::int32_t>(size(out.count), name);
    find_columns<<<blocks_for(out.count), threads>>>(
        out.count, starts.data(), part.from, sorted_keys, A.columns_count, out.columns.data());
    out.starts = Buffer<Index>(size(out.count + 1), name);
    check(cudaMemcpy(out.starts.data(), starts.data(), size(out.count) * sizeof(Index),
                     cudaMemcpyDeviceToDevice),
          "copy on the device");
    check(cudaMemcpy(out.starts.data() + out.count, &block_entries.back(), sizeof(Index),
                     cudaMemcpyHostToDevice),
          "copy to the device");
    out.block_pieces = pieces_below(block_entries, out);
    return out;
  }

  static std::vector<Index> pieces_below(const std::vector<Index>& entries, const Pieces& pieces) {
    const Buffer<Index> limits(entries, name);
    Buffer<Index> below(entries.size(), name);
    const Index count = std::ssize(entries);
    count_all_below<<<blocks_for(count), threads>>>(count, limits.data(), pieces.count,
                                                    static_cast<const Index*>(pieces.starts.data()),
                                                    below.data());
    std::vector<Index> out(entries.size());
    below.read(out);
    return out;
  }

  Buffer<Key> keys;
  Buffer<Place> order;
  Buffer<std::int32_t> rows;
  Buffer<std::uint8_t> heads;
  Buffer<Index> starts, count;
  Buffer<std::byte> room;
  const Key* sorted_keys = nullptr;
  const Place* sorted_order = nullptr;
};

}  // namespace

template <class Value>
ByColumns<Value>::ByColumns(const CompressedRows<Value>& A, const std::vector<Index>& starts,
                            Index shares) {
  block_rows_ = block_rows_of(A);
  const std::vector<Rows> parts = cut(starts, block_rows_);
  Index most = 0;
  for (const Rows& part : parts) most = std::max(most, part.count);
  std::vector<Buffer<std::int32_t>> columns;
  {
    Sort sort(most);
    for (const Rows& part : parts) {
      if (part.count == 0) continue;
      Pieces pieces = sort.run(A, part, block_rows_, block_entries_of(part, starts, block_rows_));
      const PieceWindows windows(pieces.block_pieces);
      Kept kept{{{pieces.count, pieces.starts.data(), pieces_},
                 EntrySource<Value>{sort.rows.data(), A.values, sort.sorted_order, part.from},
                 windows.starts},
                {},
                {}};
      const auto [tiles, share_tiles] = share_out(windows.block_slices(kept.slices.window_slices()),
                                                  part.first, block_rows_, shares);
      kept.tiles = Buffer<Tile>(tiles, name);
      kept.share_tiles = Buffer<Index>(share_tiles, name);
      kept_.push_back(std::move(kept));
      columns.push_back(std::move(pieces.columns));
      pieces_ += pieces.count;
    }
  }
  list_pieces(columns, A.columns_count);
}

template <class Value>
void ByColumns<Value>::list_pieces(const std::vector<Buffer<std::int32_t>>& columns,
                                   Index columns_count) {
  constexpr Index limit = std::numeric_limits<std::int32_t>::max();
  if (pieces_ > limit)
    throw Error(ErrorCode::out_of_memory, {.what = "A has too many entries for a CUDA device"});
  Buffer<std::int32_t> keys(size(2 * pieces_), name), order(size(2 * pieces_), name);
  std::size_t at = 0;
  for (const Buffer<std::int32_t>& part : columns) {
    check(cudaMemcpy(keys.data() + at, part.data(), part.size() * sizeof(std::int32_t),
                     cudaMemcpyDeviceToDevice),
          "copy on the device");
    at += part.size();
  }
  count_up<<<blocks_for(pieces_), threads>>>(pieces_, order.data());
  Buffer<std::byte> room;
  const auto sorted = sort_pairs(room, keys.data(), order.data(), pieces_,
                                 static_cast<std::uint64_t>(columns_count));
  column_pieces_ = Buffer<std::int32_t>(size(pieces_), name);
  check(cudaMemcpy(column_pieces_.data(), sorted.second, size(pieces_) * sizeof(std::int32_t),
                   cudaMemcpyDeviceToDevice),
        "copy on the device");
  column_starts_ = Buffer<Index>(size(columns_count + 1), name);
  count_all_below<<<blocks_for(columns_count + 1), threads>>>(
      columns_count + 1, static_cast<const Index*>(nullptr), pieces_, sorted.first,
      column_starts_.data());
  check_launch("launch of an order of pieces");
}

template <class Value>
std::vector<ColumnPart<Value>> ByColumns<Value>::parts() const {
  std::vector<ColumnPart<Value>> out;
  for (const Kept& kept : kept_)
    out.push_back({kept.slices.view(), kept.tiles.data(), kept.share_tiles.data(),
                   static_cast<Index>(kept.share_tiles.size()) - 1});
  return out;
}

template class ByColumns<double>;
template class ByColumns<float>;

// Slices have some empty places; a piece takes 20 bytes beside its entries.
double bytes_by_columns(Index entries, double value_bytes) {
  const auto count = static_cast<double>(entries);
  const double sort =
      static_cast<double>(part_bytes) / 2.0 * static_cast<double>(std::min(entries, least_part));
  return count * (1.05 * (value_bytes + 4.0) + 1.0) + sort;
}

}  // namespace polyak::cuda
