#include "io/parquet/thrift.hpp"

#include <limits>

namespace polyak::io::parquet {
namespace {

constexpr int deepest = 24;  // Parquet's own structs are nested about eight times

}  // namespace

std::int64_t ThriftReader::integer(ThriftField field) {
  if (field.type == ThriftType::int8) return static_cast<signed char>(byte());
  const bool fits = field.type == ThriftType::int16 || field.type == ThriftType::int32 ||
                    field.type == ThriftType::int64;
  if (!fits) expect(field, ThriftType::int64);
  return zigzag();
}

std::int32_t ThriftReader::int32(ThriftField field) {
  using Limits = std::numeric_limits<std::int32_t>;
  const std::int64_t value = integer(field);
  if (value < Limits::min() || value > Limits::max())
    place().refuse("a number of the metadata exceeds 32 bits", std::to_string(value));
  return static_cast<std::int32_t>(value);
}

bool ThriftReader::boolean(ThriftField field) const {
  if (field.type != ThriftType::no) expect(field, ThriftType::yes);
  return field.type == ThriftType::yes;
}

std::string_view ThriftReader::text(ThriftField field) {
  expect(field, ThriftType::text);
  return take(varint());
}

void ThriftReader::expect(ThriftField field, ThriftType expected) const {
  if (field.type == expected) return;
  place().refuse("the metadata is damaged: a field has another type",
                 std::to_string(static_cast<int>(field.type)),
                 std::to_string(static_cast<int>(expected)));
}

unsigned char ThriftReader::byte() { return static_cast<unsigned char>(take(1).front()); }

// Seven bits in each byte, the lowest first; the highest bit says that more bytes follow.
std::uint64_t ThriftReader::varint() {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint64_t bits = byte();
    out |= (bits & 0x7f) << shift;
    if (bits < 0x80) return out;
  }
  place().refuse("the metadata is damaged: a number exceeds 64 bits");
}

// 0, -1, 1, -2, ... are stored as 0, 1, 2, 3, ...
std::int64_t ThriftReader::zigzag() {
  const std::uint64_t code = varint();
  return static_cast<std::int64_t>((code >> 1) ^ (0 - (code & 1)));
}

std::string_view ThriftReader::take(std::uint64_t count) {
  if (count > left())
    place().refuse("the metadata ends too early", std::to_string(left()) + " bytes",
                   std::to_string(count));
  const std::string_view out = bytes_.substr(position_, static_cast<std::size_t>(count));
  position_ += out.size();
  return out;
}

ThriftType ThriftReader::type_of(unsigned code) const {
  if (code > static_cast<unsigned>(ThriftType::uuid))
    place().refuse("the metadata is damaged: there is no such type", std::to_string(code));
  return static_cast<ThriftType>(code);
}

// One byte: the difference of the field's number to the previous one, and the type. If the
// difference is 0, the number follows.
ThriftField ThriftReader::next(int previous) {
  const unsigned head = byte();
  ThriftField out{0, type_of(head & 0xf)};
  if (head == 0) return out;
  if (out.type == ThriftType::stop) place().refuse("the metadata is damaged: a field has no type");
  const std::int64_t id = head >> 4 ? previous + static_cast<int>(head >> 4) : zigzag();
  if (id < 0 || id > std::numeric_limits<std::int16_t>::max())
    place().refuse("the metadata is damaged: there is no such field", std::to_string(id));
  out.id = static_cast<int>(id);
  return out;
}

ThriftReader::List ThriftReader::list_head() {
  constexpr unsigned count_follows = 15;
  const unsigned head = byte();
  const std::uint64_t count = head >> 4 == count_follows ? varint() : head >> 4;
  if (count > left())  // every element has at least one byte
    place().refuse("the metadata is damaged: a list is longer than the bytes that are left",
                   std::to_string(count), std::to_string(left()));
  return {static_cast<Index>(count), type_of(head & 0xf)};
}

void ThriftReader::enter() {
  if (++depth_ > deepest) place().refuse("the metadata is nested too deeply");
}

// The value of a boolean field is its type; as an element it has a byte of its own.
void ThriftReader::skip(ThriftType type, bool element) {
  switch (type) {
    case ThriftType::stop: place().refuse("the metadata is damaged: a value has no type");
    case ThriftType::yes:
    case ThriftType::no: take(element ? 1 : 0); return;
    case ThriftType::int8: take(1); return;
    case ThriftType::int16:
    case ThriftType::int32:
    case ThriftType::int64: varint(); return;
    case ThriftType::float64: take(8); return;
    case ThriftType::text: take(varint()); return;
    case ThriftType::list:
    case ThriftType::set: return skip_list();
    case ThriftType::map: return skip_map();
    case ThriftType::record: return record([](ThriftField) { return false; });
    case ThriftType::uuid: take(16); return;
  }
}

void ThriftReader::skip_list() {
  enter();
  const List head = list_head();
  for (Index k = 0; k < head.count; ++k) skip(head.type, true);
  --depth_;
}

void ThriftReader::skip_map() {
  enter();
  const std::uint64_t count = varint();
  if (count > left()) place().refuse("the metadata is damaged: a map is too long");
  const unsigned types = count > 0 ? byte() : 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    skip(type_of(types >> 4), true);
    skip(type_of(types & 0xf), true);
  }
  --depth_;
}

}  // namespace polyak::io::parquet
