// Pages of large mapped files are dropped, and their numbers stay what they are.

#include "core/file_pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>

#include "support/sanitized.hpp"

namespace polyak::test {
namespace {

double resident_bytes() {
  double size = 0.0, resident = 0.0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// A file of holes with a few numbers, mapped.
class Mapped {
 public:
  explicit Mapped(std::size_t bytes) : bytes_(bytes) {
    char name[] = "file_pages_XXXXXX";
    const int file = ::mkstemp(name);
    ::unlink(name);
    EXPECT_EQ(::ftruncate(file, static_cast<off_t>(bytes)), 0);
    const double number = 7.0;
    for (std::size_t at = 0; at + 8 <= bytes; at += bytes / 16)
      EXPECT_EQ(::pwrite(file, &number, 8, static_cast<off_t>(at / 8 * 8)), 8);
    memory_ = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    ::close(file);
    add_file_pages(memory_, bytes);
  }
  ~Mapped() {
    forget_file_pages(memory_);
    ::munmap(memory_, bytes_);
  }
  std::span<const double> numbers() const {
    return {static_cast<const double*>(memory_), bytes_ / sizeof(double)};
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

constexpr std::size_t large = 3 * kept_file_bytes;

// A sanitizer's own memory for the pages stays.
void expect_dropped(double resident, double before) {
#if !defined(POLYAK_SANITIZED)
  EXPECT_LT(resident, before + 0.1 * static_cast<double>(large));
#else
  (void)resident, (void)before;
#endif
}

double sum(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

TEST(FilePages, OfNumbersReadInTheirOrderAreDroppedBehind) {
  const Mapped file(large);
  const double before = resident_bytes(), expected = sum(file.numbers());
  EXPECT_GT(expected, 100.0);
  EXPECT_GT(resident_bytes(), before + 0.9 * static_cast<double>(large));
  drop_file_pages(file.numbers().data(), large);
  expect_dropped(resident_bytes(), before);
  double found = 0.0, most = 0.0;
  for_parts(file.numbers(), [&](std::span<const double> part, Index first) {
    EXPECT_EQ(part.data(), file.numbers().data() + first);
    found += sum(part);
    most = std::max(most, resident_bytes());
  });
  EXPECT_EQ(found, expected);
  expect_dropped(most, before);
}

TEST(FilePages, OfSinglePlacesAreDroppedOnceThereWereMany) {
  const Mapped file(large);
  const double before = resident_bytes(), expected = sum(file.numbers());
  EXPECT_GT(resident_bytes(), before + 0.9 * static_cast<double>(large));
  for (int i = 0; i < 100; ++i) count_file_places(&file.numbers()[to_size(1000 * i)], 100);
  expect_dropped(resident_bytes(), before);
  EXPECT_EQ(sum(file.numbers()), expected);
}

// From row 1000 on, in rows of three numbers.
TEST(FilePages, OfAPartAreDroppedInThisPartOnly) {
  const Mapped file(large);
  const double expected = sum(file.numbers());
  PagesBehind behind(file.numbers().data(), 24, 1000);
  for (Index row = 1000; row < 2'000'000; row += 1000) behind.used_up_to(row);
  EXPECT_EQ(sum(file.numbers()), expected);
  behind.used_up_to(std::ssize(file.numbers()) / 3);
  EXPECT_EQ(sum(file.numbers()), expected);
}

TEST(FilePages, OfOtherMemoryAreLeftAlone) {
  std::vector<double> numbers(large / sizeof(double), 3.0);
  const Mapped file(large);
  EXPECT_FALSE(in_file_pages(numbers.data()));
  EXPECT_FALSE(in_file_pages(nullptr));
  EXPECT_TRUE(in_file_pages(&file.numbers().back()));
  drop_file_pages(numbers.data(), large);
  count_file_places(numbers.data(), 1 << 20);
  for_parts(numbers, [](std::span<const double>, Index) {});
  EXPECT_EQ(sum(numbers), 3.0 * static_cast<double>(numbers.size()));
  const Mapped small(1 << 20);
  EXPECT_FALSE(in_file_pages(small.numbers().data()));
}

TEST(FilePages, OfAFileThatIsClosedAreForgotten) {
  const void* memory = nullptr;
  {
    const Mapped file(large);
    memory = file.numbers().data();
    EXPECT_TRUE(in_file_pages(memory));
  }
  EXPECT_FALSE(in_file_pages(memory));
}

}  // namespace
}  // namespace polyak::test
