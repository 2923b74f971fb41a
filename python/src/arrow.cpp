#include "arrow.hpp"

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "beside.hpp"
#include "polyak/error.hpp"

// The structures of the Arrow C data and C stream interfaces, whose layout is fixed by their
// specification.
extern "C" {
struct ArrowSchema {
  const char *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace polyak::python {
namespace {

/// One of these structures, released at the end of its life.
template <class Struct>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  Owned(Owned&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Struct* get() { return &value_; }
  const Struct* operator->() const { return &value_; }
  bool empty() const { return value_.release == nullptr; }

 private:
  Struct value_{};
};

bool bit(const void* bits, std::int64_t i) {
  return (static_cast<const std::uint8_t*>(bits)[i / 8] >> (i % 8)) & 1;
}

// The values of one column of a chunk into column j of `out`.
template <class Value>
void copy_numbers(const ArrowArray& column, View out, Index j) {
  const auto* values = static_cast<const Value*>(column.buffers[1]) + column.offset;
  for (Index i = 0; i < column.length; ++i) out(i, j) = static_cast<double>(values[i]);
}

void copy_bits(const ArrowArray& column, View out, Index j) {
  for (Index i = 0; i < column.length; ++i)
    out(i, j) = bit(column.buffers[1], column.offset + i) ? 1.0 : 0.0;
}

using Copy = void (*)(const ArrowArray&, View, Index);

// By the format of the type: one letter for every type of plain numbers; null for other types.
Copy copier(std::string_view format) {
  if (format.size() != 1) return nullptr;
  switch (format[0]) {
    case 'g': return copy_numbers<double>;
    case 'f': return copy_numbers<float>;
    case 'c': return copy_numbers<std::int8_t>;
    case 'C': return copy_numbers<std::uint8_t>;
    case 's': return copy_numbers<std::int16_t>;
    case 'S': return copy_numbers<std::uint16_t>;
    case 'i': return copy_numbers<std::int32_t>;
    case 'I': return copy_numbers<std::uint32_t>;
    case 'l': return copy_numbers<std::int64_t>;
    case 'L': return copy_numbers<std::uint64_t>;
    case 'b': return copy_bits;
    default: return nullptr;
  }
}

void mark_missing(const ArrowArray& column, View out, Index j) {
  if (column.null_count == 0 || column.buffers[0] == nullptr) return;
  for (Index i = 0; i < column.length; ++i)
    if (!bit(column.buffers[0], column.offset + i))
      out(i, j) = std::numeric_limits<double>::quiet_NaN();
}

void check(ArrowArrayStream& stream, int code) {
  if (code == 0) return;
  const char* why = stream.get_last_error(&stream);
  throw Error(ErrorCode::bad_data,
              {.what = "the table cannot be read", .where = "A", .found = why ? why : "no reason"});
}

struct Columns {
  std::vector<std::string> names;
  std::vector<Copy> copies;
};

Columns columns_of(ArrowArrayStream& stream) {
  Owned<ArrowSchema> schema;
  check(stream, stream.get_schema(&stream, schema.get()));
  if (std::string_view(schema->format) != "+s")
    throw Error(ErrorCode::bad_data, {.what = "A is a single column, not a table",
                                      .where = "A",
                                      .found = "Arrow type " + std::string(schema->format),
                                      .hint = "make a table of it"});
  Columns out;
  for (std::int64_t j = 0; j < schema->n_children; ++j) {
    const ArrowSchema& column = *schema->children[j];
    out.names.emplace_back(column.name ? column.name : "");
    out.copies.push_back(column.dictionary ? nullptr : copier(column.format));
    if (out.copies.back() == nullptr)
      throw Error(ErrorCode::bad_data, {.what = "a column does not hold real numbers",
                                        .where = "A, column " + out.names.back(),
                                        .found = "Arrow type " + std::string(column.format)});
  }
  return out;
}

using Chunks = std::vector<Owned<ArrowArray>>;

Chunks chunks_of(ArrowArrayStream& stream) {
  Chunks out;
  for (;;) {
    Owned<ArrowArray> chunk;
    check(stream, stream.get_next(&stream, chunk.get()));
    if (chunk.empty()) return out;
    out.push_back(std::move(chunk));
  }
}

void copy_chunk(const Owned<ArrowArray>& chunk, const Columns& columns, View out) {
  for (std::size_t j = 0; j < columns.copies.size(); ++j) {
    ArrowArray column = *chunk->children[j];
    column.offset += chunk->offset;  // a struct may be a slice of its columns
    column.length = chunk->length;
    columns.copies[j](column, out, static_cast<Index>(j));
    mark_missing(column, out, static_cast<Index>(j));
  }
}

Input copied(const Chunks& chunks, const Columns& columns) {
  Index rows = 0;
  for (const auto& chunk : chunks) rows += chunk->length;
  const auto cols = static_cast<Index>(columns.names.size());
  std::vector<double> values(to_size(rows * cols));
  Index first = 0;
  for (const auto& chunk : chunks) {
    copy_chunk(chunk, columns, {values.data() + first * cols, chunk->length, cols, cols});
    first += chunk->length;
  }
  return {dense_matrix(std::move(values), rows, cols), columns.names};
}

}  // namespace

// The chunks are released with the GIL, because they may belong to Python objects.
Input arrow_table(const nb::capsule& capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(capsule.data("arrow_array_stream"));
  const Columns columns = columns_of(*stream);
  const auto chunks = keep(chunks_of(*stream));
  return beside([chunks, columns](const std::atomic<bool>&) {
    return copied(*static_cast<const Chunks*>(chunks.get()), columns);
  });
}

}  // namespace polyak::python
