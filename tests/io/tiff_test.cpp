// TIFF stacks: every type, strips and tiles, many pages and many files.

#include <filesystem>
#include <numeric>

#include "polyak/images.hpp"
#include "stored_testing.hpp"

namespace polyak {
namespace {

using namespace testing;
using Values = std::vector<double>;

template <class T>
std::vector<T> page_of(std::size_t count, int from) {
  std::vector<T> out(count);
  for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<T>(from + static_cast<int>(k % 97));
  return out;
}
template <class T>
Values doubles(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

template <class T>
void expect_read(const TiffStyle& style) {
  const Folder folder;
  const std::string path = folder / "a.tif";
  const auto page = page_of<T>(20 * 37, std::is_signed_v<T> ? -40 : 3);
  write_tiff<T>(path, 20, 37, {page}, style);
  const Table table = read_table(path);
  EXPECT_EQ(table.A->rows(), 20);
  EXPECT_EQ(values_of(*table.A), doubles(page));
}

TEST(Tiff, EveryTypeIsReadFromStripsAndTiles) {
  for (bool tiled : {false, true}) {
    for (bool compressed : {false, true}) {
      const TiffStyle style{.tiled = tiled, .compressed = compressed};
      expect_read<float>(style);
      expect_read<double>(style);
      expect_read<std::uint8_t>(style);
      expect_read<std::int8_t>(style);
      expect_read<std::uint16_t>(style);
      expect_read<std::int16_t>(style);
      expect_read<std::uint32_t>(style);
      expect_read<std::int32_t>(style);
    }
  }
}

TEST(Tiff, PagesAreTheFirstDimensionAndReadOneByOne) {
  const Folder folder;
  const std::string path = folder / "stack.tiff";
  std::vector<std::vector<std::uint16_t>> pages;
  for (int k = 0; k < 5; ++k) pages.push_back(page_of<std::uint16_t>(6 * 4, 100 * k));
  write_tiff<std::uint16_t>(path, 6, 4, pages);
  const auto array = open_array(path);
  EXPECT_EQ(array->shape(), (std::vector<Index>{5, 6, 4}));
  Values box(2 * 2 * 2);
  const std::vector<Index> first{3, 4, 1}, count{2, 2, 2};
  array->read(first, count, box);
  EXPECT_EQ(box, (Values{317, 318, 321, 322, 417, 418, 421, 422}));
  EXPECT_EQ(inspect(path).note, "shape 5 x 6 x 4");
  EXPECT_EQ(code_of([&] { read_table(path); }), 65);  // three dimensions are no matrix
}

TEST(Tiff, AFolderAndAPatternGoByTheNumbersInNames) {
  const Folder folder;
  for (int k : {0, 1, 2, 9, 10, 11})
    write_tiff<float>(folder / ("scan_" + std::to_string(k) + ".tif"), 2, 2,
                      {{static_cast<float>(k), 0, 0, 0}});
  folder.write("notes.txt", "not an image");
  for (const std::string& path : {folder.path(), folder / "scan_*.tif"}) {
    const auto values = open_array(path)->read_all();
    ASSERT_EQ(values.size(), 24u);
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_EQ(values[4 * k], (Values{0, 1, 2, 9, 10, 11})[k]) << path;
  }
  EXPECT_EQ(code_of([&] { open_array(folder / "none_*.tif"); }), 66);
}

TEST(Tiff, WhatWasWrittenHereIsReadHere) {
  const Folder folder;
  const Values image{0.5, -1, 2, 3, 4, 5};
  write_image(folder / "i.tif", {image.data(), 2, 3, 3});
  EXPECT_EQ(values_of(read_array(folder / "i.tif")), image);
}

TEST(Tiff, ImagesThatDoNotBelongTogetherAreRefused) {
  const Folder folder;
  write_tiff<float>(folder / "a_1.tif", 2, 2, {{1, 2, 3, 4}});
  write_tiff<float>(folder / "a_2.tif", 2, 3, {{1, 2, 3, 4, 5, 6}});
  const Error error = error_of([&] { open_array(folder / "a_*.tif"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_NE(std::string(error.what()).find("2 x 3"), std::string::npos) << error.what();
  write_tiff<std::uint8_t>(folder / "rgb.tif", 2, 2, {page_of<std::uint8_t>(12, 0)},
                           {.channels = 3});
  EXPECT_NE(std::string(error_of([&] { open_array(folder / "rgb.tif"); }).what()).find("colour"),
            std::string::npos);
  EXPECT_EQ(code_of([] { open_array("nowhere.tif"); }), 66);
}

TEST(Tiff, AFileCutOffAnywhereIsRefused) {
  const Folder folder;
  const std::string path = folder / "a.tif";
  write_tiff<std::uint16_t>(path, 8, 8,
                            {page_of<std::uint16_t>(64, 0), page_of<std::uint16_t>(64, 7)});
  const std::string bytes = read_bytes(path);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    folder.write("a.tif", bytes.substr(0, length));
    ASSERT_EQ(code_of([&] { open_array(path)->read_all(); }), 65) << length;
  }
}

}  // namespace
}  // namespace polyak
