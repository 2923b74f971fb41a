#include <cmath>

#include "io_testing.hpp"

namespace polyak::mtx {
namespace {

using namespace testing;
using Values = std::vector<double>;

Table read_text(const std::string& text, const ReadOptions& options = {}) {
  const Folder folder;
  return read_table(folder.write("a.mtx", text), options);
}
int refusal(const std::string& text) {
  return code_of([&] { read_text(text); });
}
const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";

TEST(Mtx, CoordinatesBecomeSparseRows) {
  const Table table = read_text(coordinate + "% a comment\n\n2 3 3\n2 1 4\n1 3 -1.5e0\n1 1 +2\n");
  EXPECT_EQ(table.A->kind(), "csr, double, 32-bit columns");
  EXPECT_EQ(table.A->nonzeros(), 3);
  EXPECT_EQ(values_of(*table.A), (Values{2, 0, -1.5, 4, 0, 0}));
}

TEST(Mtx, UntidyTextIsAccepted) {
  const Values expected{2, 0, 0, 4};
  for (const auto* body :
       {"2 2 2\n1 1 2\n2 2 4", "2 2 2 \n1 1 2 \n2 2 4 ", "2\t2\t2\n1\t1\t2\n2\t2\t4\t",
        "2 2 2\r\n1 1 2\r\n2 2 4\r\n", "\n 2 2 2\n\n  1 1 2\n%x\n2   2   4\n\n\n"})
    EXPECT_EQ(values_of(*read_text(coordinate + body).A), expected) << body;
  EXPECT_EQ(values_of(*read_text("\xef\xbb\xbf%%matrixmarket MATRIX Coordinate REAL General\n"
                                 "2 2 2\n1 1 2\n2 2 4\n")
                           .A),
            expected);
}

TEST(Mtx, PatternAndIntegerAreNumbers) {
  EXPECT_EQ(
      values_of(
          *read_text("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n").A),
      (Values{0, 1, 1, 0}));
  EXPECT_EQ(
      values_of(*read_text("%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 2 -7\n").A),
      (Values{0, -7}));
}

TEST(Mtx, SymmetryIsExpanded) {
  EXPECT_EQ(
      values_of(
          *read_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 5\n").A),
      (Values{3, 5, 5, 0}));
  EXPECT_EQ(
      values_of(
          *read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n").A),
      (Values{0, -5, 5, 0}));
  EXPECT_EQ(values_of(*read_text("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n").A),
            (Values{1, 2, 2, 3}));
  EXPECT_EQ(values_of(*read_text("%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n").A),
            (Values{0, -2, 2, 0}));
}

TEST(Mtx, AnArrayGoesByColumns) {
  const Table table =
      read_text("%%MatrixMarket matrix array real general\n2 3\n1\n4\n2\n5\n3\n6\n");
  EXPECT_EQ(table.A->kind(), "dense, double");
  EXPECT_EQ(values_of(*table.A), (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(
      values_of(*read_text("%%MatrixMarket matrix array integer general\n2 3\n1 4 2\n5 3 6").A),
      (Values{1, 2, 3, 4, 5, 6}));
}

TEST(Mtx, RepeatedEntriesAreSummedOrRefused) {
  const std::string text = coordinate + "2 2 4\n1 2 1\n2 2 8\n1 1 5\n1 2 2\n";
  EXPECT_EQ(values_of(*read_text(text).A), (Values{5, 3, 0, 8}));
  EXPECT_EQ(read_text(text).A->nonzeros(), 3);
  ReadOptions strict;
  strict.duplicates = Duplicates::error;
  const Error error = error_of([&] { read_text(text, strict); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_EQ(error.parts().found, "row 1, column 2");
}

TEST(Mtx, NothingIsAlsoAMatrix) {
  for (const auto* sizes : {"0 0 0", "0 5 0", "5 0 0", "3 4 0"})
    EXPECT_EQ(read_text(coordinate + sizes).A->nonzeros(), 0) << sizes;
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real general\n0 3\n").A->cols(), 3);
}

TEST(Mtx, WrongFilesAreRefusedWithTheLine) {
  const std::vector<std::string> texts{
      "",
      "\n",
      "1 2 3\n",
      "%%MatrixMarket\n",
      "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n",
      "%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n",
      "%%MatrixMarket matrix array pattern general\n1 1\n1\n",
      "%%MatrixMarket vector array real general\n1\n1\n",
      coordinate,
      coordinate + "2 2\n1 1 1\n",
      coordinate + "2 2 1 1\n1 1 1\n",
      coordinate + "-2 2 1\n1 1 1\n",
      coordinate + "2 2 2\n1 1 1\n",
      coordinate + "2 2 1\n1 1 1\n2 2 1\n",
      coordinate + "2 2 1\n3 1 1\n",
      coordinate + "2 2 1\n1 3 1\n",
      coordinate + "2 2 1\n0 1 1\n",
      coordinate + "2 2 1\n-1 1 1\n",
      coordinate + "2 2 1\n1 1 \n",
      coordinate + "2 2 1\n1 1 1.5xyz\n",
      coordinate + "2 2 1\n1 1 1 1\n",
      coordinate + "2 2 1\n1.0 1 1\n",
      coordinate + "2 2 1\n1 1 nan\n",
      coordinate + "2 2 1\n1 1 1e999\n",
      coordinate + "2.0 2 1\n1 1 1\n",
      "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n",
      "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n",
      "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
      "%%MatrixMarket matrix array real general\n1 2\n1\n2\n3\n",
      "%%MatrixMarket matrix array real general\n1 2\n1\nx\n"};
  for (const auto& text : texts) EXPECT_EQ(refusal(text), 65) << text;
  const Error error = error_of([&] { read_text(coordinate + "2 2 2\n\n1 1 1\n% x\n2 2 1e999\n"); });
  EXPECT_NE(error.parts().where.find("a.mtx:6"), std::string::npos) << error.what();
}

TEST(Mtx, TooSmallValuesAreZeroOrDenormal) {
  EXPECT_EQ(values_of(*read_text(coordinate + "1 2 2\n1 1 1e-400\n1 2 1e-310\n").A),
            (Values{0, 1e-310}));
}

TEST(Mtx, RowsThatAreNotFiniteCanBeDroppedOrKept) {
  ReadOptions drop;
  drop.drop_nonfinite_rows = true;
  const Table sparse = read_text(coordinate + "3 2 4\n1 1 1\n2 1 nan\n2 2 7\n3 2 4\n", drop);
  EXPECT_EQ(values_of(*sparse.A), (Values{1, 0, 0, 4}));
  EXPECT_EQ(sparse.dropped_rows, 1);
  const Table dense = read_text("%%MatrixMarket matrix array real general\n3 1\n1\ninf\n3\n", drop);
  EXPECT_EQ(values_of(*dense.A), (Values{1, 3}));
  EXPECT_EQ(dense.dropped_rows, 1);
  ReadOptions keep;
  keep.keep_nonfinite = true;
  EXPECT_TRUE(std::isnan(values_of(*read_text(coordinate + "1 1 1\n1 1 nan\n", keep).A)[0]));
}

TEST(Mtx, SinglePrecisionIsKeptInFloats) {
  ReadOptions single;
  single.single = true;
  EXPECT_EQ(read_text(coordinate + "1 1 1\n1 1 2\n", single).A->kind(),
            "csr, single, 32-bit columns");
  EXPECT_EQ(read_text("%%MatrixMarket matrix array real general\n1 1\n2\n", single).A->kind(),
            "dense, single");
  EXPECT_EQ(code_of([&] { read_text(coordinate + "1 1 1\n1 1 1e200\n", single); }), 65);
}

TEST(Mtx, InspectingReadsTheHeaderOnly) {
  const Folder folder;
  const auto path = folder.write(
      "a.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n9 9 2\n1 1 5\n9 oops");
  const FileInfo info = inspect(path);
  EXPECT_EQ(info.format, "Matrix Market, coordinate");
  EXPECT_EQ(info.value_type, "integer");
  EXPECT_EQ(info.note, "symmetric");
  EXPECT_EQ(info.rows, 9);
  EXPECT_EQ(info.nonzeros, 2);
}

}  // namespace
}  // namespace polyak::mtx
