// MATLAB files: what SciPy wrote, what matio writes, and what is refused.

#include "stored_testing.hpp"

namespace polyak::mat {
namespace {

using namespace testing;
using Values = std::vector<double>;

const Values A{-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75};
const Values S{0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3};

TEST(Mat, EveryVersionThatScipyWritesIsRead) {
  for (const auto* name : {"v4.mat", "v5.mat:A", "v7.mat:A"}) {
    const Table table = read_table(outside(name));
    EXPECT_EQ(table.A->rows(), 4) << name;
    EXPECT_EQ(values_of(*table.A), A) << name;
  }
  for (const auto* name : {"v5.mat:S", "v7.mat:S"}) {
    const Table table = read_table(outside(name));
    EXPECT_EQ(table.A->nonzeros(), 3) << name;
    EXPECT_EQ(values_of(*table.A), S) << name;
  }
  EXPECT_EQ(values_of(*read_table(outside("v7.mat:n")).A), (Values{0, 1, 2, 3, 4, 5}));
}

TEST(Mat, AAndBTogetherAreASystem) {
  const Table table = read_table(outside("v5.mat"));
  EXPECT_EQ(values_of(*table.A), A);
  EXPECT_EQ(values_of(table.b), (Values{1, 2, 3, 4}));
}

TEST(Mat, EveryVersionThatMatioWritesIsRead) {
  const Folder folder;
  for (MatVersion version : {MatVersion::v5, MatVersion::v7, MatVersion::v73}) {
    const std::string path = folder / "m.mat";
    write_mat(path,
              {{"dense", {2, 3}, {1, 4, 2, 5, 3, 6}},
               {"thin", {3, 2}, {0, 7, 0, 8, 0, 9}, true},
               {"cube", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}},
              version);
    EXPECT_EQ(values_of(*read_table(path + ":dense").A), (Values{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values_of(*read_table(path + ":thin").A), (Values{0, 8, 7, 0, 0, 9}));
    const auto cube = open_array(path + ":cube");
    EXPECT_EQ(cube->shape(), (std::vector<Index>{2, 2, 2}));
    EXPECT_EQ(cube->read_all(), (Values{1, 5, 3, 7, 2, 6, 4, 8}));  // [i][j][k], k fastest
    EXPECT_EQ(inspect(path).arrays.size(), 3u);
  }
}

TEST(Mat, WhatIsNoRealMatrixIsRefusedByName) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"z", "complex"}, {"word", "text"}, {"t", "struct"}, {"c", "cell"}, {"none", "no array"}};
  for (const auto& c : cases) {
    const Error error = error_of([&] { read_table(outside("v5.mat:" + c.first)); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(error.what()).find(c.second), std::string::npos) << error.what();
  }
}

TEST(Mat, SeveralMatricesAreNamedWhenNoneIsAskedFor) {
  const Error error = error_of([] { read_table(outside("v7.mat")); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  for (const auto* word : {"A (4 x 3, float)", "S (4 x 3, sparse double)", "n (3 x 2, int16)"})
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
}

TEST(Mat, AFileThatIsNotThereIsNoInput) {
  EXPECT_EQ(code_of([] { read_table("nowhere.mat:A"); }), 66);
}

}  // namespace
}  // namespace polyak::mat
