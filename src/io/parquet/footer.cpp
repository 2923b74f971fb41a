#include "io/parquet/footer.hpp"

#include <algorithm>
#include <utility>

#include "io/parquet/codec.hpp"
#include "io/parquet/schema.hpp"
#include "io/parquet/thrift.hpp"

namespace polyak::io::parquet {
namespace {

constexpr std::size_t mark_bytes = 4, length_bytes = 4;
constexpr const char* write_again =
    "write the table again; in Python, with pyarrow.parquet as pq: pq.write_table(table, path)";

// Sums and differences of what a file states must not overflow.
Index sum(Index a, Index b, const Place& place) {
  Index out = 0;
  if (__builtin_add_overflow(a, b, &out))
    place.refuse("the sum of two sizes exceeds 64 bits",
                 std::to_string(a) + " + " + std::to_string(b));
  return out;
}

// The metadata of a chunk. Pages begin with that of the dictionary, if there is one.
void read_chunk_metadata(ThriftReader& thrift, Chunk& out) {
  Index data = 0, dictionary = 0;
  thrift.record([&](ThriftField field) {
    switch (field.id) {
      case 1: out.physical = thrift.int32(field); return true;
      case 4: out.codec = thrift.int32(field); return true;
      case 5: out.values = thrift.integer(field); return true;
      case 7: out.bytes = thrift.integer(field); return true;
      case 9: data = thrift.integer(field); return true;
      case 11: dictionary = thrift.integer(field); return true;
      default: return false;
    }
  });
  out.first = dictionary > 0 ? std::min(data, dictionary) : data;
}

Chunk read_chunk(ThriftReader& thrift) {
  Chunk out;
  bool elsewhere = false;
  thrift.record([&](ThriftField field) {
    switch (field.id) {
      case 1: elsewhere = !thrift.text(field).empty(); return true;
      case 3:
        thrift.expect(field, ThriftType::record);
        read_chunk_metadata(thrift, out);
        out.known = true;
        return true;
      case 8: out.encrypted = true; return false;
      default: return false;
    }
  });
  if (!out.known && !out.encrypted)
    thrift.place().refuse("the footer is damaged: a column has no metadata");
  if (elsewhere) out.known = false;
  return out;
}

// The metadata of a hostile file must not take much more memory than the file.
constexpr std::size_t most_columns = 1u << 20;

void check_column_count(std::size_t count, const ThriftReader& thrift) {
  if (count == most_columns)
    thrift.place().refuse("the table has too many columns", {}, std::to_string(most_columns));
}

RowGroup read_group(ThriftReader& thrift) {
  RowGroup out;
  thrift.record([&](ThriftField field) {
    switch (field.id) {
      case 1:
        thrift.list(field, ThriftType::record, [&] {
          check_column_count(out.chunks.size(), thrift);
          out.chunks.push_back(read_chunk(thrift));
        });
        return true;
      case 3: out.rows = thrift.integer(field); return true;
      default: return false;
    }
  });
  if (out.rows < 0)
    thrift.place().refuse("a row group has a negative number of rows", std::to_string(out.rows));
  return out;
}

struct FileMetadata {
  Index rows = -1;
  std::vector<SchemaElement> elements = {};
  std::vector<RowGroup> groups = {};
};

FileMetadata read_metadata(ThriftReader& thrift) {
  FileMetadata out;
  thrift.record([&](ThriftField field) {
    switch (field.id) {
      case 2:
        thrift.list(field, ThriftType::record, [&] {
          check_column_count(out.elements.size(), thrift);
          out.elements.push_back(read_schema_element(thrift));
        });
        return true;
      case 3: out.rows = thrift.integer(field); return true;
      case 4:
        thrift.list(field, ThriftType::record, [&] { out.groups.push_back(read_group(thrift)); });
        return true;
      default: return false;
    }
  });
  return out;
}

void check_counts(const Footer& footer, const Place& place) {
  Index rows = 0;
  for (const RowGroup& group : footer.groups) {
    rows = sum(rows, group.rows, place);
    if (group.chunks.size() != footer.leaves)
      place.refuse("a row group does not have the columns of the schema",
                   std::to_string(group.chunks.size()), std::to_string(footer.leaves));
  }
  if (rows != footer.rows)
    place.refuse("the row groups do not have the rows of the table", std::to_string(rows),
                 std::to_string(footer.rows));
}

void check_marks(std::string_view bytes, const Place& end) {
  if (bytes.starts_with("PARE")) end.refuse("the file is encrypted", {}, {}, write_again);
  if (!bytes.starts_with("PAR1")) end.refuse("not a Parquet file", {}, "'PAR1' at the beginning");
  if (bytes.size() < 2 * mark_bytes + length_bytes || !bytes.ends_with("PAR1"))
    end.refuse("the Parquet file is truncated", std::to_string(bytes.size()) + " bytes",
               "'PAR1' at the end");
}

// The bytes of the footer, and their place.
std::pair<std::string_view, Place> footer_bytes(const MappedFile& file) {
  const std::string_view bytes = file.bytes();
  const Place end{file.name(), bytes.size()};
  check_marks(bytes, end);
  const std::size_t last = bytes.size() - mark_bytes - length_bytes;
  std::size_t length = 0;
  for (std::size_t k = length_bytes; k > 0; --k)
    length = length << 8 | static_cast<unsigned char>(bytes[last + k - 1]);
  if (length > last - mark_bytes)
    end.refuse("the Parquet file states a footer longer than itself", std::to_string(length),
               "at most " + std::to_string(last - mark_bytes) + " bytes");
  return {bytes.substr(last - length, length), Place{file.name(), last - length}};
}

void check_chunk(const Chunk& chunk, const Column& column, Index rows, const Place& place) {
  if (chunk.encrypted) place.refuse("the column is encrypted", {}, {}, write_again);
  if (!chunk.known)
    place.refuse("the values are in another file", {}, {}, "read the files of the table instead");
  if (chunk.physical != static_cast<std::int32_t>(column.physical))
    place.refuse("a row group has another type than the schema", std::to_string(chunk.physical),
                 std::to_string(static_cast<int>(column.physical)));
  if (chunk.values != rows)
    place.refuse("a row group has another number of values than of rows",
                 std::to_string(chunk.values), std::to_string(rows));
  if (!can_unpack(chunk.codec))
    place.refuse("the compression is not supported", codec_name(chunk.codec),
                 "none, snappy, gzip, zstd or lz4_raw",
                 "write the table again; in Python, with pyarrow.parquet as pq: "
                 "pq.write_table(pq.read_table(old), new, compression='zstd')");
}

}  // namespace

Footer read_footer(const MappedFile& file) {
  const auto [bytes, place] = footer_bytes(file);
  ThriftReader thrift(bytes, place);
  FileMetadata metadata = read_metadata(thrift);
  Schema schema = columns_of(metadata.elements, place);
  Footer out{.rows = metadata.rows,
             .columns = std::move(schema.columns),
             .leaves = schema.leaves,
             .groups = std::move(metadata.groups)};
  check_counts(out, place);
  return out;
}

void check_chunks(const MappedFile& file, const Footer& footer, const Column& column) {
  const auto footer_place = static_cast<Index>(footer_bytes(file).second.byte);
  for (const RowGroup& group : footer.groups) {
    const Chunk& chunk = group.chunks[column.leaf];
    const Place place{file.name(), static_cast<std::size_t>(std::max<Index>(chunk.first, 0)),
                      column.name};
    check_chunk(chunk, column, group.rows, place);
    const bool inside = chunk.first >= static_cast<Index>(mark_bytes) && chunk.bytes >= 0 &&
                        sum(chunk.first, chunk.bytes, place) <= footer_place;
    if (!inside && group.rows > 0)
      place.refuse("the pages of a column are not before the footer",
                   std::to_string(chunk.bytes) + " bytes",
                   "the end before byte " + std::to_string(footer_place));
  }
}

}  // namespace polyak::io::parquet
