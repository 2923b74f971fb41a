#include <zlib.h>

#include <cassert>
#include <limits>
#include <vector>

#include "io/csr.hpp"
#include "io/npy/npy.hpp"
#include "io/npy/zip.hpp"
#include "polyak/io.hpp"

namespace polyak::internal::io {
namespace {

constexpr std::size_t buffer_bytes = 1u << 20;
constexpr unsigned version = 45;  // the first version with zip64
constexpr unsigned first_day =
    0x0021;  // 1 January 1980: a fixed date, so that the bytes are reproducible
constexpr std::uint32_t see_extra = ~0u;  // the size is in the zip64 field
constexpr Index checksum_at = 14;         // offset in the header of a member
constexpr std::uint32_t unknown_checksum = 0;

// Little-endian numbers of a given width.
void put(std::string& out, std::uint64_t value, int bytes) {
  for (; bytes > 0; --bytes, value >>= 8) out += static_cast<char>(value & 0xff);
}
void put16(std::string& out, std::uint64_t value) { put(out, value, 2); }
void put32(std::string& out, std::uint64_t value) { put(out, value, 4); }
void put64(std::string& out, Index value) { put(out, static_cast<std::uint64_t>(value), 8); }

// The fields from "version needed" to "length of the extra field", the same in both headers.
void put_common(std::string& out, std::uint32_t checksum, const std::string& name,
                unsigned extra_bytes) {
  put16(out, version);
  put16(out, 0);  // flags
  put16(out, 0);  // stored
  put16(out, 0);  // time
  put16(out, first_day);
  put32(out, checksum);
  put32(out, see_extra);
  put32(out, see_extra);
  put16(out, name.size());
  put16(out, extra_bytes);
}

// NumPy aligns the values to 64 bytes. The header has room for the largest number of rows, so that
// it can be overwritten in place.
constexpr std::size_t header_size = 128;

std::string npy_header(Index rows, const NpyLayout& layout) {
  std::string text("\x93NUMPY\x01\x00", 8);
  constexpr std::size_t length = header_size - 10;
  text += static_cast<char>(length & 0xff);
  text += static_cast<char>(length >> 8);
  text += layout.single ? "{'descr': '<f4'" : "{'descr': '<f8'";
  text += ", 'fortran_order': False, 'shape': (" + std::to_string(rows) + ",";
  if (!layout.one_dimension) text += " " + std::to_string(layout.cols);
  text += "), }";
  text.resize(header_size - 1, ' ');
  return text + "\n";
}

template <class Value>
class NpySink final : public RowSink {
 public:
  NpySink(const std::string& path, const NpyLayout& layout)
      : name_(path), file_(path), layout_(layout) {
    file_.write(npy_header(0, layout_));
  }

  void write(ConstView A, std::span<const double>) override {
    buffer_.clear();
    for (Index i = 0; i < A.rows; ++i) {
      const double* row = A.row(i);
      for (Index j = 0; j < A.cols; ++j)
        buffer_.push_back(narrow<Value>(row[j], rows_ + i, j, name_));
    }
    rows_ += A.rows;
    const void* bytes = buffer_.data();
    file_.write({static_cast<const char*>(bytes), buffer_.size() * sizeof(Value)});
  }

  void finish() override {
    file_.write_at(0, npy_header(rows_, layout_));
    file_.commit();
  }

