#pragma once

// The compact protocol of Thrift, in which Parquet has its footer and the headers of its pages. A
// struct is a sequence of fields, each with its number and type, and ends with a zero byte. Fields
// that a reader does not know are passed over by their type.

#include <cstdint>
#include <string_view>

#include "io/parquet/place.hpp"
#include "polyak/types.hpp"

namespace polyak::io::parquet {

enum class ThriftType : std::uint8_t {
  stop,
  yes,
  no,
  int8,
  int16,
  int32,
  int64,
  float64,
  text,
  list,
  set,
  map,
  record,
  uuid
};

struct ThriftField {
  int id = 0;
  ThriftType type = ThriftType::stop;
};

/// Every read is checked against the end of the bytes, every count of a list against the bytes
/// that are left, and the nesting is bounded.
class ThriftReader {
 public:
  /// `start` is the place of the first byte.
  ThriftReader(std::string_view bytes, Place start) : bytes_(bytes), start_(std::move(start)) {}

  std::size_t position() const { return position_; }
  Place place() const { return start_.after(position_); }

  /// Reads a struct: calls read(field) for each field. It returns true if it has read the value.
  template <class Read>
  void record(Read read) {
    enter();
    for (ThriftField field = next(0); field.type != ThriftType::stop; field = next(field.id))
      if (!read(field)) skip(field.type, false);
    --depth_;
  }

  /// Reads a list: calls read() for each element, which must be of the type `expected`.
  template <class Read>
  void list(ThriftField field, ThriftType expected, Read read) {
    expect(field, ThriftType::list);
    const List head = list_head();
    if (head.count > 0) expect({0, head.type}, expected);
    for (Index k = 0; k < head.count; ++k) read();
  }

  std::int64_t integer(ThriftField field);
  std::int32_t int32(ThriftField field);
  bool boolean(ThriftField field) const;
  std::string_view text(ThriftField field);
  /// For a field that is a struct.
  void expect(ThriftField field, ThriftType expected) const;

 private:
  struct List {
    Index count = 0;
    ThriftType type = ThriftType::stop;
  };

  std::size_t left() const { return bytes_.size() - position_; }
  unsigned char byte();
  std::uint64_t varint();
  std::int64_t zigzag();
  std::string_view take(std::uint64_t count);
  ThriftType type_of(unsigned code) const;
  ThriftField next(int previous);
  List list_head();
  void enter();
  void skip(ThriftType type, bool element);
  void skip_list();
  void skip_map();

  std::string_view bytes_;
  Place start_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace polyak::io::parquet
