// Damaged Parquet files, and files made to hurt: 65 with the byte, soon, and without the memory
// they ask for.

#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <limits>

#include "io/parquet/parquet.hpp"
#include "io_testing.hpp"
#include "parquet_testing.hpp"

namespace polyak::test::parquet_hostile {
namespace {

using namespace testing;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::vector<std::string> corpus_names() {
  const std::filesystem::path data(POLYAK_TEST_DATA);
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(data.parent_path() / "fuzz/corpus/parquet"))
    out.push_back(entry.path().filename().string());
  return out;
}

ReadOptions with_holes() {
  ReadOptions options;
  options.keep_nonfinite = true;
  return options;
}

int code_of_bytes(const std::string& bytes) {
  const auto file = io::MappedFile::from_memory("t.parquet", bytes);
  return code_of([&] { io::load_rows(io::parquet_rows(file, with_holes()), {}, "t.parquet"); });
}

Error error_of_bytes(const std::string& bytes) {
  const auto file = io::MappedFile::from_memory("t.parquet", bytes);
  return error_of([&] { io::load_rows(io::parquet_rows(file, with_holes()), {}, "t.parquet"); });
}

void expect_refused_cheaply(const std::string& bytes, const std::string& said) {
  SCOPED_TRACE(said);
  const Error error = error_of_bytes(bytes);
  EXPECT_EQ(error.code(), ErrorCode::bad_data) << error.what();
  EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
  const Folder folder;
  const auto path = folder.write("t.parquet", bytes);
  const ChildResult result = in_child([&] { read_table(path); });
  EXPECT_EQ(result.code, 65);
  EXPECT_LT(result.grown_mb, 64);
  EXPECT_LT(result.seconds, 1.0);
}

TEST(ParquetHostile, AFileCutOffAnywhereIsRefused) {
  const Folder folder;
  for (const std::string& name : corpus_names()) {
    const std::string whole = corpus_bytes(name);
    for (std::size_t length = 0; length < whole.size(); ++length)
      ASSERT_EQ(code_of_bytes(whole.substr(0, length)), 65) << name << " cut after " << length;
    for (const std::size_t length : {whole.size() / 2, whole.size() - 1}) {
      const auto path = folder.write("t.parquet", whole.substr(0, length));
      EXPECT_EQ(code_of([&] { inspect(path); }), 65) << name;
      EXPECT_EQ(code_of([&] { read_array(path); }), 65) << name;
    }
  }
}

TEST(ParquetHostile, ADamagedByteDoesNoMoreThanRefuse) {
  for (const std::string& name : corpus_names()) {
    const std::string whole = corpus_bytes(name);
    for (std::size_t k = 0; k < whole.size(); ++k)
      for (const int flip : {1, 0x80, 0xff}) {
        std::string damaged = whole;
        damaged[k] = static_cast<char>(damaged[k] ^ flip);
        const int code = code_of_bytes(damaged);
        ASSERT_TRUE(code == 0 || code == 65) << name << ", byte " << k << ": " << code;
      }
  }
}

TEST(ParquetHostile, AFileMadeByHandIsReadUnlessItLies) {
  const HandMade honest;
  const auto file = io::MappedFile::from_memory("t.parquet", honest.bytes());
  const Table table = io::load_rows(io::parquet_rows(file, {}), {}, "t.parquet");
  EXPECT_EQ(values_of(*table.A), honest.values);
  EXPECT_EQ(table.names, std::vector<std::string>{"x"});
  EXPECT_EQ(code_of_bytes(HandMade{.empty_group_first = true}.bytes()), 0);
}

// A name is not copied for each page: a million bytes of name, a hundred thousand pages of nothing.
TEST(ParquetHostile, LongNamesAndManyPagesTakeNoLongerThanTheirBytes) {
  const CompactWriter nothing = CompactWriter().number(1, 1).number(2, 0).number(3, 0);
  std::string page;
  for (int k = 0; k < 100000; ++k) page += nothing.bytes();
  const std::string name(1000000, 'x');
  const std::string bytes =
      HandMade{.page = page,
               .header = nothing,
               .schema_element = CompactWriter().number(1, 5).number(3, 0).text(4, name)}
          .bytes();
  expect_refused_cheaply(bytes, "end before its last row");
}

TEST(ParquetHostile, ClaimsAreCheckedBeforeMemoryIsTaken) {
  const std::int64_t huge = std::int64_t{1} << 40;
  expect_refused_cheaply(HandMade{.rows = huge, .group_rows = huge, .chunk_values = huge}.bytes(),
                         "states sizes that its length cannot hold");
  expect_refused_cheaply(HandMade{.rows = most, .group_rows = most, .chunk_values = most}.bytes(),
                         "states sizes that its length cannot hold");
  expect_refused_cheaply(HandMade{.rows = 4}.bytes(), "do not have the rows of the table");
  expect_refused_cheaply(HandMade{.rows = -1, .group_rows = -1}.bytes(), "negative number of rows");
  expect_refused_cheaply(HandMade{.chunk_values = 2}.bytes(), "another number of values");
  expect_refused_cheaply(HandMade{.page_values = 4}.bytes(), "impossible number of values");
  expect_refused_cheaply(HandMade{.page_values = -1}.bytes(), "impossible number of values");
  expect_refused_cheaply(HandMade{.page_values = 1}.bytes(), "impossible length");
  expect_refused_cheaply(HandMade{.page_values = 2}.bytes(), "end before its last row");
  expect_refused_cheaply(HandMade{.packed = 1000}.bytes(), "a page ends after its column");
  expect_refused_cheaply(HandMade{.packed = -1}.bytes(), "a page ends after its column");
  expect_refused_cheaply(HandMade{.unpacked = 2'000'000'000}.bytes(), "impossible size");
  expect_refused_cheaply(HandMade{.codec = 6, .unpacked = 2'000'000'000}.bytes(),
                         "impossible size");
  expect_refused_cheaply(HandMade{.first = most}.bytes(), "exceeds 64 bits");
  expect_refused_cheaply(HandMade{.first = -5}.bytes(), "not before the footer");
  expect_refused_cheaply(HandMade{.chunk_bytes = 100000}.bytes(), "not before the footer");
  expect_refused_cheaply(HandMade{.chunk_bytes = -1}.bytes(), "not before the footer");
}

TEST(ParquetHostile, PagesThatEndOrDoNotFitAreRefused) {
  expect_refused_cheaply(HandMade{.page_type = 1}.bytes(), "end before its last row");
  expect_refused_cheaply(HandMade{.encoding = 4}.bytes(), "not supported (found BIT_PACKED");
  expect_refused_cheaply(HandMade{.encoding = 10}.bytes(), "not supported (found ALP");
  expect_refused_cheaply(HandMade{.encoding = -3}.bytes(), "not supported (found encoding -3");
  expect_refused_cheaply(HandMade{.encoding = 8}.bytes(), "damaged");  // 0xf0 bits, no dictionary
  expect_refused_cheaply(HandMade{.page = std::string("\x01\x06\x00", 3), .encoding = 8}.bytes(),
                         "outside of the dictionary");
  expect_refused_cheaply(HandMade{.page = std::string("\x40", 1), .encoding = 8}.bytes(),
                         "more than 32 bits");
  expect_refused_cheaply(HandMade{.codec = 1}.bytes(), "compressed data of a page is damaged");
  expect_refused_cheaply(HandMade{.codec = 3}.bytes(), "not supported (found lzo");
  expect_refused_cheaply(HandMade{.codec = 99}.bytes(), "not supported (found codec 99");
  expect_refused_cheaply(HandMade{.page_type = 2}.bytes(), "end before its last row");
}

// Blocks of differences: sizes of zero, odd sizes, too many values, too few bytes.
TEST(ParquetHostile, DamagedDifferencesAreRefused) {
  const auto page = [](std::uint64_t block, std::uint64_t miniblocks, std::uint64_t count,
                       const std::string& rest) {
    return CompactWriter::varint(block) + CompactWriter::varint(miniblocks) +
           CompactWriter::varint(count) + rest;
  };
  const auto file = [](const std::string& bytes) {
    return HandMade{.page = bytes, .encoding = 5, .type = 2}.bytes();
  };
  expect_refused_cheaply(file(page(0, 4, 3, std::string(1, '\0'))), "size of a block");
  expect_refused_cheaply(file(page(128, 0, 3, std::string(1, '\0'))), "size of a block");
  expect_refused_cheaply(file(page(128, 3, 3, std::string(1, '\0'))), "size of a block");
  expect_refused_cheaply(file(page(1ull << 40, 4, 3, std::string(1, '\0'))), "size of a block");
  expect_refused_cheaply(file(page(128, 4, 1ull << 50, std::string(1, '\0'))),
                         "another number of values");
  expect_refused_cheaply(file(page(128, 4, 3, "")), "end too early");
  expect_refused_cheaply(file(page(128, 4, 3, std::string(3, '\0'))), "end too early");
  expect_refused_cheaply(file(page(128, 4, 3, std::string("\0\0\x41\0\0\0", 6))),
                         "more than 64 bits");
  expect_refused_cheaply(file(page(128, 4, 3, std::string("\0\0\x40\0\0\0", 6))), "end too early");
  EXPECT_EQ(code_of_bytes(file(page(128, 4, 3, std::string(6, '\0')))), 0);
}

// A small page that unpacks to many bytes, which its values cannot need.
TEST(ParquetHostile, DecompressionBombsAreRefused) {
  const std::size_t size = 512u << 20;
  std::string packed(::ZSTD_compressBound(size), '\0');
  {
    const std::string zeros(size, '\0');
    packed.resize(::ZSTD_compress(packed.data(), packed.size(), zeros.data(), zeros.size(), 1));
  }
  const auto claim = static_cast<std::int64_t>(size);
  const std::string bomb = HandMade{.page = packed, .codec = 6, .unpacked = claim}.bytes();
  EXPECT_LT(bomb.size(), 100000u);
  expect_refused_cheaply(bomb, "impossible size");
  // One that states a size that fits, and has more.
  expect_refused_cheaply(HandMade{.page = packed, .codec = 6, .unpacked = 24}.bytes(),
                         "compressed data of a page is damaged");
  // One that states a size that fits, and has less.
  std::string small(100, '\0');
  small.resize(::ZSTD_compress(small.data(), small.size(), "12345678", 8, 1));
  expect_refused_cheaply(HandMade{.page = small, .codec = 6, .unpacked = 24}.bytes(),
                         "compressed data of a page is damaged");
}

TEST(ParquetHostile, DamagedFootersAreRefused) {
  const CompactWriter column = CompactWriter().number(1, 5).number(3, 0).text(4, "x");
  const auto file = [](const CompactWriter& footer) { return parquet_file("", footer); };
  CompactWriter nested;
  for (int depth = 0; depth < 100; ++depth) nested = CompactWriter().record(1, nested);
  expect_refused_cheaply(file(CompactWriter().record(9, nested)), "nested too deeply");
  expect_refused_cheaply(file(CompactWriter().false_list(2, most)), "longer than the bytes");
  expect_refused_cheaply(file(CompactWriter().false_list(4, 1u << 31)), "longer than the bytes");
  expect_refused_cheaply(file(CompactWriter().number(3, 0)), "has no schema");
  expect_refused_cheaply(file(CompactWriter().list(2, {CompactWriter().text(4, "schema")})),
                         "has no columns");
  expect_refused_cheaply(file(CompactWriter().text(2, "schema")), "another type");
  expect_refused_cheaply(
      file(CompactWriter().list(2, {CompactWriter().text(4, "s").number(5, 2), column})),
      "fewer columns");
  expect_refused_cheaply(
      file(CompactWriter().list(2, {CompactWriter().text(4, "s").number(5, 1), column, column})),
      "more columns");
  expect_refused_cheaply(
      file(CompactWriter().list(2, {CompactWriter().text(4, "s").number(5, -1), column})),
      "schema is damaged");
  const CompactWriter group = CompactWriter().number(3, 1);
  expect_refused_cheaply(
      file(CompactWriter().list(2, schema_of(column)).number(3, 1).list(4, {group})),
      "does not have the columns");
  const CompactWriter chunk = CompactWriter().record(3, CompactWriter().number(1, 5));
  const CompactWriter half = CompactWriter().list(1, {chunk}).number(3, most / 2 + 1);
  expect_refused_cheaply(
      file(CompactWriter().list(2, schema_of(column)).number(3, most).list(4, {half, half})),
      "exceeds 64 bits");
  expect_refused_cheaply(
      file(CompactWriter()
               .list(2, schema_of(column))
               .list(4, {CompactWriter().list(1, std::vector<CompactWriter>(5))})),
      "a column has no metadata");
  std::string long_footer = HandMade{}.bytes();
  long_footer[long_footer.size() - 5] = '\x7f';
  expect_refused_cheaply(long_footer, "longer than itself");
  expect_refused_cheaply("PAR1" + std::string(100, '\xff') + std::string("\x40\0\0\0PAR1", 8),
                         "byte ");
}

TEST(ParquetHostile, WrongTypesAreRefused) {
  const auto with = [](const CompactWriter& element) {
    return HandMade{.schema_element = element}.bytes();
  };
  expect_refused_cheaply(with(CompactWriter().number(1, 8).number(3, 0).text(4, "x")),
                         "no such type");
  expect_refused_cheaply(with(CompactWriter().number(1, 5).text(4, "x")), "may be missing");
  expect_refused_cheaply(with(CompactWriter().number(1, 4).number(3, 0).text(4, "x")),
                         "another type than the schema");
  expect_refused_cheaply(with(CompactWriter().number(1, 5).number(3, 2).text(4, "x")),
                         "lists or structures");
  expect_refused_cheaply(
      with(CompactWriter().number(1, 2).number(3, 0).text(4, "x").number(6, 5).number(7, 39)),
      "scale");
  expect_refused_cheaply(
      with(CompactWriter().number(1, 1).number(3, 0).text(4, "a\nb").number(6, 6)),
      "'a?b' holds dates");
}

TEST(ParquetHostile, ChecksumsProtectEveryByteOfAPage) {
  const std::string whole = corpus_bytes("checksums_zstd");
  const Error error = [&] {
    std::string damaged = whole;
    damaged[60] ^= '\x10';  // in the first page
    return error_of_bytes(damaged);
  }();
  EXPECT_NE(std::string(error.what()).find("checksum of a page is wrong"), std::string::npos)
      << error.what();
  EXPECT_NE(error.parts().where.find("byte 4, column 'few'"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace polyak::test::parquet_hostile
