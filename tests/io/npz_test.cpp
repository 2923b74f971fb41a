#include <zlib.h>

#include <cstring>
#include <map>

#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;

template <class Number>
Number number_at(const std::string& bytes, std::size_t at) {
  Number out{};
  if (at + sizeof out > bytes.size()) throw std::runtime_error("the archive ends too early");
  std::memcpy(&out, bytes.data() + at, sizeof out);
  return out;
}
auto u16(const std::string& bytes, std::size_t at) { return number_at<std::uint16_t>(bytes, at); }
auto u32(const std::string& bytes, std::size_t at) { return number_at<std::uint32_t>(bytes, at); }
auto u64(const std::string& bytes, std::size_t at) { return number_at<std::uint64_t>(bytes, at); }

// One member by its line in the directory, which the header beside its bytes
// must repeat.
std::string member(const std::string& zip, std::size_t line, std::string& name) {
  EXPECT_EQ(u32(zip, line), 0x02014b50u);
  const std::size_t extra = line + 46 + u16(zip, line + 28);
  name = zip.substr(line + 46, u16(zip, line + 28));
  EXPECT_EQ(u16(zip, line + 10), 0) << "stored";
  EXPECT_EQ(u16(zip, extra), 1) << "zip64";
  const std::size_t size = u64(zip, extra + 4), head = u64(zip, extra + 20);
  EXPECT_EQ(u32(zip, head), 0x04034b50u);
  EXPECT_EQ(zip.substr(head + 30, name.size()), name);
  EXPECT_EQ(u32(zip, head + 14), u32(zip, line + 16)) << "the checksum, twice";
  EXPECT_EQ(u64(zip, head + 30 + name.size() + 4), size);
  const std::string bytes = zip.substr(head + 30 + u16(zip, head + 26) + u16(zip, head + 28), size);
  EXPECT_EQ(bytes.size(), size);
  EXPECT_EQ(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
            u32(zip, line + 16));
  return bytes;
}

std::map<std::string, std::string> members(const std::string& zip) {
  const std::size_t end = zip.size() - 22, locator = end - 20;
  EXPECT_EQ(u32(zip, end), 0x06054b50u);
  EXPECT_EQ(u32(zip, locator), 0x07064b50u);
  const std::size_t record = u64(zip, locator + 8);
  EXPECT_EQ(u32(zip, record), 0x06064b50u);
  const std::size_t count = u64(zip, record + 32);
  EXPECT_EQ(count, u16(zip, end + 10));
  std::size_t line = u64(zip, record + 48);
  EXPECT_EQ(line + u64(zip, record + 40), record);
  std::map<std::string, std::string> out;
  for (std::size_t k = 0; k < count; ++k) {
    std::string name;
    const std::string bytes = member(zip, line, name);
    out[name] = bytes;
    line += 46u + u16(zip, line + 28) + u16(zip, line + 30) + u16(zip, line + 32);
  }
  EXPECT_EQ(line, record);
  return out;
}

std::string values_in(const std::string& npy, const std::string& dictionary) {
  const std::size_t start = 10u + u16(npy, 8);
  EXPECT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(start % 64, 0u);
  EXPECT_EQ(npy.substr(10, dictionary.size()), dictionary);
  return npy.substr(start);
}

const std::string order = ", 'fortran_order': False, 'shape': ";

// The first row and another one are empty.
TEST(Npz, HoldsTheArraysOfACsrMatrix) {
  const Folder folder;
  const auto path = folder / "A.npz";
  write_npz(path, *csr_from_triplets({{1, 1, 2.5}, {3, 0, -1.0}, {3, 3, 1e-300}}, 5, 5));
  const auto all = members(read_bytes(path));
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(values_in(all.at("indices.npy"), "{'descr': '<i4'" + order + "(3,), }"),
            raw_bytes<std::int32_t>({1, 0, 3}));
  EXPECT_EQ(values_in(all.at("indptr.npy"), "{'descr': '<i4'" + order + "(6,), }"),
            raw_bytes<std::int32_t>({0, 0, 1, 1, 3, 3}));
  EXPECT_EQ(values_in(all.at("format.npy"), "{'descr': '|S3'" + order + "(), }"), "csr");
  EXPECT_EQ(values_in(all.at("shape.npy"), "{'descr': '<i8'" + order + "(2,), }"),
            raw_bytes<Index>({5, 5}));
  EXPECT_EQ(values_in(all.at("data.npy"), "{'descr': '<f8'" + order + "(3,), }"),
            raw_bytes<double>({2.5, -1.0, 1e-300}));
  EXPECT_EQ(folder.files(), std::vector<std::string>{"A.npz"});
}

TEST(Npz, TakesTheNonzerosOfADenseMatrixAndLongRowsInPieces) {
  const Folder folder;
  const auto path = folder / "A.npz";
  std::vector<double> values(300'000, 0.0);
  for (std::size_t k = 0; k < values.size(); k += 2) values[k] = static_cast<double>(k) + 1.0;
  write_npz(path, *dense_matrix(values, 3, 100'000));
  const auto all = members(read_bytes(path));
  std::erase(values, 0.0);
  EXPECT_EQ(values_in(all.at("data.npy"), "{'descr': '<f8'"), raw_bytes(values));
  EXPECT_EQ(values_in(all.at("indptr.npy"), "{'descr': '<i4'"),
            raw_bytes<std::int32_t>({0, 50'000, 100'000, 150'000}));
}

// Columns beyond 32 bits take both kinds of index to 64.
TEST(Npz, WidensTheIndicesOfAVeryWideMatrix) {
  const Folder folder;
  const auto path = folder / "A.npz";
  const Index wide = Index{1} << 33;
  write_npz(path, *csr_from_triplets({{0, wide - 1, 1.0}}, 1, wide));
  const auto all = members(read_bytes(path));
  EXPECT_EQ(values_in(all.at("indices.npy"), "{'descr': '<i8'"), raw_bytes<Index>({wide - 1}));
  EXPECT_EQ(values_in(all.at("indptr.npy"), "{'descr': '<i8'"), raw_bytes<Index>({0, 1}));
  EXPECT_EQ(values_in(all.at("shape.npy"), "{'descr': '<i8'"), raw_bytes<Index>({1, wide}));
}

TEST(Npz, LeavesNothingWhereItCannotBeWritten) {
  const Folder folder;
  const auto A = csr_from_triplets({{0, 0, 1.0}}, 1, 1);
  EXPECT_EQ(code_of([&] { write_npz(folder / "nowhere/A.npz", *A); }), 74);
  EXPECT_EQ(code_of([&] { write_npz("/dev/full", *A); }), 74);
  EXPECT_TRUE(folder.files().empty());
}

}  // namespace
}  // namespace polyak
