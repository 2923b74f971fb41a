#include <zlib.h>

#include "io/npy/npy.hpp"
#include "io/npy/zip.hpp"
#include "io_testing.hpp"
#include "polyak/stored_array.hpp"

namespace polyak::test::npz_reader {
using namespace polyak::internal;

namespace {

using namespace testing;

struct Entry {
  std::string name, bytes;
  bool deflate = false;
  int method = -1, flags = 0;     // other than the bytes have
  std::uint64_t stated_size = 0;  // 0: that of the bytes
};

std::string le(std::uint64_t value, int width) {
  std::string out;
  for (int k = 0; k < width; ++k) out += static_cast<char>(value >> (8 * k) & 0xff);
  return out;
}

std::string deflated(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(bytes.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

std::string common(const Entry& e, const std::string& packed) {
  const auto checksum =
      ::crc32_z(0, reinterpret_cast<const Bytef*>(e.bytes.data()), e.bytes.size());
  const int method = e.method >= 0 ? e.method : e.deflate ? 8 : 0;
  return le(20, 2) + le(static_cast<std::uint64_t>(e.flags), 2) +
         le(static_cast<std::uint64_t>(method), 2) + le(0, 4) + le(checksum, 4) +
         le(packed.size(), 4) + le(e.stated_size ? e.stated_size : e.bytes.size(), 4) +
         le(e.name.size(), 2) + le(0, 2);
}

// An archive with 32-bit sizes, as other programs write them.
std::string zip_of(const std::vector<Entry>& entries, const std::string& comment = "") {
  std::string out, directory;
  for (const Entry& e : entries) {
    const std::string packed = e.deflate ? deflated(e.bytes) : e.bytes;
    const std::size_t offset = out.size();
    out += le(0x04034b50, 4) + common(e, packed) + e.name + packed;
    directory +=
        le(0x02014b50, 4) + le(20, 2) + common(e, packed) + le(0, 10) + le(offset, 4) + e.name;
  }
  const std::size_t start = out.size();
  return out + directory + le(0x06054b50, 4) + le(0, 4) + le(entries.size(), 2) +
         le(entries.size(), 2) + le(directory.size(), 4) + le(start, 4) + le(comment.size(), 2) +
         comment;
}

template <class T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& values) {
  return io::npy_header_bytes(type, shape) + raw_bytes(values);
}

std::vector<Entry> system(bool deflate) {
  return {{"A.npy", npy<double>("<f8", "(3, 2)", {1, 2, 3, 4, 5, 7}), deflate},
          {"b.npy", npy<double>("<f8", "(3,)", {1, 2, 4}), deflate}};
}

std::vector<Entry> sparse(const std::string& format) {
  return {{"indices.npy", npy<std::int32_t>("<i4", "(3,)", {1, 0, 1})},
          {"indptr.npy", npy<std::int32_t>("<i4", "(3,)", {0, 1, 3})},
          {"format.npy", io::npy_header_bytes("|S3", "()") + format},
          {"shape.npy", npy<Index>("<i8", "(2,)", {2, 2})},
          {"data.npy", npy<float>("<f4", "(3,)", {1.5f, 2.0f, -4.0f}), true}};
}

std::vector<double> dense(const MatrixPtr& A) { return values_of(*A); }

struct File {
  Folder folder;
  std::string path;
  explicit File(const std::string& bytes) : path(folder.write("a.npz", bytes)) {}
  int code() const {
    return code_of([&] { (void)read_table(path); });
  }
};

TEST(NpzReader, ReadsTheSparseMatrixThatItWrites) {
  const Folder folder;
  const auto A = csr_from_triplets({{1, 1, 2.5}, {3, 0, -1.0}, {3, 3, 1e-300}}, 5, 4);
  write_npz(folder / "A.npz", *A);
  const Table table = read_table(folder / "A.npz");
  EXPECT_EQ(table.A->nonzeros(), 3);
  EXPECT_EQ(dense(table.A), dense(A));
  const FileInfo info = inspect(folder / "A.npz");
  EXPECT_EQ(info.format, "NumPy archive");
  EXPECT_EQ(info.rows, 5);
  EXPECT_EQ(info.cols, 4);
  EXPECT_EQ(info.nonzeros, 3);
}

TEST(NpzReader, ReadsRowsAndColumnsOfSciPy) {
  EXPECT_EQ(dense(read_table(File(zip_of(sparse("csr"))).path).A),
            (std::vector<double>{0, 1.5, 2, -4}));
  EXPECT_EQ(dense(read_table(File(zip_of(sparse("csc"))).path).A),
            (std::vector<double>{0, 2, 1.5, -4}));
  EXPECT_EQ(File(zip_of(sparse("coo"))).code(), 65);
  auto incomplete = sparse("csr");
  incomplete.erase(incomplete.begin());
  EXPECT_EQ(File(zip_of(incomplete)).code(), 65);
}

TEST(NpzReader, ReadsArraysByNameAndASystemWithoutOne) {
  for (const bool deflate : {false, true}) {
    const File file(zip_of(system(deflate), "a comment"));
    const Table table = read_table(file.path);
    EXPECT_EQ(dense(table.A), (std::vector<double>{1, 2, 3, 4, 5, 7}));
    EXPECT_EQ(table.b.view()(2, 0), 4.0);
    EXPECT_EQ(read_table(file.path + ":b").A->rows(), 3);
    EXPECT_EQ(open_array(file.path + ":A")->shape(), (std::vector<Index>{3, 2}));
    EXPECT_EQ(list_arrays(file.path).size(), 2u);
    EXPECT_EQ(code_of([&] { (void)read_table(file.path + ":c"); }), 65);
  }
}

TEST(NpzReader, RefusesWhatItDoesNotHold) {
  EXPECT_EQ(File(zip_of({{"x.npy", io::npy_header_bytes("|O", "(2,)") + "pickle"}})).code(), 65);
  EXPECT_EQ(File(zip_of({{"notes.txt", "text"}})).code(), 65);
  EXPECT_EQ(File(zip_of({})).code(), 65);
  auto two = system(false);
  two[1].name = "c.npy";
  two[1].bytes = two[0].bytes;
  EXPECT_EQ(File(zip_of(two)).code(), 65);  // two matrices, and none is named
  two = system(false);
  two[0].flags = 1;
  EXPECT_EQ(File(zip_of(two)).code(), 65);  // encrypted
  two[0].flags = 0;
  two[0].method = 12;
  EXPECT_EQ(File(zip_of(two)).code(), 65);  // bzip2
}

// Names are compared, and nothing is ever written to them.
TEST(NpzReader, TakesNoNameForAPath) {
  auto entries = system(false);
  entries.push_back({"../../evil.npy", entries[0].bytes});
  const File file(zip_of(entries));
  EXPECT_EQ(file.code(), 0);
  EXPECT_EQ(file.folder.files(), std::vector<std::string>{"a.npz"});
}

TEST(NpzReader, ChecksClaimsBeforeMemoryIsTaken) {
  auto entries = system(true);
  entries[0].stated_size = 0xfffffff0u;
  EXPECT_EQ(File(zip_of(entries)).code(), 65);
  entries = system(true);
  entries[0].stated_size = entries[0].bytes.size() + 1;
  EXPECT_EQ(File(zip_of(entries)).code(), 65);
  entries = system(false);
  entries[0].bytes = io::npy_header_bytes("<f8", "(1000000000000, 2)");
  EXPECT_EQ(File(zip_of(entries)).code(), 65);
}

TEST(NpzReader, RefusesAFileCutOffAnywhere) {
  for (const std::string& whole : {zip_of(system(true)), zip_of(sparse("csr"))}) {
    const File file(whole);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      file.folder.write("a.npz", whole.substr(0, length));
      EXPECT_EQ(file.code(), 65) << length;
    }
  }
}

// Each byte damaged: refused, or read with the right numbers where it says nothing about them.
TEST(NpzReader, NeverGivesDamagedNumbers) {
  const std::string whole = zip_of(system(true));
  const File file(whole);
  const auto right = dense(read_table(file.path).A);
  int refused = 0;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    for (const char flip : {'\x01', '\x80'}) {
      std::string damaged = whole;
      damaged[k] = static_cast<char>(damaged[k] ^ flip);
      file.folder.write("a.npz", damaged);
      const int code = code_of([&] { EXPECT_EQ(dense(read_table(file.path).A), right) << k; });
      EXPECT_TRUE(code == 0 || code == 65 || code == 71) << k << " " << code;
      refused += code != 0;
    }
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace polyak::test::npz_reader
