// HDF5: what h5py wrote, what the C library writes, and what is refused.

#include <numeric>

#include "stored_testing.hpp"

namespace polyak {
namespace {

using namespace testing;
using Values = std::vector<double>;

const Values A{-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75};

Values counting(std::size_t count) {
  Values out(count);
  std::iota(out.begin(), out.end(), 0.0);
  return out;
}

TEST(Hdf5, AMatrixThatH5pyWroteIsReadByName) {
  for (const auto* name : {":/A", ":A"}) {
    const Table table = read_table(outside("system.h5") + name);
    EXPECT_EQ(table.A->rows(), 4);
    EXPECT_EQ(values_of(*table.A), A);
    EXPECT_TRUE(table.b.empty());
  }
  EXPECT_EQ(values_of(read_array(outside("system.h5") + ":/b")), (Values{1, 2, 3, 4}));
}

TEST(Hdf5, AAndBTogetherAreASystem) {
  const Table table = read_table(outside("system.h5"));
  EXPECT_EQ(values_of(*table.A), A);
  EXPECT_EQ(values_of(table.b), (Values{1, 2, 3, 4}));
}

TEST(Hdf5, ChunksCompressionAndByteOrderAreUndone) {
  const Table table = read_table(outside("packed.h5") + ":/x/y");
  Values expected = A;
  for (double& v : expected) v *= 8;
  EXPECT_EQ(values_of(*table.A), expected);
  // The only matrix among a text and complex numbers needs no name.
  EXPECT_EQ(values_of(*read_table(outside("packed.h5")).A), expected);
}

TEST(Hdf5, ASparseGroupByColumnsIsRead) {
  const Table table = read_table(outside("sparse.h5"));
  EXPECT_EQ(table.A->nonzeros(), 3);
  EXPECT_EQ(values_of(*table.A), (Values{0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3}));
}

TEST(Hdf5, ASquareSparseGroupGoesByWhatItSays) {
  const Folder folder;
  for (const auto* kind : {"csr_matrix", "csc_matrix", ""}) {
    const std::string path = folder / (std::string("s") + kind + ".h5");
    {
      Hdf5Writer file(path);
      file.put("/M/data", {3}, {5, 6, 7});
      file.put("/M/indices", {3}, {1, 0, 1}, H5T_STD_I32LE);
      file.put("/M/indptr", {3}, {0, 1, 3}, H5T_STD_I64LE);
      file.attribute("/M", "shape", {2, 2});
      if (*kind != '\0') file.text("/M", "encoding-type", kind);
    }
    const bool columns = std::string(kind) == "csc_matrix";
    const Values expected = columns ? Values{0, 6, 5, 7} : Values{0, 5, 6, 7};
    EXPECT_EQ(values_of(*read_table(path).A), expected) << kind;
  }
}

TEST(Hdf5, ADamagedSparseGroupIsRefused) {
  struct Case {
    Values indices, starts;
    std::vector<std::int64_t> shape;
  };
  const Folder folder;
  int k = 0;
  for (const Case& c : std::vector<Case>{{{1, 0, 3}, {0, 1, 3}, {2, 3}},
                                         {{1, 0, -1}, {0, 1, 3}, {2, 3}},
                                         {{1, 0, 1}, {0, 2, 1}, {2, 3}},
                                         {{1, 0, 1}, {0, 1, 9}, {2, 3}},
                                         {{1, 0, 1}, {0, 1, 3}, {7, 3}},
                                         {{1, 0}, {0, 1, 3}, {2, 3}},
                                         {{1, 0, 1}, {0, 1, 3}, {2, std::int64_t{1} << 60}}}) {
    const std::string path = folder / ("d" + std::to_string(k++) + ".h5");
    {
      Hdf5Writer file(path);
      file.put("/M/data", {3}, {5, 6, 7});
      file.put("/M/indices", {c.indices.size()}, c.indices, H5T_STD_I32LE);
      file.put("/M/indptr", {c.starts.size()}, c.starts, H5T_STD_I64LE);
      file.attribute("/M", "shape", c.shape);
    }
    EXPECT_EQ(code_of([&] { read_table(path); }), 65) << k;
  }
}

TEST(Hdf5, EveryTypeOfPlainNumbersBecomesDoubles) {
  const Folder folder;
  const Values values{0, 1, 100, 7};
  int k = 0;
  for (hid_t type : {H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_I8LE, H5T_STD_U8LE, H5T_STD_I16BE,
                     H5T_STD_U16LE, H5T_STD_I32LE, H5T_STD_U32BE, H5T_STD_I64LE, H5T_STD_U64LE}) {
    const std::string path = folder / ("t" + std::to_string(k++) + ".h5");
    { Hdf5Writer(path).put("/x", {2, 2}, values, type); }
    EXPECT_EQ(values_of(*read_table(path).A), values) << k;
    EXPECT_FALSE(inspect(path).value_type.empty());
  }
}

TEST(Hdf5, GroupsNestedTooDeeplyAreRefusedAtOnce) {
  const Folder folder;
  const auto nested = [&](int depth) {
    const std::string path = folder / ("deep" + std::to_string(depth) + ".h5");
    std::string name;
    for (int k = 0; k < depth; ++k) name += "/g";
    Hdf5Writer(path).put(name + "/A", {2, 3}, counting(6));
    return path;
  };
  EXPECT_EQ(read_table(nested(20)).A->rows(), 2);
  const Error error = error_of([&] { read_table(nested(400)); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_NE(std::string(error.what()).find("nested too deeply"), std::string::npos) << error.what();
}

// A chunk larger than the library's usual cache is inflated once, not for every block of rows.
TEST(Hdf5, RowsOfOneLargeChunkAreReadAsWritten) {
  const Folder folder;
  const std::string path = folder / "chunk.h5";
  constexpr Index rows = 3000, cols = 3000;  // 72 MB in one chunk
  { Hdf5Writer(path).put("/A", {rows, cols}, counting(rows * cols), H5T_IEEE_F64LE, {rows, cols}); }
  const Table table = read_table(path);
  std::vector<double> row(to_size(cols));
  for (const Index i : {Index{0}, rows / 2, rows - 1}) {
    table.A->copy_rows(i, i + 1, {row.data(), 1, cols, cols});
    EXPECT_EQ(row.front(), counting(rows * cols)[to_size(i * cols)]);
  }
}

TEST(Hdf5, SeveralArraysAreNamedWhenNoneIsAskedFor) {
  const Folder folder;
  const std::string path = folder / "two.h5";
  {
    Hdf5Writer file(path);
    file.put("/first", {2, 3}, counting(6));
    file.put("/deep/second", {3, 2}, counting(6), H5T_STD_U16LE);
  }
  const Error error = error_of([&] { read_table(path); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  const std::string line = error.what();
  EXPECT_NE(line.find("/first (2 x 3, double)"), std::string::npos) << line;
  EXPECT_NE(line.find("/deep/second (3 x 2, uint16)"), std::string::npos) << line;
  const Error missing = error_of([&] { read_table(path + ":/third"); });
  EXPECT_EQ(missing.code(), ErrorCode::bad_data);
  EXPECT_NE(std::string(missing.what()).find("/first"), std::string::npos) << missing.what();
}

TEST(Hdf5, WhatIsNoMatrixIsRefusedByName) {
  const auto expect = [](const std::string& name, const char* word) {
    const Error error = error_of([&] { read_table(outside("packed.h5") + name); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  };
  expect(":/word", "text");
  expect(":/z", "complex");
  expect(":/x", "there is no array");
  const Error cube = error_of([&] { read_table(outside("exchange.h5") + ":/exchange/data"); });
  EXPECT_NE(std::string(cube.what()).find("3 x 2 x 4"), std::string::npos) << cube.what();
}

TEST(Hdf5, ABoxOfAStackIsReadWithoutTheRest) {
  const Folder folder;
  const std::string path = folder / "cube.h5";
  { Hdf5Writer(path).put("/c", {4, 3, 5}, counting(60), H5T_STD_U16LE, {2, 2, 5}); }
  const auto array = open_array(path);
  EXPECT_EQ(array->shape(), (std::vector<Index>{4, 3, 5}));
  Values box(2 * 1 * 3);
  const std::vector<Index> first{1, 2, 1}, count{2, 1, 3};
  array->read(first, count, box);
  EXPECT_EQ(box, (Values{26, 27, 28, 41, 42, 43}));
  EXPECT_EQ(array->read_all(), counting(60));
}

TEST(Hdf5, BlocksOfRowsEndAnywhereInChunks) {
  const Folder folder;
  const std::string path = folder / "tall.h5";
  const Values values = counting(30000 * 7);
  { Hdf5Writer(path).put("/c", {30000, 7}, values, H5T_IEEE_F64LE, {999, 4}); }
  EXPECT_EQ(values_of(*read_table(path).A), values);
}

TEST(Hdf5, NothingIsAlsoAMatrix) {
  const Folder folder;
  const std::string path = folder / "none.h5";
  { Hdf5Writer(path).put("/c", {0, 3}, {}); }
  EXPECT_EQ(read_table(path).A->rows(), 0);
}

TEST(Hdf5, ValuesAndLinksInOtherFilesAreRefused) {
  const Folder folder;
  const std::string path = folder / "links.h5", other = folder / "other.h5";
  { Hdf5Writer(other).put("/x", {2, 2}, {1, 2, 3, 4}); }
  {
    Hdf5Writer file(path);
    H5Lcreate_external(other.c_str(), "/x", file.id(), "/out", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/out", file.id(), "/soft", H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t size[2] = {2, 2};
    const hid_t space = H5Screate_simple(2, size, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, other.c_str(), 0, 32);
    H5Dclose(
        H5Dcreate2(file.id(), "/raw", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
  }
  for (const auto* name : {":/out", ":/soft", ":/raw", ""})
    EXPECT_EQ(code_of([&] { read_table(path + name); }), 65) << name;
}

TEST(Hdf5, ADatasetPutTogetherFromOtherFilesIsRefused) {
  const Folder folder;
  const std::string path = folder / "virtual.h5", other = folder / "other.h5";
  { Hdf5Writer(other).put("/x", {2, 2}, {1, 2, 3, 4}); }
  {
    Hdf5Writer file(path);
    const hsize_t size[2] = {2, 2};
    const hid_t space = H5Screate_simple(2, size, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(creation, space, other.c_str(), "/x", space);
    H5Dclose(
        H5Dcreate2(file.id(), "/v", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
  }
  EXPECT_EQ(code_of([&] { read_table(path + ":/v"); }), 65);
}

// A filter of number 32000 that leaves bytes as they are, known to the writer only.
TEST(Hdf5, AFilterThatIsNotKnownHereIsRefusedByItsNumber) {
  const Folder folder;
  const std::string path = folder / "filtered.h5";
  constexpr H5Z_filter_t number = 32000;
  const H5Z_class2_t nothing{H5Z_CLASS_T_VERS,
                             number,
                             1,
                             1,
                             "nothing",
                             nullptr,
                             nullptr,
                             [](unsigned, std::size_t, const unsigned*, std::size_t bytes,
                                std::size_t*, void**) { return bytes; }};
  ASSERT_GE(H5Zregister(&nothing), 0);
  {
    Hdf5Writer file(path);
    const hsize_t size[2] = {2, 2};
    const hid_t space = H5Screate_simple(2, size, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, size);
    H5Pset_filter(creation, number, H5Z_FLAG_MANDATORY, 0, nullptr);
    const hid_t data =
        H5Dcreate2(file.id(), "/f", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const double values[] = {1, 2, 3, 4};
    EXPECT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Dclose(data);
    H5Pclose(creation);
    H5Sclose(space);
  }
  H5Zunregister(number);
  try {
    (void)read_table(path + ":/f");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(error.what()).find("32000"), std::string::npos) << error.what();
  }
}

TEST(Hdf5, ALinkWithinTheFileIsFollowed) {
  const Folder folder;
  const std::string path = folder / "soft.h5";
  {
    Hdf5Writer file(path);
    file.put("/x", {2, 2}, {1, 2, 3, 4});
    H5Lcreate_soft("/x", file.id(), "/y", H5P_DEFAULT, H5P_DEFAULT);
  }
  EXPECT_EQ(values_of(*read_table(path + ":/y").A), (Values{1, 2, 3, 4}));
}

TEST(Hdf5, ALargeClaimInASmallFileIsRefusedCheaply) {
  const Folder folder;
  const std::string path = folder / "claim.h5";
  {
    Hdf5Writer file(path);
    const hsize_t size[2] = {hsize_t{1} << 30, 1000}, chunk[2] = {1000, 1000};
    const hid_t space = H5Screate_simple(2, size, nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 2, chunk);
    H5Dclose(
        H5Dcreate2(file.id(), "/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation);
    H5Sclose(space);
  }
  const ChildResult result = in_child([&] { read_table(path); });
  EXPECT_EQ(result.code, 65);
  EXPECT_LT(result.grown_mb, 64);
}

TEST(Hdf5, TheProgramsOwnErrorHandlerIsLeftAsItWas) {
  H5E_auto2_t before = nullptr, after = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  EXPECT_EQ(code_of([&] { read_table(outside("system.h5") + ":/none"); }), 65);
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  EXPECT_EQ(before, after);
}

TEST(Hdf5, AFileThatIsNotThereIsNoInput) {
  EXPECT_EQ(code_of([] { read_table("nowhere.h5:/A"); }), 66);
  EXPECT_EQ(code_of([] { open_array("nowhere.nxs"); }), 66);
}

}  // namespace
}  // namespace polyak
