#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;
using Values = std::vector<double>;
using Names = std::vector<std::string>;

Table read_text(const std::string& text, const ReadOptions& options = {}) {
  const Folder folder;
  return read_table(folder.write("a.csv", text), options);
}
ReadOptions rhs(const std::string& column, bool intercept = false) {
  ReadOptions options;
  options.rhs_column = column;
  options.intercept = intercept;
  return options;
}

TEST(Csv, NumbersWithAndWithoutNamesAreRead) {
  const Values expected{1, 2.5, -3, 4e2};
  const Table plain = read_text("1,2.5\n-3,4e2\n");
  EXPECT_EQ(values_of(*plain.A), expected);
  EXPECT_TRUE(plain.names.empty());
  const Table named = read_text("size,\"the \"\"price\"\"\"\n1,2.5\n-3,4e2\n");
  EXPECT_EQ(values_of(*named.A), expected);
  EXPECT_EQ(named.names, (Names{"size", "the \"price\""}));
}

TEST(Csv, UntidyTextIsAccepted) {
  const Values expected{1, 2, 3, 4};
  for (const auto* text :
       {"1,2\n3,4", "1,2\r\n3,4\r\n", "\n# comment\n1, 2 \n\n 3 ,4\n\n", "1;2\n3;4\n",
        "1\t2\n3\t4\n", "\"1\",\"2\"\n\"3\", \" 4 \"\n", "+1,2.\n3.0,4e0  ",
        "\xef\xbb\xbf"
        "1,2\n3,4\n",
        "a;\"b,c\"\n1;2\n3;4\n", "\xef\xbb\xbfx,y\r\n1,2\r\n3,4"})
    EXPECT_EQ(values_of(*read_text(text).A), expected) << text;
}

