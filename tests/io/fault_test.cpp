// The i-th call that writes fails, for every i until none does: whatever goes
// wrong, the target holds the old bytes or the new ones, and nothing is left
// beside it. The calls are taken from the C library by definitions of our own,
// which works because the library calls ::write and friends, never stdio.

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "io_testing.hpp"

#ifndef POLYAK_SANITIZED  // sanitizers take these calls for themselves

namespace {

int calls_until_fault = 0;  // 0: no fault
bool clumsy = false;        // every other write is interrupted, the rest are short

bool fault() {
  if (calls_until_fault == 0 || --calls_until_fault > 0) return false;
  errno = EIO;
  return true;
}

bool interrupted() {
  static bool turn = false;
  if (!clumsy || !(turn = !turn)) return false;
  errno = EINTR;
  return true;
}

std::size_t part(std::size_t size) { return clumsy && size > 1 ? size / 2 : size; }

}  // namespace

extern "C" {
ssize_t write(int fd, const void* bytes, size_t size) {
  if (fault() || interrupted()) return -1;
  return syscall(SYS_write, fd, bytes, part(size));
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  if (fault() || interrupted()) return -1;
  return syscall(SYS_pwrite64, fd, bytes, part(size), offset);
}
int fsync(int fd) { return fault() ? -1 : static_cast<int>(syscall(SYS_fsync, fd)); }
int rename(const char* from, const char* to) noexcept {
  return fault() ? -1 : static_cast<int>(syscall(SYS_rename, from, to));
}
}

namespace polyak {
namespace {

using namespace testing;

void fail_each_call(const std::string& name) {
  const Folder folder;
  const std::vector<double> values(100000, 0.1);
  const ConstView view{values.data(), 100000, 1, 1};
  write_array(folder / ("whole" + name), view);
  const std::string whole = read_bytes(folder / ("whole" + name));
  const auto path = folder.write(name, "old");
  int faults = 0;
  for (;; ++faults) {
    calls_until_fault = faults + 1;
    const int code = code_of([&] { write_array(path, view); });
    calls_until_fault = 0;
    if (code == 0) break;
    EXPECT_EQ(code, 74);
    EXPECT_EQ(folder.files().size(), 2u) << "something was left behind";
    const std::string bytes = read_bytes(path);
    EXPECT_TRUE(bytes == "old" || bytes == whole) << "half a file";
  }
  EXPECT_GE(faults, 4);  // write, fsync, rename, fsync of the folder
  EXPECT_EQ(read_bytes(path), whole);
}

TEST(Fault, InAnyCallLeavesTheOldFileOrTheNew) {
  for (const auto* name : {"x.npy", "x.csv", "x.mtx", "x.mtx.gz"}) fail_each_call(name);
}

TEST(Fault, InterruptedAndShortWritesAreCarriedOn) {
  const Folder folder;
  const std::vector<double> values(50000, 0.25);
  clumsy = true;
  write_array(folder / "x.npy", ConstView{values.data(), 50000, 1, 1});
  write_array(folder / "x.csv", ConstView{values.data(), 50000, 1, 1});
  clumsy = false;
  EXPECT_EQ(values_of(read_array(folder / "x.npy")), values);
  EXPECT_EQ(values_of(read_array(folder / "x.csv")), values);
}

}  // namespace
}  // namespace polyak

#endif
