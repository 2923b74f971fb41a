#include "io/parquet/codec.hpp"
#include "io/parquet/columns.hpp"
#include "io/parquet/footer.hpp"
#include "io/parquet/parquet.hpp"

namespace polyak::io {
namespace {

std::string value_type(const parquet::Footer& footer) {
  using parquet::Number;
  bool floats = true, integers = true;
  for (const parquet::Column& column : footer.columns) {
    if (!column.refused.empty()) continue;
    const bool single = column.number == Number::float32 || column.number == Number::float16;
    floats &= single;
    integers &= !single && column.number <= Number::uint64;
  }
  return floats ? "float" : integers ? "integer" : "double";
}

// "3 row groups, zstd; no numbers: city (text), tags (lists or structures)".
std::string note_of(const parquet::Footer& footer) {
  constexpr int most_listed = 8;
  std::string out = std::to_string(footer.groups.size()) +
                    (footer.groups.size() == 1 ? " row group" : " row groups");
  if (!footer.groups.empty() && !footer.groups[0].chunks.empty())
    out += ", compression " + parquet::codec_name(footer.groups[0].chunks[0].codec);
  int refused = 0;
  for (const parquet::Column& column : footer.columns) {
    if (column.refused.empty() || ++refused > most_listed) continue;
    out += (refused == 1 ? "; no numbers: " : ", ") + column.name + " (" + column.refused + ")";
  }
  return refused > most_listed ? out + ", ..." : out;
}

}  // namespace

FileInfo inspect_parquet(const MappedFile& file) {
  const parquet::Footer footer = parquet::read_footer(file);
  FileInfo info;
  info.format = "Apache Parquet";
  info.value_type = value_type(footer);
  info.rows = footer.rows;
  info.cols = ssize(footer.columns);
  info.nonzeros = checked_product(info.rows, info.cols, file.name());
  info.names = parquet::names_of(footer);
  info.note = note_of(footer);
  return info;
}

}  // namespace polyak::io
