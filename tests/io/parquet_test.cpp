// Files of several programs, of every type, encoding and compression, against what they were made
// from; parts of tables; what is refused, and how it is said.

#include "io/parquet/parquet.hpp"

#include <cmath>

#include "io/format.hpp"
#include "io/parquet/footer.hpp"
#include "io_testing.hpp"
#include "parquet_testing.hpp"
#include "polyak/table_parts.hpp"

namespace polyak::test::parquet_files {
namespace {

using namespace testing;
using Names = std::vector<std::string>;

const Names coded{
    "plain",      "plain_pages_v2",  "dictionary", "dictionary_v2_gzip", "dictionary_falls_back",
    "split_zstd", "split_v2_snappy", "delta_lz4",  "delta_v2",           "checksums_zstd",
    "polars",     "fastparquet"};

/// A file of the corpus under a name that says its format.
class Corpus {
 public:
  explicit Corpus(const std::string& name) : path(folder.write("t.parquet", corpus_bytes(name))) {}
  Folder folder;
  std::string path;
};

ReadOptions with_holes() {
  ReadOptions options;
  options.keep_nonfinite = true;
  return options;
}

ReadOptions only(std::vector<std::string> columns, ReadOptions options = {}) {
  options.columns = std::move(columns);
  return options;
}

ReadOptions rhs(const std::string& column) {
  ReadOptions options = with_holes();
  options.rhs_column = column;
  return options;
}

TEST(Parquet, EveryTypeIsReadAsTheNearestDouble) {
  for (const std::string name : {"types", "types_holes"}) {
    SCOPED_TRACE(name);
    const Corpus file(name);
    const Table table = read_table(file.path, with_holes());
    expect_same_values(values_of(*table.A), values_made(name));
    EXPECT_EQ(table.names.front(), "bool");
    EXPECT_EQ(table.names.back(), "decimal20");
  }
}

TEST(Parquet, EveryEncodingAndCompressionHoldsTheSameValues) {
  const auto expected = values_made("coded");
  for (const std::string& name : coded) {
    SCOPED_TRACE(name);
    const Corpus file(name);
    const Table table = read_table(file.path, with_holes());
    expect_same_values(values_of(*table.A), expected);
    EXPECT_EQ(table.names, (Names{"few", "single", "grows", "wide", "flag", "holes"}));
  }
}

TEST(Parquet, AMissingValueIsTreatedAsAnEmptyCellOfACsv) {
  const Corpus file("dictionary");
  const auto all = values_made("coded");
  const std::size_t cols = 6;
  std::size_t first = 0, complete = 0;
  for (std::size_t i = all.size() / cols; i-- > 0;) {
    if (std::isnan(all[i * cols + 5]))
      first = i;
    else
      ++complete;
  }
  const Error error = error_of([&] { read_table(file.path); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_NE(error.parts().where.find("row " + std::to_string(first + 1)), std::string::npos)
      << error.what();
  EXPECT_NE(error.parts().what.find("column 6 (holes)"), std::string::npos) << error.what();
  EXPECT_NE(error.parts().hint.find("--drop-nonfinite-rows"), std::string::npos);
  ReadOptions options;
  options.drop_nonfinite_rows = true;
  const Table table = read_table(file.path, options);
  EXPECT_EQ(table.A->rows(), static_cast<Index>(complete));
  EXPECT_EQ(table.dropped_rows, static_cast<Index>(all.size() / cols - complete));
  EXPECT_EQ(code_of([&] { read_table(Corpus("nothing").path); }), 65);  // a column of nulls
}

TEST(Parquet, TheRightHandSideIsAColumnByNameOrNumber) {
  const auto all = values_made("coded");
  for (const auto* column : {"grows", "3"}) {
    const Corpus file("split_v2_snappy");
    ReadOptions options = rhs(column);
    options.intercept = true;
    const Table table = read_table(file.path, options);
    EXPECT_EQ(table.names, (Names{"few", "single", "wide", "flag", "holes", "intercept"}));
    for (Index i = 0; i < table.A->rows(); ++i)
      EXPECT_EQ(table.b(i, 0), all[to_size(6 * i + 2)]) << i;
    const auto values = values_of(*table.A);
    for (Index i = 0; i < table.A->rows(); ++i) {
      EXPECT_EQ(values[to_size(6 * i + 2)], all[to_size(6 * i + 3)]);
      EXPECT_EQ(values[to_size(6 * i + 5)], 1.0);
    }
  }
  const Error error = error_of([] { read_table(Corpus("plain").path, rhs("grow")); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(error.parts().hint.find("'grows'"), std::string::npos) << error.what();
}

TEST(Parquet, ColumnsOfFloatsStayFloats) {
  const Corpus file("plain");
  const auto input = io::open_input(file.path);
  const auto source = io::parquet_rows(input.file, only({"single"}));
  EXPECT_TRUE(source->single());
  EXPECT_FALSE(io::parquet_rows(input.file, only({"single", "few"}))->single());
}

// The pages of the other columns may hold anything.
TEST(Parquet, OnlyPagesOfTheColumnsThatAreNeededAreRead) {
  const std::string whole = corpus_bytes("checksums_zstd");
  const auto all = values_made("coded");
  const auto file = io::MappedFile::from_memory("whole", whole);
  const io::parquet::Footer footer = io::parquet::read_footer(*file);
  for (std::size_t wanted = 0; wanted < footer.columns.size(); ++wanted) {
    std::string damaged = whole;
    for (const io::parquet::RowGroup& group : footer.groups)
      for (std::size_t k = 0; k < group.chunks.size(); ++k)
        if (k != wanted)
          for (Index j = 0; j < group.chunks[k].bytes; ++j)
            damaged[to_size(group.chunks[k].first + j)] ^= '\x55';
    const auto part = io::MappedFile::from_memory("damaged", damaged);
    auto source = io::parquet_rows(part, only({footer.columns[wanted].name}, with_holes()));
    const Table table = io::load_rows(std::move(source), {}, "damaged");
    std::vector<double> expected;
    for (std::size_t i = wanted; i < all.size(); i += footer.columns.size())
      expected.push_back(all[i]);
    expect_same_values(values_of(*table.A), expected);
    EXPECT_EQ(code_of([&] { io::load_rows(io::parquet_rows(part, with_holes()), {}, "damaged"); }),
              65);
  }
}

TEST(Parquet, AnyRangeOfRowsIsReadByItself) {
  const auto all = values_made("coded");
  const Index cols = 6, rows = static_cast<Index>(all.size()) / cols;
  for (const std::string& name : coded) {
    SCOPED_TRACE(name);
    const auto file = io::MappedFile::from_memory(name, corpus_bytes(name));
    for (Index first = 0; first <= rows; ++first) {
      auto source = io::parquet_rows(file, with_holes(), RowRange{first, rows});
      EXPECT_EQ(source->first_row(), first);
      const Table table = io::load_rows(std::move(source), {}, name);
      expect_same_values(values_of(*table.A), {all.begin() + first * cols, all.end()});
    }
  }
}

TEST(Parquet, PartsMakeTheWhole) {
  for (const std::string& name : coded) {
    const Corpus file(name);
    const Table whole = read_table(file.path, rhs("wide"));
    for (Index parts = 1; parts < 8; ++parts) {
      std::vector<PartCounts> counts;
      for (Index k = 0; k < parts; ++k)
        counts.push_back(*count_part(file.path, rhs("wide"), k, parts));
      std::vector<double> values, b;
      for (Index k = 0; k < parts; ++k) {
        const Table part = read_part(file.path, rhs("wide"), k, counts);
        for (double v : values_of(*part.A)) values.push_back(v);
        for (double v : values_of(part.b)) b.push_back(v);
      }
      expect_same_values(values, values_of(*whole.A));
      EXPECT_EQ(b, values_of(whole.b));
    }
  }
}

TEST(Parquet, IsConvertedByRows) {
  const Corpus file("dictionary");
  ReadOptions options;
  options.drop_nonfinite_rows = true;
  convert(file.path, file.folder / "t.npy", options);
  const Table table = read_table(file.path, options);
  EXPECT_EQ(values_of(*read_table(file.folder / "t.npy").A), values_of(*table.A));
  options.rhs_column = "flag";
  convert(file.path, file.folder / "t.csv", options);
  EXPECT_EQ(read_table(file.folder / "t.csv").names,
            (Names{"few", "single", "grows", "wide", "holes", "flag"}));
  EXPECT_EQ(code_of([&] { convert(file.folder / "t.csv", file.folder / "u.parquet"); }), 2);
}

TEST(Parquet, TablesWithoutRowsAreEmpty) {
  const Corpus file("no_rows");
  const Table table = read_table(file.path, rhs("y"));
  EXPECT_EQ(table.A->rows(), 0);
  EXPECT_EQ(table.A->cols(), 1);
}

TEST(Parquet, InspectingReadsTheFooterAlone) {
  const Corpus file("text");
  const FileInfo info = inspect(file.path);
  EXPECT_EQ(info.format, "Apache Parquet");
  EXPECT_EQ(info.rows, 3);
  EXPECT_EQ(info.cols, 3);
  EXPECT_EQ(info.names, (Names{"x", "city", "y"}));
  EXPECT_EQ(info.note, "1 row group, compression none; no numbers: city (text)");
  EXPECT_EQ(inspect(Corpus("no_rows").path).rows, 0);
  EXPECT_NE(inspect(Corpus("brotli").path).note.find("brotli"), std::string::npos);
}

TEST(Parquet, AColumnThatIsNotUsedMayHoldAnything) {
  const auto file = io::MappedFile::from_memory("text", corpus_bytes("text"));
  ReadOptions options;
  options.rhs_column = "y";
  const auto source = io::parquet_rows(file, only({"x"}, options));
  EXPECT_EQ(values_of(*io::load_rows(io::parquet_rows(file, only({"x"}, options)), {}, "").A),
            (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(source->names(), Names{"x"});
}

struct Refused {
  std::string file, said, advised;
};

TEST(Parquet, WhatIsNotReadIsSaidWithAWayOut) {
  const std::vector<Refused> cases{
      {"text", "column 'city' holds text (expected numbers)", "drop = city"},
      {"nested", "column 'tags' holds lists or structures (found 2 such columns: 'tags', 'point'",
       "drop = tags,point"},
      {"dates", "column 'day' holds dates or times", "turn it into a number"},
      {"int96", "column 'at' holds dates or times", "turn it into a number"},
      {"brotli", "column 'x': the compression is not supported (found brotli",
       "compression='zstd'"},
      {"encrypted", "the file is encrypted", "pq.write_table"},
      {"encrypted_column", "column 'y': the column is encrypted", "pq.write_table"}};
  for (const Refused& refused : cases) {
    const Corpus file(refused.file);
    const Error error = error_of([&] { read_table(file.path); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data) << error.what();
    const std::string line = error.what();
    EXPECT_NE(line.find(refused.said), std::string::npos) << line;
    EXPECT_NE(error.parts().hint.find(refused.advised), std::string::npos) << line;
  }
}

TEST(Parquet, ArrowFilesAreRefusedWithACommandThatConvertsThem) {
  for (const auto* name : {"t.feather", "t.arrow"}) {
    const Error error = error_of([&] { read_table(name); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.parts().hint.find(", 't.parquet')\""), std::string::npos) << error.what();
  }
}

TEST(Parquet, IsKnownByItsBytesOnAStream) {
  EXPECT_TRUE(io::looks_like_parquet(corpus_bytes("plain")));
  EXPECT_FALSE(io::looks_like_parquet("PAR1,PAR2\n1,2\n"));
  EXPECT_FALSE(io::looks_like_parquet("PAR1PAR1"));
}

}  // namespace
}  // namespace polyak::test::parquet_files
