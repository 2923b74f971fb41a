#include <limits>

#include "io/entries.hpp"
#include "io/npz.hpp"
#include "polyak/io.hpp"

namespace polyak {
namespace io {
namespace {

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
  const std::string head = npy_head(type_of<Value>(), "(" + std::to_string(count) + ",)");
  zip.begin(name, std::ssize(head) + count * static_cast<Index>(sizeof(Value)));
  zip.write(head);
}

// Arrays in the order that SciPy writes them in.
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
  const std::string format = npy_head("|S3", "()") + "csr";
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

// NumPy wants the values to start at a multiple of 64.
std::string npy_head(const std::string& type, const std::string& shape) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 11, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

}  // namespace io

// Once through the rows for where they start, then once for each large array:
// nothing but the starts is held. Both kinds of index have 32 bits where that is
// enough, as SciPy itself chooses them.
void write_npz(const std::string& path, const RowMatrix& A) {
  std::vector<Index> starts{0};
  starts.reserve(to_size(A.rows() + 1));
  io::for_each_row(
      A, [&](Index, auto columns, auto) { starts.push_back(starts.back() + std::ssize(columns)); });
  io::ZipWriter zip(path);
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (starts.back() <= most && A.cols() <= most)
    io::write_csr<std::int32_t>(zip, A, starts);
  else
    io::write_csr<Index>(zip, A, starts);
  zip.commit();
}

}  // namespace polyak
