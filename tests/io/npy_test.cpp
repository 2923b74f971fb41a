#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;
using Values = std::vector<double>;

const Values six{1, 2, 3, 4, 5, 6};

TEST(Npy, DoublesAndFloatsInCOrderAreViewedWhereTheyLie) {
  const Folder folder;
  // A dictionary of such length that the values start at a multiple of 16.
  const std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }";
  const std::string padded = head + std::string(118 - head.size() - 1, ' ');
  const auto path = folder.write("a.npy", npy_bytes(padded, raw_bytes(six)));
  const Table table = read_table(path);
  EXPECT_EQ(table.A->kind(), "dense, double");
  EXPECT_EQ(values_of(*table.A), six);
  EXPECT_TRUE(table.b.empty());
  EXPECT_TRUE(table.names.empty());
  folder.write("other", "");  // the mapping does not need the name any more
  EXPECT_EQ(std::remove(path.c_str()), 0);
  EXPECT_EQ(values_of(*table.A), six);
}

// A sampled row is read by itself, so that the pages around it stay unmapped.
TEST(Npy, SingleRowsOfAFileAreReadAsTheyLieThere) {
  const Folder folder;
  const Index n = 3000, d = 7;
  Values values(to_size(n * d));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::sqrt(static_cast<double>(k));
  const std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (3000, 7), }";
  const std::string padded = head + std::string(118 - head.size() - 1, ' ');
  const auto path = folder.write("a.npy", npy_bytes(padded, raw_bytes(values)));
  const Table table = read_table(path);
  EXPECT_EQ(std::remove(path.c_str()), 0);  // what is open needs no name
  Values row(to_size(d));
  for (const Index i : {Index{0}, Index{1}, Index{1234}, n - 1}) {
    table.A->copy_rows(i, i + 1, {row.data(), 1, d, d});
    EXPECT_TRUE(std::equal(row.begin(), row.end(), values.begin() + i * d)) << i;
  }
}

TEST(Npy, ARowThatIsNoLongerInTheFileIsAnIoError) {
  const Folder folder;
  const Index n = 3000, d = 7;
  const std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (3000, 7), }";
  const std::string padded = head + std::string(118 - head.size() - 1, ' ');
  const auto path = folder.write("a.npy", npy_bytes(padded, raw_bytes(Values(to_size(n * d)))));
  const Table table = read_table(path);
  std::filesystem::resize_file(path, 5000);
  Values row(to_size(d));
  table.A->copy_rows(3, 4, {row.data(), 1, d, d});
  try {
    table.A->copy_rows(n - 1, n, {row.data(), 1, d, d});
    FAIL() << "a row came out of nowhere";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(error.parts().where, path);
  }
}

TEST(Npy, ValuesAtAnOddAddressAreCopied) {
  const Folder folder;
  const auto path = folder.write("a.npy", npy_bytes("<f8", false, "(3, 2)", raw_bytes(six)));
  EXPECT_EQ(values_of(*read_table(path).A), six);
  for (int extra = 0; extra < 9; ++extra) {
    const std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}";
    const std::vector<float> floats(six.begin(), six.end());
    const auto odd = npy_bytes(head + std::string(to_size(extra), ' '), raw_bytes(floats));
    EXPECT_EQ(values_of(*read_table(folder.write("odd.npy", odd)).A), six);
  }
}

TEST(Npy, FortranOrderIsTurnedIntoRows) {
  const Folder folder;
  const Values by_columns{1, 3, 5, 2, 4, 6};
  const auto path = folder.write("f.npy", npy_bytes("<f8", true, "(3, 2)", raw_bytes(by_columns)));
  EXPECT_EQ(values_of(*read_table(path).A), six);
  EXPECT_EQ(inspect(path).note, "Fortran order");
}

TEST(Npy, LargeFortranOrderIsTransposedBlockByBlock) {
  const Folder folder;
  const Index n = 5000, d = 37;
  Values by_columns(to_size(n * d));
  for (Index j = 0; j < d; ++j)
    for (Index i = 0; i < n; ++i)
      by_columns[to_size(j * n + i)] = static_cast<double>(1000 * i + j);
  const auto path =
      folder.write("f.npy", npy_bytes("<f8", true, "(5000, 37)", raw_bytes(by_columns)));
  const Values rows = values_of(*read_table(path).A);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j)
      ASSERT_EQ(rows[to_size(i * d + j)], static_cast<double>(1000 * i + j));
}

template <class T>
void expect_type(const std::string& descr, const std::string& name) {
  const Folder folder;
  const std::vector<T> values{T(0), T(1), T(100), T(-1)};
  const auto path = folder.write("t.npy", npy_bytes(descr, false, "(2, 2)", raw_bytes(values)));
  const Values expected{0, 1, 100, static_cast<double>(T(-1))};
  EXPECT_EQ(values_of(*read_table(path).A), expected) << descr;
  EXPECT_EQ(inspect(path).value_type, name);
}

TEST(Npy, PlainNumbersOfAllTypesAreRead) {
  expect_type<double>("<f8", "double");
  expect_type<float>("<f4", "float");
  expect_type<std::int8_t>("|i1", "int8");
  expect_type<std::int8_t>("<i1", "int8");
  expect_type<std::int16_t>("<i2", "int16");
  expect_type<std::int32_t>("<i4", "int32");
  expect_type<std::int64_t>("<i8", "int64");
  expect_type<std::uint8_t>("|u1", "uint8");
  expect_type<std::uint16_t>("<u2", "uint16");
  expect_type<std::uint32_t>("<u4", "uint32");
  const Folder folder;
  const auto path =
      folder.write("b.npy", npy_bytes("|b1", false, "(3,)", std::string("\1\0\1", 3)));
  EXPECT_EQ(values_of(read_array(path)), (Values{1, 0, 1}));
}

