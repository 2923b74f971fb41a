#pragma once

// The footer of a Parquet file: its columns, and where their pages are.
//
//   "PAR1"  pages of row group 1, column after column; of row group 2; ...
//   footer  (a Thrift struct)  its length (4 bytes)  "PAR1"
//
// A row group is a block of rows. In it every column has one chunk, a sequence of pages.

#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/parquet/place.hpp"
#include "polyak/types.hpp"

namespace polyak::io::parquet {

/// How values are stored; the numbers are those of the format.
enum class Physical { boolean, int32, int64, int96, float32, float64, bytes, fixed_bytes };

/// How the stored bytes become a number.
enum class Number {
  boolean,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  decimal32,
  decimal64,     ///< an integer divided by 10^scale
  decimal_bytes  ///< the same, big-endian, in up to 16 bytes
};

/// One column of the table. A list or a structure is one column too, which cannot be read.
struct Column {
  std::string name;
  std::size_t leaf = 0;  ///< the number of its (first) chunk in every row group
  Physical physical = Physical::float64;
  Number number = Number::float64;
  int width = 8;  ///< bytes of a stored value; 0 for booleans, which have one bit
  int scale = 0;
  bool optional = false;     ///< values may be missing (null)
  std::string refused = {};  ///< what it holds, if that is not numbers: "text"
  bool is_time = false;      ///< a date or a time: refused, but it could be turned into a number
};

/// Of one column in one row group.
struct Chunk {
  Index first = 0;  ///< byte of its first page
  Index bytes = 0;
  Index values = 0;
  std::int32_t physical = -1;
  std::int32_t codec = 0;
  bool known = false;  ///< its metadata is in the footer, and its pages are in this file
  bool encrypted = false;
};

struct RowGroup {
  Index rows = 0;
  std::vector<Chunk> chunks;
};

struct Footer {
  Index rows = 0;
  std::vector<Column> columns;
  std::size_t leaves = 0;  ///< chunks of a row group
  std::vector<RowGroup> groups;
};

/// Everything that is common to all columns is checked: counts of rows, numbers of chunks.
Footer read_footer(const MappedFile& file);

/// Checks the chunks of a column that will be read: places, counts, types, compression.
void check_chunks(const MappedFile& file, const Footer& footer, const Column& column);

}  // namespace polyak::io::parquet
