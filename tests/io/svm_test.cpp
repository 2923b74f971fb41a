#include "io_testing.hpp"

namespace polyak::svm {
namespace {

using namespace testing;
using Values = std::vector<double>;

Table read_text(const std::string& text, const ReadOptions& options = {}) {
  const Folder folder;
  return read_table(folder.write("a.svm", text), options);
}

TEST(Svm, LabelsAreTheRightHandSide) {
  const Table table = read_text("# a comment\n+1 1:0.5 3:2 # tail\n-1 qid:7 2:4\n2.5\n");
  EXPECT_EQ(table.A->kind(), "csr, double, 32-bit columns");
  EXPECT_EQ(values_of(*table.A), (Values{0.5, 0, 2, 0, 4, 0, 0, 0, 0}));
  EXPECT_EQ(values_of(table.b), (Values{1, -1, 2.5}));
}

TEST(Svm, UntidyTextIsAccepted) {
  for (const auto* text : {"1 1:2 2:3", "1 1:2 2:3 \r\n", "\n\n 1\t1:2\t2:3\t\n\n",
                           "\xef\xbb\xbf"
                           "1 1:2 2:3#x"})
    EXPECT_EQ(values_of(*read_text(text).A), (Values{2, 3})) << text;
}

TEST(Svm, IndexZeroMeansCountingFromZero) {
  const Folder folder;
  const auto path = folder.write("a.svm", "1 1:2\n0 0:5 1:3\n");
  EXPECT_EQ(values_of(*read_table(path).A), (Values{0, 2, 5, 3}));
  EXPECT_EQ(inspect(path).note, "labels, indices from 0");
  EXPECT_EQ(inspect(folder.write("b.svm", "1 1:2\n")).note, "labels");
}

TEST(Svm, AnInterceptIsTheLastColumn) {
  ReadOptions options;
  options.intercept = true;
  const Table table = read_text("1 1:2\n1\n1 3:4\n", options);
  EXPECT_EQ(values_of(*table.A), (Values{2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 4, 1}));
  EXPECT_EQ(values_of(*read_text("1 0:2\n", options).A), (Values{2, 1}));
  EXPECT_EQ(values_of(*read_text("1\n2\n", options).A), (Values{1, 1}));
}

TEST(Svm, RepeatedIndicesAreSummedOrRefused) {
  EXPECT_EQ(values_of(*read_text("1 1:2 1:3 2:1\n").A), (Values{5, 1}));
  ReadOptions strict;
  strict.duplicates = Duplicates::error;
  EXPECT_EQ(code_of([&] { read_text("1 1:2 1:3\n", strict); }), 65);
}

TEST(Svm, WrongLinesAreRefusedWithTheirNumber) {
  for (const auto* line :
       {"x 1:2", "1:2", "1 2", "1 a:2", "1 1:", "1 1:x", "1 1:2x", "1 :2", "1 2:1 1:1", "1 -1:2",
        "1,2 1:1", "nan 1:1", "1 1:inf", "1 1:1e999", "1 1 :2", "1 qid"}) {
    const Error error = error_of([&] { read_text(std::string("1 1:1\n") + line + "\n"); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data) << line;
    EXPECT_NE(error.parts().where.find("a.svm:2"), std::string::npos) << error.what();
  }
  EXPECT_EQ(code_of([] { read_text(""); }), 65);
  EXPECT_EQ(code_of([] { read_text("# only\n"); }), 65);
  EXPECT_EQ(code_of([] { read_text(std::string("1 1:1 # \0\n", 10)); }), 65);
}

TEST(Svm, RowsThatAreNotFiniteCanBeDropped) {
  ReadOptions options;
  options.drop_nonfinite_rows = true;
  const Table table = read_text("1 1:2\nnan 1:3\n3 1:inf 2:1\n4 1:5\n", options);
  EXPECT_EQ(values_of(*table.A), (Values{2, 0, 5, 0}));
  EXPECT_EQ(values_of(table.b), (Values{1, 4}));
  EXPECT_EQ(table.dropped_rows, 2);
}

TEST(Svm, AnIndexThatNoSuchFileCanMeanIsRefused) {
  for (const auto* index :
       {"9223372036854775807", "9223372036854775806", "99999999999999999999", "1000000000000"})
    EXPECT_EQ(code_of([&] { read_text(std::string("1 ") + index + ":1\n"); }), 65) << index;
  EXPECT_EQ(code_of([&] { read_text("1 0:1 9223372036854775807:1\n"); }), 65);
}

}  // namespace
}  // namespace polyak::svm