TEST(Npy, AllVersionsOfTheHeaderAreRead) {
  const Folder folder;
  for (int version : {1, 2, 3}) {
    const std::string head = "{\"shape\": (3L, 2L), \"fortran_order\": False, \"descr\": \"<f8\"}";
    const auto path = folder.write("v.npy", npy_bytes(head, raw_bytes(six), version));
    EXPECT_EQ(values_of(*read_table(path).A), six) << version;
  }
}

TEST(Npy, OneDimensionIsOneColumn) {
  const Folder folder;
  const auto path = folder.write("v.npy", npy_bytes("<f8", false, "(6,)", raw_bytes(six)));
  const Table table = read_table(path);
  EXPECT_EQ(table.A->rows(), 6);
  EXPECT_EQ(table.A->cols(), 1);
  EXPECT_EQ(inspect(path).note, "one dimension");
}

TEST(Npy, NothingIsAlsoAMatrix) {
  const Folder folder;
  for (const auto* shape : {"(0,)", "(0, 5)", "(5, 0)", "(0, 0)"}) {
    for (bool fortran : {false, true}) {
      const auto path = folder.write("z.npy", npy_bytes("<f8", fortran, shape, ""));
      EXPECT_TRUE(values_of(*read_table(path).A).empty()) << shape;
    }
  }
}

TEST(Npy, SinglePrecisionIsACopyInFloats) {
  const Folder folder;
  const auto path = folder.write("a.npy", npy_bytes("<f8", false, "(3, 2)", raw_bytes(six)));
  ReadOptions options;
  options.single = true;
  const Table table = read_table(path, options);
  EXPECT_EQ(table.A->kind(), "dense, single");
  EXPECT_EQ(values_of(*table.A), six);
  const auto huge =
      folder.write("h.npy", npy_bytes("<f8", false, "(1, 2)", raw_bytes(Values{1, 1e300})));
  const Error error = error_of([&] { read_table(huge, options); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_NE(error.parts().where.find("row 1, column 2"), std::string::npos) << error.what();
}

TEST(Npy, RowsThatAreNotFiniteCanBeDropped) {
  const Folder folder;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto path = folder.write(
      "a.npy", npy_bytes("<f8", false, "(3, 2)", raw_bytes(Values{1, 2, nan, 4, 5, 6})));
  ReadOptions options;
  options.drop_nonfinite_rows = true;
  const Table table = read_table(path, options);
  EXPECT_EQ(values_of(*table.A), (Values{1, 2, 5, 6}));
  EXPECT_EQ(table.dropped_rows, 1);
}

struct Refusal {
  const char* descr;
  const char* shape;
  const char* word;  // that the message must hold
};

TEST(Npy, WhatItCannotBeIsRefusedByName) {
  const Folder folder;
  std::string many = "(";
  for (int i = 0; i < 33; ++i) many += "1,";
  many += ")";
  const std::vector<Refusal> cases{{"|O", "(3, 2)", "objects"},
                                   {">f8", "(3, 2)", "big-endian"},
                                   {"<c16", "(3, 1)", "complex"},
                                   {"<U4", "(3, 2)", "type"},
                                   {"<f8", "()", "dimensions"},
                                   {"<f8", "(3, 2, 1)", "dimensions"},
                                   {"<f8", many.c_str(), "32"},
                                   {"<f8", "(-3, -2)", "integer"},
                                   {"<f8", "(3, 3)", "length"},
                                   {"<f8", "(3, 1)", "length"},
                                   {"<f8", "(4294967296, 4294967296)", "states"},
                                   {"<f8", "(4611686018427387904, 0)", "states"},
                                   {"<f8", "(99999999999999999999, 1)", "integer"},
                                   {"<f8", "(3.0, 2)", "shape"},
                                   {"<f8", "(3, 2", "integer"}};
  for (const auto& c : cases) {
    const auto path = folder.write("r.npy", npy_bytes(c.descr, false, c.shape, raw_bytes(six)));
    const Error error = error_of([&] { read_table(path); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data) << error.what();
    EXPECT_NE(std::string(error.what()).find(c.word), std::string::npos) << error.what();
  }
}

TEST(Npy, AHeaderThatIsNotNumPysIsRefused) {
  const Folder folder;
  for (const auto* head :
       {"", "{", "{}", "{'descr': '<f8'}", "[1]",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': (3, 2)}",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3, 2)}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), 'x': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)} more",
        "{'descr': '<f8' 'fortran_order': False, 'shape': (3, 2)}",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (3, 2)}"}) {
    const auto path = folder.write("r.npy", npy_bytes(std::string(head), raw_bytes(six)));
    EXPECT_EQ(code_of([&] { read_table(path); }), 65) << head;
  }
  EXPECT_EQ(code_of([&] { read_table(folder.write("v.npy", npy_bytes("{}", "", 4))); }), 65);
}

TEST(Npy, OptionsOfOtherFormatsAreUsageErrors) {
  const Folder folder;
  const auto path = folder.write("a.npy", npy_bytes("<f8", false, "(3, 2)", raw_bytes(six)));
  ReadOptions rhs;
  rhs.rhs_column = "1";
  EXPECT_EQ(code_of([&] { read_table(path, rhs); }), 2);
  ReadOptions intercept;
  intercept.intercept = true;
  EXPECT_EQ(code_of([&] { read_table(path, intercept); }), 2);
}

}  // namespace
}  // namespace polyak
