// Parts of a table, read one by one, make the table; what is wrong in one is told
// with its place in the whole.

#include "polyak/table_parts.hpp"

#include <bit>

#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;

std::vector<PartCounts> counted(const std::string& path, const ReadOptions& options, Index parts) {
  std::vector<PartCounts> out;
  for (Index k = 0; k < parts; ++k) out.push_back(*count_part(path, options, k, parts));
  return out;
}

void expect_parts_make_the_whole(const std::string& path, const ReadOptions& options = {}) {
  const Table whole = read_table(path, options);
  for (Index parts = 1; parts < 12; ++parts) {
    SCOPED_TRACE(parts);
    const auto counts = counted(path, options, parts);
    std::vector<double> values, b;
    for (Index k = 0; k < parts; ++k) {
      const Table part = read_part(path, options, k, counts);
      EXPECT_EQ(part.A->cols(), whole.A->cols());
      EXPECT_EQ(part.names, whole.names);
      for (double v : values_of(*part.A)) values.push_back(v);
      for (Index i = 0; i < part.b.rows(); ++i) b.push_back(part.b(i, 0));
    }
    EXPECT_EQ(sum_of_parts(counts, parts).rows, whole.A->rows());
    EXPECT_EQ(values, values_of(*whole.A));
    EXPECT_EQ(b, values_of(whole.b));
  }
}

// The line that an error names when one part after the other is read.
std::string line_told(const std::string& path, Index parts) {
  const auto counts = counted(path, {}, parts);
  for (Index k = 0; k < parts; ++k) try {
      read_part(path, {}, k, counts);
    } catch (const Error& error) {
      const std::string where = error.parts().where;
      return where.substr(where.rfind(':') + 1);
    }
  return "none";
}

TEST(TableParts, OfCsvMakeTheWhole) {
  const Folder folder;
  for (const auto* text :
       {"1,2\n3,4\n5,6\n7,8\n", "1,2\n3,4\n5,6\n7,8",
        "a,b\n1,2\n\n# remark\n3,4\n\n\n5,6\r\n7,8\r\n",
        "\xef\xbb\xbf"
        "a,b\n1,2\n",
        "x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n", "1\n",
        "1,2\n\n\n\n\n\n\n\n\n\n\n\n\n3,4\n",
        "1.00000000000000000000000000000000000000000000000000000000000000000,2\n3,4\n"})
    expect_parts_make_the_whole(folder.write("a.csv", text));
}

TEST(TableParts, OfCsvTakeTheOptionsOfTheWhole) {
  const Folder folder;
  std::string text = "u,v,w\n";
  for (int i = 0; i < 100; ++i)
    text += std::to_string(i) + "," + std::to_string(i * i) + "," + std::to_string(-i) + "\n";
  ReadOptions options;
  options.rhs_column = "v";
  options.intercept = true;
  expect_parts_make_the_whole(folder.write("a.csv", text), options);
  options.single = true;
  expect_parts_make_the_whole(folder.write("a.csv", text), options);
}

TEST(TableParts, OfCsvTellTheLineOfTheWholeFile) {
  const Folder folder;
  for (int bad : {2, 3, 17, 58, 100}) {
    std::string text = "a,b\n";
    for (int line = 2; line <= 100; ++line) {
      if (line % 7 == 0) text += "# a remark\n", ++line;
      text += line == bad || (line - 1 == bad && line % 7 == 1) ? "1,two\n" : "1,2\n";
    }
    const auto path = folder.write("a.csv", text);
    const std::string where = error_of([&] { read_table(path); }).parts().where;
    for (Index parts = 1; parts < 9; ++parts)
      EXPECT_EQ(line_told(path, parts), where.substr(where.rfind(':') + 1)) << parts << " parts";
  }
}

TEST(TableParts, TellTheRowOfTheWholeFile) {
  const Folder folder;
  const auto path = folder.write("a.csv", "1\n2\n3\n4\n5\n1e300\n7\n8\n");
  ReadOptions options;
  options.single = true;
  const auto counts = counted(path, options, 4);
  const Error error = error_of([&] { read_part(path, options, 2, counts); });
  EXPECT_NE(error.parts().where.find("row 6, column 1"), std::string::npos) << error.what();
}

TEST(TableParts, OfNamesAloneAreRefusedAsTheWholeIs) {
  const Folder folder;
  const auto path = folder.write("a.csv", "a,b\n");
  const auto counts = counted(path, {}, 2);
  EXPECT_EQ(code_of([&] { read_part(path, {}, 1, counts); }), 65);
}

std::string big_endian(const std::vector<Index>& indices, const std::vector<double>& numbers) {
  std::string out;
  const auto put = [&](std::uint64_t bits, int size) {
    for (int k = size - 1; k >= 0; --k) out += static_cast<char>(bits >> (8 * k) & 0xff);
  };
  for (Index v : indices) put(static_cast<std::uint64_t>(v), 4);
  for (double v : numbers) put(std::bit_cast<std::uint64_t>(v), 8);
  return out;
}

TEST(TableParts, OfPetscMakeTheWhole) {
  const Folder folder;
  const std::string A = big_endian({1211216, 5, 4, 6, /*lengths*/ 2, 0, 3, 0, 1, 0, 3, 1, 2, 3, 0},
                                   {1.5, -2, 3, 4, 5, 6});
  expect_parts_make_the_whole(folder.write("a.petsc", A));
  expect_parts_make_the_whole(
      folder.write("ab.petsc", A + big_endian({1211214, 5}, {1, 2, 3, 4, 5})));
  expect_parts_make_the_whole(
      folder.write("d.petsc", big_endian({1211216, 3, 2, -1}, {1, 2, 3, 4, 5, 6})));
}

TEST(TableParts, OfPetscHoldTheirSumAgainstTheHeader) {
  const Folder folder;
  const auto path = folder.write("a.petsc", big_endian({1211216, 2, 3, 2, 1, 0, 0, 1}, {1, 2}));
  const auto counts = counted(path, {}, 2);
  for (Index k : {0, 1}) EXPECT_EQ(code_of([&] { read_part(path, {}, k, counts); }), 65);
}

TEST(TableParts, OfAFileThatChangedAreRefused) {
  const Folder folder;
  const auto path = folder.write("a.csv", "1\n2\n3\n4\n");
  const auto counts = counted(path, {}, 2);
  folder.write("a.csv", "1\n2\n3\n4\n5\n6\n");
  const Error error = error_of([&] { read_part(path, {}, 0, counts); });
  EXPECT_NE(std::string(error.what()).find("the file changed while it was read"),
            std::string::npos);
}

TEST(TableParts, ThereAreNoneOfFormatsThatAreReadAsAWhole) {
  const Folder folder;
  const auto path = folder.write("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n");
  EXPECT_FALSE(count_part(path, {}, 0, 2));
  ReadOptions drop;
  drop.drop_nonfinite_rows = true;
  EXPECT_FALSE(count_part(folder.write("a.csv", "1\n"), drop, 0, 2));
}

}  // namespace
}  // namespace polyak
