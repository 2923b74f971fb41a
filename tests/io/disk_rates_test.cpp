// The rates of a disk: when they are measured, and which ones are used.

#include "io/disk/disk_rates.hpp"

#include <cmath>
#include <filesystem>

#include "io_testing.hpp"

namespace polyak::test::disk_rates {
namespace {

using testing::Folder;

// A header of .npy whose length is a multiple of 64, so that the values are aligned.
std::string padded(std::string head) {
  const std::size_t more = (64 - head.size() % 64) % 64;
  head.insert(head.size() - 1, more, ' ');  // before the end of the line
  const std::size_t length = head.size() - 10;
  head[8] = static_cast<char>(length % 256);
  head[9] = static_cast<char>(length / 256);
  return head;
}

// An .npy of zeros, most of it a hole.
std::string zeros(const Folder& folder, Index rows, Index cols) {
  const std::string path = folder / "A.npy";
  const std::string shape = "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")";
  const std::string head = padded(testing::npy_bytes("<f8", false, shape, ""));
  folder.write("A.npy", head);
  std::filesystem::resize_file(path, head.size() + to_size(8 * rows * cols));
  return path;
}

std::optional<DiskRates> rates_of(const std::string& path, ReadOptions options = {}) {
  options.storage = Storage::disk;
  options.memory_bytes = 1e8;
  return disk_use(*read_table(path, options).A)->rates;
}

bool is_step(double rate, double centre) {
  const double steps = 0.5 * std::log2(rate / centre);
  return std::isfinite(steps) && std::abs(steps - std::round(steps)) < 1e-9;
}

TEST(disk_rates, are_measured_on_the_file_in_steps_of_four) {
  const Folder folder;
  for (const Index cols : {1, 10, 3000}) {
    const auto rates = rates_of(zeros(folder, 4000000 / cols, cols));
    ASSERT_TRUE(rates) << cols;
    EXPECT_TRUE(is_step(rates->sweep_bytes, io::rounded_rate(1.0, 1.1e9))) << rates->sweep_bytes;
    EXPECT_TRUE(is_step(rates->single_rows, io::rounded_rate(1.0, 4.9e4))) << rates->single_rows;
  }
}

TEST(disk_rates, are_rounded_to_the_nearest_step) {
  EXPECT_DOUBLE_EQ(io::rounded_rate(1.0, 1.0), 1.0);
  EXPECT_DOUBLE_EQ(io::rounded_rate(1.9, 1.0), 1.0);
  EXPECT_DOUBLE_EQ(io::rounded_rate(2.1, 1.0), 4.0);
  EXPECT_DOUBLE_EQ(io::rounded_rate(0.51, 1.0), 1.0);
  EXPECT_DOUBLE_EQ(io::rounded_rate(0.49, 1.0), 0.25);
  EXPECT_DOUBLE_EQ(io::rounded_rate(7e9, 1.1e9), 4.4e9);
}

TEST(disk_rates, are_not_measured_where_they_mean_little_or_may_differ) {
  const Folder folder;
  EXPECT_FALSE(rates_of(zeros(folder, 1000, 100)));   // 0.8 MB
  EXPECT_FALSE(rates_of(zeros(folder, 16, 140000)));  // rows of more than a megabyte
  ReadOptions ranks;
  ranks.processes = 2;
  EXPECT_FALSE(rates_of(zeros(folder, 400000, 10), ranks));
}

TEST(disk_rates, that_are_given_replace_measured_ones) {
  const Folder folder;
  const std::string small = zeros(folder, 1000, 100);
  ReadOptions given;
  given.disk_sweep_bytes = 123.0;
  EXPECT_FALSE(rates_of(small, given));  // the other one is not known
  given.disk_single_rows = 45.0;
  ASSERT_TRUE(rates_of(small, given));
  EXPECT_EQ(rates_of(small, given)->sweep_bytes, 123.0);
  EXPECT_EQ(rates_of(small, given)->single_rows, 45.0);
  const std::string large = zeros(folder, 400000, 10);
  given.disk_single_rows.reset();
  ASSERT_TRUE(rates_of(large, given));
  EXPECT_EQ(rates_of(large, given)->sweep_bytes, 123.0);
  EXPECT_TRUE(is_step(rates_of(large, given)->single_rows, 4.9e4));
}

TEST(disk_rates, sweeps_are_counted) {
  const Folder folder;
  ReadOptions options;
  options.storage = Storage::disk;
  options.memory_bytes = 1e8;
  const MatrixPtr A = read_table(zeros(folder, 40000, 20), options).A;
  EXPECT_EQ(disk_use(*A)->sweeps, 0.0);
  EXPECT_EQ(A->max_abs(0, 20000), 0.0);
  EXPECT_DOUBLE_EQ(disk_use(*A)->sweeps, 0.5);
  EXPECT_EQ(A->max_abs(0, 40000), 0.0);
  EXPECT_DOUBLE_EQ(disk_use(*A)->sweeps, 1.5);
}

}  // namespace
}  // namespace polyak::test::disk_rates
