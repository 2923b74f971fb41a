#include "io/parquet/pages.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>

namespace polyak::io::parquet {
namespace {

void read_data_header(ThriftReader& thrift, PageHeader& out) {
  thrift.record([&](ThriftField field) {
    switch (field.id) {
      case 1: out.values = thrift.int32(field); return true;
      case 2: out.encoding = static_cast<Encoding>(thrift.int32(field)); return true;
      case 3: out.level_encoding = static_cast<Encoding>(thrift.int32(field)); return true;
      default: return false;
    }
  });
}

void read_dictionary_header(ThriftReader& thrift, PageHeader& out) {
  thrift.record([&](ThriftField field) {
    switch (field.id) {
      case 1: out.values = thrift.int32(field); return true;
      case 2: out.encoding = static_cast<Encoding>(thrift.int32(field)); return true;
      default: return false;
    }
  });
}

void read_data_2_header(ThriftReader& thrift, PageHeader& out) {
  thrift.record([&](ThriftField field) {
    switch (field.id) {
      case 1: out.values = thrift.int32(field); return true;
      case 2: out.missing = thrift.int32(field); return true;
      case 4: out.encoding = static_cast<Encoding>(thrift.int32(field)); return true;
      case 5: out.definition_bytes = thrift.int32(field); return true;
      case 6: out.repetition_bytes = thrift.int32(field); return true;
      case 7: out.compressed = thrift.boolean(field); return true;
      default: return false;
    }
  });
}

// The header of another type than the page's is passed over.
bool read_type_header(ThriftReader& thrift, ThriftField field, PageHeader& out) {
  constexpr int data = 5, dictionary = 7, data_2 = 8;
  thrift.expect(field, ThriftType::record);
  if (field.id == data && out.type == PageType::data)
    read_data_header(thrift, out);
  else if (field.id == dictionary && out.type == PageType::dictionary)
    read_dictionary_header(thrift, out);
  else if (field.id == data_2 && out.type == PageType::data_2)
    read_data_2_header(thrift, out);
  else
    return false;
  return true;
}

PageHeader read_header(ThriftReader& thrift) {
  PageHeader out;
  thrift.record([&](ThriftField field) {
    switch (field.id) {
      case 1: out.type = static_cast<PageType>(thrift.int32(field)); return true;
      case 2: out.unpacked = thrift.int32(field); return true;
      case 3: out.packed = thrift.int32(field); return true;
      case 4: out.checksum = static_cast<std::uint32_t>(thrift.int32(field)); return true;
      case 5:
      case 6:
      case 7:
      case 8: return read_type_header(thrift, field, out);
      default: return false;
    }
  });
  return out;
}

bool is_read(PageType type) {
  return type == PageType::data || type == PageType::data_2 || type == PageType::dictionary;
}

}  // namespace

std::string encoding_name(Encoding encoding) {
  constexpr std::array names{"PLAIN",
                             "GROUP_VAR_INT",
                             "PLAIN_DICTIONARY",
                             "RLE",
                             "BIT_PACKED",
                             "DELTA_BINARY_PACKED",
                             "DELTA_LENGTH_BYTE_ARRAY",
                             "DELTA_BYTE_ARRAY",
                             "RLE_DICTIONARY",
                             "BYTE_STREAM_SPLIT",
                             "ALP"};
  const auto number = static_cast<std::int32_t>(encoding);
  if (number < 0 || number >= std::ssize(names)) return "encoding " + std::to_string(number);
  return names[static_cast<std::size_t>(number)];
}

char* PageBuffer::of_size(std::size_t size) {
  if (!bytes_ || size > size_) {
    bytes_.reset();
    bytes_ = std::make_unique_for_overwrite<char[]>(std::max<std::size_t>(size, 1));
    size_ = size;
  }
  return bytes_.get();
}

PageStream::PageStream(const MappedFile& file, const Chunk& chunk, const Column& column)
    : file_(file),
      released_(to_size(chunk.first)),
      bytes_(file.bytes().substr(to_size(chunk.first), to_size(chunk.bytes))),
      place_{file.name(), to_size(chunk.first), column.name},
      codec_(static_cast<Codec>(chunk.codec)),
      values_(chunk.values) {}

Page PageStream::next() {
  for (;;) {
    if (bytes_.empty()) place_.refuse("the pages of the column end before its last row");
    ThriftReader thrift(bytes_, place_);
    Page out{.header = read_header(thrift), .stored = {}, .place = place_};
    const std::size_t left = bytes_.size() - thrift.position();
    if (out.header.packed < 0 || out.header.packed > static_cast<Index>(left))
      place_.refuse("a page ends after its column", std::to_string(out.header.packed) + " bytes",
                    "at most " + std::to_string(left));
    out.stored = bytes_.substr(thrift.position(), to_size(out.header.packed));
    const std::size_t whole = thrift.position() + out.stored.size();
    bytes_.remove_prefix(whole);
    place_ = place_.after(whole);
    if (!is_read(out.header.type)) continue;
    check(out);
    return out;
  }
}

void PageStream::release_before(std::size_t place) {
  constexpr std::size_t least = 1u << 16;
  if (place < released_ + least) return;
  file_.release(released_, place);
  released_ = place;
}

// A value has at most 16 bytes, and its level and the lengths of runs a few more.
void PageStream::check(const Page& page) const {
  constexpr Index most_per_value = 32, most_beside = Index{1} << 16;
  const PageHeader& h = page.header;
  const Index most_values =
      h.type == PageType::dictionary ? std::max(values_, most_beside) : values_;
  if (h.values < 0 || h.values > most_values)
    page.place.refuse("a page has an impossible number of values", std::to_string(h.values),
                      "0 to " + std::to_string(most_values));
  const Index most = std::min(most_per_value * h.values + most_beside,
                              static_cast<Index>(most_unpacked(codec_, page.stored.size())));
  if (h.unpacked < 0 || h.unpacked > most)
    page.place.refuse("a page has an impossible size when it is unpacked",
                      std::to_string(h.unpacked) + " bytes", "at most " + std::to_string(most));
}

void check_sum(const Page& page) {
  if (!page.header.checksum) return;
  const auto* bytes = reinterpret_cast<const Bytef*>(page.stored.data());
  const auto found = static_cast<std::uint32_t>(::crc32_z(0, bytes, page.stored.size()));
  if (found != *page.header.checksum)
    page.place.refuse("the checksum of a page is wrong: its bytes have been damaged");
}

std::string_view unpacked_page(const Page& page, std::size_t skipped, Codec codec,
                               PageBuffer& buffer) {
  const std::string_view packed = page.stored.substr(skipped);
  const std::size_t size = to_size(page.header.unpacked) - skipped;
  if (codec == Codec::none || !page.header.compressed || (packed.empty() && size == 0)) {
    if (packed.size() != size)
      page.place.refuse("a page that is not compressed states two sizes",
                        std::to_string(packed.size()) + " bytes", std::to_string(size));
    return packed;
  }
  char* out = buffer.of_size(size);
  if (!unpack(codec, packed, out, size))
    page.place.refuse("the compressed data of a page is damaged",
                      codec_name(static_cast<std::int32_t>(codec)),
                      std::to_string(size) + " bytes");
  return {out, size};
}

}  // namespace polyak::io::parquet
