// What was written is read back bit by bit, in every format.

#include <cmath>
#include <random>

#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;
using Values = std::vector<double>;
using Names = std::vector<std::string>;

// Normal numbers of all sizes, with zeros and a denormal among them.
Values awkward(Index count) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Values values;
  for (Index i = 0; i < count; ++i)
    values.push_back(std::ldexp(normal(random), static_cast<int>(random() % 200) - 100));
  values[0] = 0.0;
  values[1] = 5e-324;
  values[2] = -1.7976931348623157e308;
  return values;
}

MatrixPtr some_sparse() {
  return csr_from_triplets({{0, 1, 0.1}, {2, 0, -1e300}, {2, 3, 1.0 / 3.0}, {3, 4, 7}}, 4, 5);
}

TEST(RoundTrip, OfDenseMatricesIsExact) {
  const Folder folder;
  const Index n = 3000, d = 41;
  const Values values = awkward(n * d);
  const auto A = dense_matrix(values, n, d);
  for (const auto* name : {"a.npy", "a.csv", "a.mtx", "a.mtx.gz"}) {
    write_matrix(folder / name, *A);
    const Table table = read_table(folder / name);
    EXPECT_EQ(table.A->kind(), "dense, double") << name;
    EXPECT_EQ(values_of(*table.A), values) << name;
  }
}

TEST(RoundTrip, OfSparseMatricesIsExactAndStaysSparse) {
  const Folder folder;
  const auto A = some_sparse();
  for (const auto* name : {"a.mtx", "a.mtx.gz", "a.svm"}) {
    write_matrix(folder / name, *A);
    const Table table = read_table(folder / name);
    EXPECT_EQ(table.A->kind(), A->kind()) << name;
    EXPECT_EQ(table.A->nonzeros(), A->nonzeros()) << name;
    EXPECT_EQ(values_of(*table.A), values_of(*A)) << name;
  }
  for (const auto* name : {"a.npy", "a.csv"}) {
    write_matrix(folder / name, *A);
    EXPECT_EQ(values_of(*read_table(folder / name).A), values_of(*A)) << name;
  }
}

TEST(RoundTrip, OfEverySparseStorageIsExact) {
  const Folder folder;
  const auto single = to_single(csr_from_triplets({{0, 1, 0.5}, {1, 0, 3}}, 2, 2));
  write_matrix(folder / "s.mtx", *single);
  EXPECT_EQ(values_of(*read_table(folder / "s.mtx").A), (Values{0, 0.5, 3, 0}));
  Csr<double, Index> wide{{0, 1, 2}, {1, 0}, {0.5, 3}, 2};
  write_matrix(folder / "w.mtx", *csr_matrix(std::move(wide)));
  EXPECT_EQ(values_of(*read_table(folder / "w.mtx").A), (Values{0, 0.5, 3, 0}));
}

TEST(RoundTrip, OfAWideDenseMatrixThroughColumnsIsExact) {
  const Folder folder;
  const Values values = awkward(7 * 90000);
  write_matrix(folder / "a.mtx", *dense_matrix(values, 7, 90000));
  EXPECT_EQ(values_of(*read_table(folder / "a.mtx").A), values);
}

TEST(RoundTrip, KeepsColumnNames) {
  const Folder folder;
  const Names names{"plain", "with, comma", "with \"quotes\"", "with space", "#5"};
  write_matrix(folder / "a.csv", *some_sparse(), names);
  EXPECT_EQ(read_table(folder / "a.csv").names, names);
}

TEST(RoundTrip, OfArraysIsExact) {
  const Folder folder;
  const Values values = awkward(300);
  for (Index cols : {1, 3}) {
    const Index rows = 300 / cols;
    for (const auto* name : {"x.npy", "x.csv", "x.mtx", "x.mtx.gz"}) {
      write_array(folder / name, ConstView{values.data(), rows, cols, cols});
      const Array back = read_array(folder / name);
      EXPECT_EQ(back.rows(), rows) << name;
      EXPECT_EQ(back.cols(), cols) << name;
      EXPECT_EQ(values_of(back), values) << name;
    }
  }
}

