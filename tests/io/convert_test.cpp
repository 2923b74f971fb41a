#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;
using Values = std::vector<double>;
using Names = std::vector<std::string>;

const std::vector<std::string> endings{".csv", ".npy", ".mtx", ".mtx.gz", ".svm"};

std::string csv_table(int rows, int cols) {
  std::string text;
  for (int j = 0; j < cols; ++j) text += (j ? ",c" : "c") + std::to_string(j);
  text += '\n';
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) text += (j ? "," : "") + std::to_string(i * 0.37 - j * 1.1);
    text += '\n';
  }
  return text;
}

TEST(Convert, BetweenAllFormatsKeepsTheMatrix) {
  const Folder folder;
  const auto start = folder.write("start.csv", csv_table(300, 7));
  const Values expected = values_of(*read_table(start).A);
  for (const auto& from : endings) {
    convert(start, folder / ("from" + from));
    for (const auto& to : endings) {
      convert(folder / ("from" + from), folder / ("to" + to));
      ReadOptions options;
      if (from == ".svm" && to == ".csv") options.rhs_column = "8";  // the labels
      EXPECT_EQ(values_of(*read_table(folder / ("to" + to), options).A), expected) << from << to;
    }
  }
}

TEST(Convert, StreamedEqualsLoadedAndWritten) {
  const Folder folder;
  const auto in = folder.write("in.csv", csv_table(20000, 9));
  ReadOptions options;
  options.intercept = true;
  convert(in, folder / "streamed.npy", options);
  const Table table = read_table(in, options);
  write_matrix(folder / "loaded.npy", *table.A);
  EXPECT_EQ(read_bytes(folder / "streamed.npy"), read_bytes(folder / "loaded.npy"));
  convert(in, folder / "streamed.csv", options);
  write_matrix(folder / "loaded.csv", *table.A, table.names);
  EXPECT_EQ(read_bytes(folder / "streamed.csv"), read_bytes(folder / "loaded.csv"));
}

TEST(Convert, PutsTheRightHandSideWhereTheFormatKeepsIt) {
  const Folder folder;
  const auto in = folder.write("in.csv", "x,y,z\n1,2,3\n4,5,6\n");
  ReadOptions options;
  options.rhs_column = "x";
  convert(in, folder / "out.csv", options);
  EXPECT_EQ(read_bytes(folder / "out.csv"), "y,z,x\n2,3,1\n5,6,4\n");
  convert(in, folder / "out.svm", options);
  EXPECT_EQ(read_bytes(folder / "out.svm"), "1 1:2 2:3\n4 1:5 2:6\n");
  for (const std::string ending : {".npy", ".mtx", ".mtx.gz"}) {
    convert(in, folder / ("out" + ending), options);
    EXPECT_EQ(values_of(*read_table(folder / ("out" + ending)).A), (Values{2, 3, 5, 6}));
    EXPECT_EQ(values_of(read_array(folder / ("out_b" + ending))), (Values{1, 4})) << ending;
  }
  convert(folder / "out.svm", folder / "again.MTX");
  EXPECT_EQ(values_of(read_array(folder / "again_b.MTX")), (Values{1, 4}));
}

TEST(Convert, DropsRowsWhileStreaming) {
  const Folder folder;
  const auto in = folder.write("in.csv", "1,2\nnan,3\n4,\n5,6\n");
  EXPECT_EQ(code_of([&] { convert(in, folder / "out.npy"); }), 65);
  EXPECT_EQ(folder.files(), Names{"in.csv"});  // nothing half done is left
  ReadOptions options;
  options.drop_nonfinite_rows = true;
  convert(in, folder / "out.npy", options);
  EXPECT_EQ(values_of(*read_table(folder / "out.npy").A), (Values{1, 2, 5, 6}));
}

TEST(Convert, ToSinglePrecisionHalvesTheFile) {
  const Folder folder;
  const auto in = folder.write("in.csv", "1,2\n3,4\n");
  ReadOptions options;
  options.single = true;
  convert(in, folder / "f.npy", options);
  EXPECT_EQ(inspect(folder / "f.npy").value_type, "float");
  EXPECT_EQ(read_bytes(folder / "f.npy").size(), 128u + 16u);
  convert(folder / "f.npy", folder / "g.npy");  // floats stay floats
  EXPECT_EQ(inspect(folder / "g.npy").value_type, "float");
  EXPECT_EQ(values_of(*read_table(folder / "g.npy").A), (Values{1, 2, 3, 4}));
}

TEST(Convert, FortranOrderStreamsIntoRows) {
  const Folder folder;
  const auto in = folder.write(
      "f.npy", npy_bytes("<i4", true, "(3, 2)", raw_bytes(std::vector<int>{1, 3, 5, 2, 4, 6})));
  convert(in, folder / "c.npy");
  EXPECT_EQ(inspect(folder / "c.npy").note, "");
  EXPECT_EQ(values_of(*read_table(folder / "c.npy").A), (Values{1, 2, 3, 4, 5, 6}));
}

TEST(Convert, InPlaceIsSafe) {
  const Folder folder;
  const auto path = folder.write("a.csv", "1;2\n3;4\n");
  convert(path, path);
  EXPECT_EQ(read_bytes(path), "1,2\n3,4\n");
}

TEST(Convert, OfAFileLargerThanItsShareOfMemoryStreams) {
  const Folder folder;
  std::string lines;
  while (lines.size() < (1u << 20)) lines += "0.12345678901234567,-1.2345678901234567e-05\n";
  std::string text;
  for (int i = 0; i < 192; ++i) text += lines;
  const auto path = folder.write("big.csv", text);
  text.clear();
  text.shrink_to_fit();
  const auto result = in_child([&] { convert(path, folder / "big.npy"); });
  EXPECT_EQ(result.code, 0);
#ifndef POLYAK_SANITIZED            // sanitizers keep memory of their own beside ours
  EXPECT_LT(result.grown_mb, 110);  // 192 MB go in, given back every 64
#endif
  EXPECT_EQ(inspect(folder / "big.npy").cols, 2);
}

TEST(Convert, OptionsThatDoNotApplyAreRefused) {
  const Folder folder;
  convert(folder.write("in.csv", "1,2\n"), folder / "in.npy");
  ReadOptions options;
  options.intercept = true;
  EXPECT_EQ(code_of([&] { convert(folder / "in.npy", folder / "out.csv", options); }), 2);
  EXPECT_EQ(code_of([&] { convert(folder / "in.npy", folder / "out.xyz"); }), 2);
}

}  // namespace
}  // namespace polyak