 private:
  std::string name_;
  OutputFile file_;
  NpyLayout layout_;
  Index rows_ = 0;
  std::vector<Value> buffer_;
};

template <class Value>
std::string_view bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

template <class Value>
const char* type_of() {
  if constexpr (std::is_same_v<Value, double>) return "<f8";
  if constexpr (std::is_same_v<Value, std::int32_t>) return "<i4";
  return "<i8";
}

template <class Value>
void begin_array(ZipWriter& zip, const std::string& name, Index count) {
  const std::string head = npy_header_bytes(type_of<Value>(), "(" + std::to_string(count) + ",)");
  zip.begin(name, std::ssize(head) + count * static_cast<Index>(sizeof(Value)));
  zip.write(head);
}

// The arrays in the order in which SciPy writes them.
template <class Integer>
void write_csr(ZipWriter& zip, const RowMatrix& A, const std::vector<Index>& starts) {
  const Index entries = starts.back();
  std::vector<Integer> integers;
  begin_array<Integer>(zip, "indices.npy", entries);
  for_each_row(A, [&](Index, auto columns, auto) {
    integers.clear();
    for (auto column : columns) integers.push_back(static_cast<Integer>(column));
    zip.write(bytes_of(integers));
  });
  zip.end();
  begin_array<Integer>(zip, "indptr.npy", std::ssize(starts));
  integers.assign(starts.begin(), starts.end());
  zip.write(bytes_of(integers));
  zip.end();
  const std::string format = npy_header_bytes("|S3", "()") + "csr";
  zip.begin("format.npy", std::ssize(format));
  zip.write(format);
  zip.end();
  begin_array<Index>(zip, "shape.npy", 2);
  zip.write(bytes_of(std::vector<Index>{A.rows(), A.cols()}));
  zip.end();
  begin_array<double>(zip, "data.npy", entries);
  std::vector<double> doubles;
  for_each_row(A, [&](Index, auto, auto values) {
    doubles.assign(values.begin(), values.end());
    zip.write(bytes_of(doubles));
  });
  zip.end();
}

}  // namespace

void ZipWriter::begin(const std::string& name, Index size) {
  members_.push_back({name, size, position_, 0});
  std::string head;
  put32(head, 0x04034b50);
  put_common(head, unknown_checksum, name, 20);
  head += name;
  put16(head, 1);  // zip64
  put16(head, 16);
  put64(head, size);
  put64(head, size);
  buffer_ += head;
  position_ += std::ssize(head);
}

void ZipWriter::write(std::string_view bytes) {
  if (bytes.empty()) return;  // crc32_z with a null pointer would reset the checksum
  Member& member = members_.back();
  member.checksum = static_cast<std::uint32_t>(
      ::crc32_z(member.checksum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  buffer_ += bytes;
  position_ += std::ssize(bytes);
  if (buffer_.size() >= buffer_bytes) flush();
}

void ZipWriter::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

void ZipWriter::end() {
  const Member& member = members_.back();
  assert(position_ == member.offset + 50 + std::ssize(member.name) + member.size);
  flush();
  std::string checksum;
  put32(checksum, member.checksum);
  file_.write_at(member.offset + checksum_at, checksum);
}

// Writes the central directory, its zip64 record, the locator of that record, and the end record.
void ZipWriter::commit() {
  const Index directory = position_;
  std::string out;
  for (const Member& member : members_) {
    put32(out, 0x02014b50);
    put16(out, version);  // made by
    put_common(out, member.checksum, member.name, 28);
    put(out, 0, 10);  // comment, disk, attributes
    put32(out, see_extra);
    out += member.name;
    put16(out, 1);
    put16(out, 24);
    put64(out, member.size);
    put64(out, member.size);
    put64(out, member.offset);
  }
  const Index size = std::ssize(out), count = std::ssize(members_);
  put32(out, 0x06064b50);
  put64(out, 44);
  put16(out, version);
  put16(out, version);
  put64(out, 0);  // this disk, the directory's disk
  put64(out, count);
  put64(out, count);
  put64(out, size);
  put64(out, directory);
  put32(out, 0x07064b50);
  put32(out, 0);
  put64(out, directory + size);
  put32(out, 1);
  put32(out, 0x06054b50);
  put(out, 0, 4);
  put16(out, static_cast<std::uint64_t>(count));
  put16(out, static_cast<std::uint64_t>(count));
  put32(out, see_extra);
  put32(out, see_extra);
  put16(out, 0);
  buffer_ += out;
  flush();
  file_.commit();
}

std::unique_ptr<RowSink> npy_sink(const std::string& path, const NpyLayout& layout) {
  if (layout.single) return std::make_unique<NpySink<float>>(path, layout);
  return std::make_unique<NpySink<double>>(path, layout);
}

// NumPy aligns the values to 64 bytes.
std::string npy_header_bytes(const std::string& type, const std::string& shape) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 11, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

}  // namespace polyak::internal::io

namespace polyak {
using namespace polyak::internal;

// One pass over the rows for the row starts, then one for each large array: only the row starts
// are held in memory. Indices have 32 bits if that is sufficient, as in SciPy.
void write_npz(const std::string& path, const RowMatrix& A) {
  std::vector<Index> starts{0};
  starts.reserve(to_size(A.rows() + 1));
  io::for_each_row(
      A, [&](Index, auto columns, auto) { starts.push_back(starts.back() + std::ssize(columns)); });
  io::ZipWriter zip(path);
  constexpr Index max_32 = std::numeric_limits<std::int32_t>::max();
  if (starts.back() <= max_32 && A.cols() <= max_32)
    io::write_csr<std::int32_t>(zip, A, starts);
  else
    io::write_csr<Index>(zip, A, starts);
  zip.commit();
}

}  // namespace polyak
