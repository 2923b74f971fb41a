// More than 2^31 entries: 24 GB that are mostly holes, of which only a few
// rows are touched.

#include <fcntl.h>
#include <unistd.h>

#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;

constexpr Index rows = 3'000'000;
constexpr Index cols = 1000;

class HoleyFile {
 public:
  explicit HoleyFile(const std::string& path) : fd_(::open(path.c_str(), O_RDWR | O_CREAT, 0600)) {
    const std::string head = "{'descr': '<f8', 'fortran_order': False, 'shape': (3000000, 1000), }";
    const std::string header = npy_bytes(head + std::string(117 - head.size(), ' '), "");
    size_ = static_cast<Index>(header.size()) + rows * cols * 8;
    made_ = ::ftruncate(fd_, size_) == 0 &&
            ::pwrite(fd_, header.data(), header.size(), 0) == static_cast<ssize_t>(header.size());
  }
  ~HoleyFile() { ::close(fd_); }
  HoleyFile(const HoleyFile&) = delete;
  HoleyFile& operator=(const HoleyFile&) = delete;

  bool made() const { return made_; }
  void put(Index row, Index col, double value) const {
    const Index offset = size_ - (rows * cols - (row * cols + col)) * 8;
    ASSERT_EQ(::pwrite(fd_, &value, sizeof value, offset), static_cast<ssize_t>(sizeof value));
  }

 private:
  int fd_;
  Index size_ = 0;
  bool made_ = false;
};

TEST(Large, EntriesBeyondTwoToThe31AreWhereTheyBelong) {
  const Folder folder;
  const HoleyFile file(folder / "large.npy");
  if (!file.made()) GTEST_SKIP() << "this file system cannot hold a file with holes of 24 GB";
  const Index edge = (Index{1} << 31) / cols;  // the row that entry 2^31 lies in
  const Index column = (Index{1} << 31) % cols;
  file.put(edge, column - 1, 1.5);
  file.put(edge, column, 2.5);
  file.put(edge + 1, 0, 3.5);
  file.put(rows - 1, cols - 1, 4.5);

  const Table table = read_table(folder / "large.npy");
  EXPECT_EQ(table.A->nonzeros(), rows * cols);
  std::vector<double> block(to_size(3 * cols));
  const View view{block.data(), 3, cols, cols};
  table.A->copy_rows(edge - 1, edge + 2, view);
  EXPECT_EQ(view(0, cols - 1), 0.0);
  EXPECT_EQ(view(1, column - 1), 1.5);
  EXPECT_EQ(view(1, column), 2.5);
  EXPECT_EQ(view(2, 0), 3.5);
  table.A->copy_rows(rows - 1, rows, view);
  EXPECT_EQ(view(0, cols - 1), 4.5);
  EXPECT_EQ(inspect(folder / "large.npy").nonzeros, rows * cols);
}

}  // namespace
}  // namespace polyak