TEST(RoundTrip, OfAViewWithGapsSkipsThem) {
  const Folder folder;
  const Values values{1, 2, 99, 3, 4, 99};
  for (const auto* name : {"x.npy", "x.csv", "x.mtx"}) {
    write_array(folder / name, ConstView{values.data(), 2, 2, 3});
    EXPECT_EQ(values_of(read_array(folder / name)), (Values{1, 2, 3, 4})) << name;
  }
}

TEST(RoundTrip, OfNamedRowsReadsTheValues) {
  const Folder folder;
  const Values values{1, 2, 3, 4};
  write_array(folder / "x.csv", ConstView{values.data(), 2, 1, 1}, {"size", "a, b"});
  EXPECT_EQ(read_bytes(folder / "x.csv"), "name,value\nsize,1\n\"a, b\",2\n");
  EXPECT_EQ(values_of(read_array(folder / "x.csv")), (Values{1, 2}));
  write_array(folder / "x.csv", ConstView{values.data(), 2, 2, 2}, {"p", "q"});
  EXPECT_EQ(read_bytes(folder / "x.csv"), "name,value1,value2\np,1,2\nq,3,4\n");
  EXPECT_EQ(values_of(read_array(folder / "x.csv")), values);
  EXPECT_EQ(code_of([&] {
              write_array(folder / "x.csv", ConstView{values.data(), 2, 2, 2}, {"p"});
            }),
            2);
}

TEST(RoundTrip, OfEmptyArraysAndMatrices) {
  const Folder folder;
  for (const auto* name : {"x.npy", "x.mtx"}) {
    write_array(folder / name, ConstView{nullptr, 0, 1, 1});
    EXPECT_EQ(read_array(folder / name).rows(), 0) << name;
    write_matrix(folder / name, *dense_matrix(Values{}, 0, 4));
    EXPECT_EQ(read_table(folder / name).A->cols(), 4) << name;
    write_matrix(folder / name, *dense_matrix(Values{}, 4, 0));
    EXPECT_EQ(read_table(folder / name).A->rows(), 4) << name;
  }
}

TEST(Array, OneRowIsTakenAsOneColumn) {
  const Folder folder;
  for (const auto& path :
       {folder.write("b.csv", "1,2,3\n"),
        folder.write("b.mtx", "%%MatrixMarket matrix array real general\n1 3\n1\n2\n3\n"),
        folder.write("c.mtx",
                     "%%MatrixMarket matrix coordinate real general\n1 3 3\n1 1 1\n1 2 2\n1 3 3\n"),
        folder.write("b.npy", npy_bytes("<f8", false, "(1, 3)", raw_bytes(Values{1, 2, 3}))),
        folder.write("d.npy",
                     npy_bytes("<f4", false, "(3,)", raw_bytes(std::vector<float>{1, 2, 3})))}) {
    const Array array = read_array(path);
    EXPECT_EQ(array.rows(), 3) << path;
    EXPECT_EQ(array.cols(), 1) << path;
    EXPECT_EQ(values_of(array), (Values{1, 2, 3})) << path;
  }
}

TEST(Array, OfAnSvmFileIsItsLabels) {
  const Folder folder;
  EXPECT_EQ(values_of(read_array(folder.write("a.svm", "1 1:5\n-2 2:6\n"))), (Values{1, -2}));
}

TEST(Array, NonFiniteValuesAreRefusedUnlessKept) {
  const Folder folder;
  const auto path = folder.write("b.csv", "1\nnan\n");
  EXPECT_EQ(code_of([&] { read_array(path); }), 65);
  EXPECT_TRUE(std::isnan(read_array(path, true)(1)));
}

TEST(Array, ASparseFileIsNotLetToAskForTheMoon) {
  const Folder folder;
  const auto path =
      folder.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n9999999 9999999 0\n");
  EXPECT_EQ(code_of([&] { read_array(path); }), 65);
}

}  // namespace
}  // namespace polyak
