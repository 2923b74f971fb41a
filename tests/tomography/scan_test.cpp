// Scans in files: layouts of others, stacks in either order, and what does not
// fit together.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "polyak/error.hpp"
#include "polyak/tomography_scan.hpp"

namespace polyak::tomography {
namespace {

using Values = std::vector<double>;

std::string outside(const std::string& name) {
  return std::string(POLYAK_TEST_DATA) + "/files/" + name;
}

// A .npy file that is removed at the end.
class NpyFile {
 public:
  NpyFile(const std::vector<Index>& shape, const Values& values, bool fortran = false) {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() / ("polyak-scan-" + std::to_string(::getpid()) +
                                                       "-" + std::to_string(number++) + ".npy"))
                .string();
    std::string sizes;
    for (Index n : shape) sizes += std::to_string(n) + ",";
    std::string head =
        "{'descr': '<f8', 'fortran_order': " + std::string(fortran ? "True" : "False") +
        ", 'shape': (" + sizes + ")}\n";
    std::ofstream out(path_, std::ios::binary);
    out << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(head.size())
        << static_cast<char>(head.size() >> 8) << head;
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(double)));
  }
  ~NpyFile() { std::filesystem::remove(path_); }
  NpyFile(const NpyFile&) = delete;
  NpyFile& operator=(const NpyFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Values counting(Index count, double from = 0.0) {
  Values out;
  for (Index k = 0; k < count; ++k) out.push_back(from + static_cast<double>(k));
  return out;
}

std::string refusal(const ScanSource& source) {
  try {
    read_scan(source);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

TEST(Scan, OfDataExchangeIsRecognised) {
  const ScanData scan = read_scan({.path = outside("exchange.h5")});
  EXPECT_EQ(scan.layout, "Data Exchange");
  EXPECT_EQ(scan.slices, 2);
  EXPECT_EQ(scan.views, 3);
  EXPECT_EQ(scan.detectors, 4);
  // counts[view, slice, element] = 30 + 8·view + 4·slice + element.
  EXPECT_EQ(scan.values[0], 30);
  EXPECT_EQ(scan.values[4], 38);
  EXPECT_EQ(scan.values[12], 34);
  EXPECT_EQ(scan.flat, Values(8, 101.0));
  EXPECT_EQ(scan.dark, Values(8, 10.0));
  ASSERT_EQ(scan.angles.size(), 3u);
  EXPECT_DOUBLE_EQ(scan.angles[2], 2.0 * std::numbers::pi / 3.0);
}

TEST(Scan, OnlyTheSlicesAskedForAreThere) {
  const ScanData scan = read_scan({.path = outside("exchange.h5"), .slices = {{1, 2}}});
  EXPECT_EQ(scan.slices, 1);
  EXPECT_EQ(scan.values, (Values{34, 35, 36, 37, 42, 43, 44, 45, 50, 51, 52, 53}));
  EXPECT_THROW(read_scan({.path = outside("exchange.h5"), .slices = {{1, 3}}}), Error);
}

TEST(Scan, OfNxtomoIsSortedByItsImageKey) {
  const ScanData scan = read_scan({.path = outside("tomo.nxs"), .slices = {{1, 2}}});
  EXPECT_EQ(scan.layout, "NXtomo");
  EXPECT_EQ(scan.views, 3);
  // Images [dark, flat, 0, 1, 2], values 10 + 8·image + 4·slice + element.
  EXPECT_EQ(scan.dark, counting(4, 14));
  EXPECT_EQ(scan.flat, counting(4, 22));
  EXPECT_EQ(scan.values, (Values{30, 31, 32, 33, 38, 39, 40, 41, 46, 47, 48, 49}));
  EXPECT_EQ(scan.angles, (Values{0, 1, 2}));  // radians, as the file says
}

TEST(Scan, AStackIsReadInEitherOrder) {
  const NpyFile projections({3, 2, 4}, counting(24));
  Values turned;  // [slice, view, element]
  for (Index s = 0; s < 2; ++s)
    for (Index v = 0; v < 3; ++v)
      for (Index k = 0; k < 4; ++k) turned.push_back(static_cast<double>(8 * v + 4 * s + k));
  const NpyFile sinograms({2, 3, 4}, turned);
  EXPECT_EQ(read_scan({.path = projections.path(), .views = 3}).values, turned);
  EXPECT_EQ(read_scan({.path = sinograms.path(), .views = 3}).values, turned);
  const Values second(turned.begin() + 12, turned.end());
  for (const auto* file : {&projections, &sinograms})
    EXPECT_EQ(read_scan({.path = file->path(), .views = 3, .slices = {{1, 2}}}).values, second);
}

TEST(Scan, FortranOrderIsUnderstood) {
  Values by_columns(24);
  for (std::size_t v = 0; v < 3; ++v)
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t k = 0; k < 4; ++k)
        by_columns[v + 3 * (s + 2 * k)] = static_cast<double>(8 * v + 4 * s + k);
  const NpyFile fortran({3, 2, 4}, by_columns, true), plain({3, 2, 4}, counting(24));
  EXPECT_EQ(read_scan({.path = fortran.path(), .views = 3}).values,
            read_scan({.path = plain.path(), .views = 3}).values);
}

TEST(Scan, ACubeNeedsToBeToldItsOrder) {
  const NpyFile cube({2, 2, 3}, counting(12));
  EXPECT_NE(refusal({.path = cube.path(), .views = 2}).find("--order"), std::string::npos);
  const auto p = read_scan({.path = cube.path(), .order = StackOrder::projections, .views = 2});
  const auto s = read_scan({.path = cube.path(), .order = StackOrder::sinograms, .views = 2});
  EXPECT_EQ(s.values, counting(12));
  EXPECT_EQ(p.values, (Values{0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11}));
}

TEST(Scan, FieldsComeInSeveralShapes) {
  const NpyFile data({3, 2, 4}, counting(24));
  const NpyFile images({2, 2, 4}, counting(16)), slices({2, 4}, counting(8)), one({4}, counting(4));
  const auto flat = [&](const NpyFile& file) {
    return read_scan({.path = data.path(), .flat = file.path(), .views = 3, .slices = {{1, 2}}})
        .flat;
  };
  EXPECT_EQ(flat(images), counting(4, 8));  // mean of 4… and 12…
  EXPECT_EQ(flat(slices), counting(4, 4));
  EXPECT_EQ(flat(one), counting(4));
  const NpyFile wrong({2, 2, 5}, counting(20)), negative({4}, {1, 2, -3, 4});
  EXPECT_NE(refusal({.path = data.path(), .flat = wrong.path(), .views = 3}).find("does not fit"),
            std::string::npos);
  EXPECT_NE(refusal({.path = data.path(), .flat = negative.path(), .views = 3}).find("element 3"),
            std::string::npos);
}

TEST(Scan, PartsThatDoNotFitTogetherAreRefused) {
  const NpyFile data({6, 4}, counting(24)), stack({3, 2, 4}, counting(24)), four({1, 1, 1, 1}, {0}),
      empty({0, 4}, {}), nothing({3, 0, 4}, {});
  EXPECT_NE(refusal({.path = data.path(), .views = 4}).find("6 x 4"), std::string::npos);
  EXPECT_NE(refusal({.path = data.path(), .views = 3, .detectors = 5}).find("5 detectors"),
            std::string::npos);
  EXPECT_NE(refusal({.path = stack.path(), .views = 5}).find("3 x 2 x 4"), std::string::npos);
  EXPECT_NE(refusal({.path = four.path(), .views = 1}).find("dimensions"), std::string::npos);
  EXPECT_FALSE(refusal({.path = empty.path(), .views = 1}).empty());
  EXPECT_FALSE(refusal({.path = nothing.path(), .views = 3}).empty());
  EXPECT_NE(refusal({.path = outside("exchange.h5"), .views = 4}).find("4 angles"),
            std::string::npos);
}

TEST(Scan, AnUnknownLayoutIsToldWithWhatIsThere) {
  const std::string line = refusal({.path = outside("v7.mat")});
  EXPECT_NE(line.find("layout"), std::string::npos) << line;
  EXPECT_NE(line.find("A (4 x 3, float)"), std::string::npos) << line;
  EXPECT_NE(line.find("Data Exchange"), std::string::npos) << line;
}

}  // namespace
}  // namespace polyak::tomography