TEST(Csv, IsReadCompressedAndBehindTheEndingOfTabs) {
  const Folder folder;
  const std::string text = "area\tprice\n1\t2\n3\t4.5\n";
  ReadOptions options;
  options.rhs_column = "price";
  for (const auto& path :
       {folder.write("a.tsv", text), folder.write("a.csv.gz", gzip_bytes(text))}) {
    const Table table = read_table(path, options);
    EXPECT_EQ(values_of(*table.A), (std::vector<double>{1, 3}));
    EXPECT_EQ(values_of(table.b), (std::vector<double>{2, 4.5}));
    EXPECT_EQ(table.names, std::vector<std::string>{"area"});
  }
  write_matrix(folder / "b.csv.gz", *dense_matrix(std::vector<double>{1, 2, 3, 4}, 2, 2),
               {"x", "y"});
  EXPECT_EQ(read_bytes(folder / "b.csv.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(values_of(*read_table(folder / "b.csv.gz").A), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(
      code_of([&] { write_matrix(folder / "b.tsv", *dense_matrix(std::vector<double>{1}, 1, 1)); }),
      2);
}

TEST(Csv, OneColumnNeedsNoSeparator) {
  EXPECT_EQ(values_of(*read_text("1\n2\n3\n").A), (Values{1, 2, 3}));
  EXPECT_EQ(read_text("x\n1\n").names, Names{"x"});
}

TEST(Csv, TheRightHandSideIsAColumnByNameOrNumber) {
  const std::string text = "x,y,z\n1,2,3\n4,5,6\n";
  for (const auto* column : {"y", "2"}) {
    const Table table = read_text(text, rhs(column));
    EXPECT_EQ(values_of(*table.A), (Values{1, 3, 4, 6}));
    EXPECT_EQ(values_of(table.b), (Values{2, 5}));
    EXPECT_EQ(table.names, (Names{"x", "z"}));
  }
}

TEST(Csv, AnInterceptIsAColumnOfOnesAtTheEnd) {
  const Table table = read_text("x,y\n2,3\n4,5\n", rhs("y", true));
  EXPECT_EQ(values_of(*table.A), (Values{2, 1, 4, 1}));
  EXPECT_EQ(table.names, (Names{"x", "intercept"}));
  EXPECT_TRUE(read_text("2,3\n", rhs("1", true)).names.empty());
}

TEST(Csv, AnUnknownColumnIsAUsageErrorThatNamesTheClosest) {
  const Error error = error_of([] { read_text("height,weight\n1,2\n", rhs("wieght")); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(error.parts().hint.find("'weight'"), std::string::npos) << error.what();
  EXPECT_EQ(code_of([] { read_text("1,2\n", rhs("y")); }), 2);
  EXPECT_EQ(code_of([] { read_text("1,2\n", rhs("3")); }), 2);
  EXPECT_EQ(code_of([] { read_text("1,2\n", rhs("0")); }), 2);
  EXPECT_EQ(code_of([] { read_text("a,a\n1,2\n", rhs("a")); }), 2);
}

TEST(Csv, ARaggedRowIsRefusedWithLineAndCounts) {
  for (const auto* text : {"a,b\n1,2\n3\n", "a,b\n1,2\n3,4,5\n", "a,b\n1,2\n3,4,\n"}) {
    const Error error = error_of([&] { read_text(text); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(error.parts().where.find("a.csv:3"), std::string::npos) << error.what();
    EXPECT_EQ(error.parts().expected, "2") << error.what();
  }
}

TEST(Csv, MissingAndNonFiniteCellsAreRefusedWithTheirPlace) {
  for (const auto* cell : {"", "NA", "nan", "inf", "-Infinity", "1e999", "N/A", "\"\""}) {
    const Error error = error_of([&] { read_text(std::string("a,b\n1,2\n3,") + cell + "\n"); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data) << cell;
    EXPECT_NE(error.parts().where.find(":3"), std::string::npos) << error.what();
    EXPECT_NE(error.parts().what.find("column 2 (b)"), std::string::npos) << error.what();
    EXPECT_NE(error.parts().hint.find("--drop-nonfinite-rows"), std::string::npos);
  }
}

TEST(Csv, RowsWithMissingCellsCanBeDroppedAndAreCounted) {
  ReadOptions options = rhs("b");
  options.drop_nonfinite_rows = true;
  const Table table = read_text("a,b\n1,2\n,3\n4,NA\n1e999,1\n5,6\n", options);
  EXPECT_EQ(values_of(*table.A), (Values{1, 5}));
  EXPECT_EQ(values_of(table.b), (Values{2, 6}));
  EXPECT_EQ(table.dropped_rows, 3);
}

TEST(Csv, WhatIsNotANumberIsRefusedWithItsPlace) {
  for (const auto* cell : {"1.5xyz", "x", "1,5\"", "1.5d3", "\"1\"2", "1 2", "\"1"}) {
    EXPECT_EQ(code_of([&] { read_text(std::string("a;b\n1;2\n3;") + cell + "\n"); }), 65) << cell;
  }
  const Error error = error_of([] { read_text("a;b\n1;2\n3;1,5\n"); });
  EXPECT_NE(error.parts().hint.find("decimal point"), std::string::npos) << error.what();
}

TEST(Csv, NamesWithoutRowsAreRefused) {
  // A table without rows cannot be told from one that was cut off.
  for (const auto* text : {"", "\n", "# only\n", "a,b", "a,b\n"})
    EXPECT_EQ(code_of([&] { read_text(text); }), 65) << text;
}

TEST(Csv, ATextThatIsNoTableIsRefused) {
  EXPECT_EQ(code_of([] {
              read_text(
                  std::string("1,2\n3,\0"
                              "4\n",
                              9));
            }),
            65);
  EXPECT_EQ(code_of([] { read_text(std::string("a,\0b\n1,2\n", 9)); }), 65);
  EXPECT_EQ(code_of([] { read_text("\x01\x02garbage\x7f\n1\n"); }), 65);
  EXPECT_EQ(code_of([] {
              read_text(
                  std::string("\xff\xfe"
                              "1\0,\0"
                              "2\0\n\0",
                              10));
            }),
            65);
}

TEST(Csv, InspectingCountsRowsAndNamesColumns) {
  const Folder folder;
  const FileInfo info = inspect(folder.write("a.csv", "x;y\n1;2\n# c\n3;4\n"));
  EXPECT_EQ(info.rows, 2);
  EXPECT_EQ(info.cols, 2);
  EXPECT_EQ(info.names, (Names{"x", "y"}));
  EXPECT_EQ(info.note, "separated by semicolons");
  EXPECT_EQ(info.file_bytes, 16);
}

}  // namespace
}  // namespace polyak
