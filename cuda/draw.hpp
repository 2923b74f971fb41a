#pragma once

// Which row draw t of iteration k is: the same integers as src/core/random and
// src/sampling, in functions that run on the host and on the device.
//
//   bits(k, t)  64 bits of Philox4x32-10, counter (t/2, k), two draws a block;
//   point       bits/4, one of 2^62; row j owns the points start[j] .. start[j+1]-1;
//   weight      w_j/(B·p_j), p_j = (start[j+1] - start[j])/2^62.
//
// Bytes moved for a draw: one line of 64 bytes of the table.

#include <cstdint>

#include "cuda/host_device.hpp"

namespace polyak::cuda {

struct Key {
  std::uint32_t word[2];
};

struct Block {
  std::uint32_t word[4];
};

POLYAK_HOST_DEVICE inline std::uint32_t low(std::uint64_t v) {
  return static_cast<std::uint32_t>(v);
}
POLYAK_HOST_DEVICE inline std::uint32_t high(std::uint64_t v) {
  return static_cast<std::uint32_t>(v >> 32);
}
POLYAK_HOST_DEVICE inline std::uint64_t join(std::uint32_t lo, std::uint32_t hi) {
  return static_cast<std::uint64_t>(hi) << 32 | lo;
}

/// Philox4x32-10 of Random123.
POLYAK_HOST_DEVICE inline Block philox(Block c, Key key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c.word[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c.word[2];
    c = {
        {high(p1) ^ c.word[1] ^ key.word[0], low(p1), high(p0) ^ c.word[3] ^ key.word[1], low(p0)}};
    key.word[0] += 0x9E3779B9u;
    key.word[1] += 0xBB67AE85u;
  }
  return c;
}

/// The key of polyak::Random(seed, stream).
POLYAK_HOST_DEVICE inline Key draw_key(std::uint64_t seed, std::uint64_t stream) {
  const Block out =
      philox({{low(stream), high(stream), 0x706f6c79u, 0x616bu}}, {{low(seed), high(seed)}});
  return {{out.word[0], out.word[1]}};
}

/// polyak::Random::bits(k, t).
POLYAK_HOST_DEVICE inline std::uint64_t draw_bits(Key key, std::uint64_t k, std::uint64_t t) {
  const Block out = philox({{low(t / 2), high(t / 2), low(k), high(k)}}, key);
  return t % 2 == 0 ? join(out.word[0], out.word[1]) : join(out.word[2], out.word[3]);
}

/// One cell of the look-up table: the row that owns the first point of the cell,
/// and the starts of that row and of the six that follow.
struct alignas(64) RowLine {
  std::uint64_t start[7];
  std::uint64_t row;
};

/// The points are cut into cells of equal size; the cell of a draw is bits >> shift.
/// There is one line more than cells, whose row is the last one.
struct RowTable {
  const RowLine* lines;
  const std::uint64_t* starts;  // rows + 1 of them
  std::int64_t rows;
  int shift;
};

struct Drawn {
  std::uint64_t row;
  std::uint64_t points;  // start[row+1] - start[row]
};

/// The largest power of two of cells with at least two rows each, at most 2^23;
/// at least two cells. The same as the CPU's table.
inline int table_shift(std::int64_t rows) {
  int cells = 1;
  while (cells < 23 && (std::int64_t{2} << cells) <= rows / 2) ++cells;
  return 64 - cells;
}

/// The last row whose start is not above `point`, between rows `first` and `last`.
POLYAK_HOST_DEVICE inline std::uint64_t search_row(const std::uint64_t* starts, std::uint64_t first,
                                                   std::uint64_t last, std::uint64_t point) {
  while (first < last) {
    const std::uint64_t middle = (first + last + 1) / 2;
    if (starts[middle] <= point)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

/// The row of `bits`, given its line. Only starts beyond the line need more memory.
POLYAK_HOST_DEVICE inline Drawn find_row(const RowTable& table, const RowLine& line,
                                         std::uint64_t bits) {
  const std::uint64_t point = bits >> 2;
  std::uint64_t begin = line.start[0], end = 0, after = 0;
  for (int i = 1; i < 7; ++i) {  // selections, so that the line stays in registers
    const bool passed = line.start[i] <= point;
    end = passed || after + 1 < static_cast<std::uint64_t>(i) ? end : line.start[i];
    begin = passed ? line.start[i] : begin;
    after += passed;
  }
  if (after < 6) return {line.row + after, end - begin};
  const std::uint64_t last = table.lines[(bits >> table.shift) + 1].row;
  const std::uint64_t row = search_row(table.starts, line.row + 6, last, point);
  return {row, table.starts[row + 1] - table.starts[row]};
}

/// w_j/(B·p_j), rounded as the CPU's: `factor` is 1/B.
POLYAK_HOST_DEVICE inline double draw_weight(double own, double factor, std::uint64_t points) {
  return own * factor / (static_cast<double>(points) * 0x1p-62);
}

/// The line of a cell, from all starts.
POLYAK_HOST_DEVICE inline RowLine make_line(const std::uint64_t* starts, std::int64_t rows,
                                            std::uint64_t cell, int shift) {
  const std::uint64_t end = static_cast<std::uint64_t>(rows);
  RowLine line;
  line.row = search_row(starts, 0, end - 1, cell << (shift - 2));
  for (std::uint64_t i = 0; i < 7; ++i)
    line.start[i] = starts[line.row + i < end ? line.row + i : end];
  return line;
}

}  // namespace polyak::cuda
