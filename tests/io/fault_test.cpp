// The i-th call that writes fails, for every i until none does: whatever goes
// wrong, the target holds the old bytes or the new ones, and nothing is left
// beside it. The same where a signal ends the process right after a file was
// made or renamed. The calls are taken from the C library by definitions of our
// own, which works because the library calls ::write and friends, never stdio.

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>

#include "io_testing.hpp"
#include "polyak/files.hpp"
#include "polyak/signal_safe.hpp"

#ifndef POLYAK_SANITIZED  // sanitizers take these calls for themselves

namespace {

int calls_until_fault = 0;   // 0: no fault
int calls_until_signal = 0;  // 0: no signal
bool clumsy = false;         // every other write is interrupted, the rest are short

bool fault() {
  if (calls_until_fault == 0 || --calls_until_fault > 0) return false;
  errno = EIO;
  return true;
}

void signal_after(bool done) {
  if (done && calls_until_signal > 0 && --calls_until_signal == 0) std::raise(SIGTERM);
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
  const int out = fault() ? -1 : static_cast<int>(syscall(SYS_rename, from, to));
  signal_after(out == 0);
  return out;
}
int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  const int out = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  signal_after(out >= 0 && (flags & O_EXCL) != 0);
  return out;
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

// Runs the call in a child that a signal reaches right after the n-th file was made or renamed, and
// ends as it ends the program. Its exit code.
int with_signal(int n, const std::function<void()>& call) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGTERM, [](int) {
      remove_unfinished_outputs();
      ::_exit(143);
    });
    calls_until_signal = n;
    ::_exit(code_of(call));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Signal, RightAfterAFileWasMadeLeavesNothing) {
  const Folder folder;
  EXPECT_EQ(with_signal(1, [&] { write_text(folder / "x.csv", "1"); }), 143);
  EXPECT_TRUE(folder.files().empty());
}

TEST(Signal, LeavesAllFilesThatBelongTogetherOrNone) {
  constexpr int calls = 4;  // two files are made, two are renamed
  for (int n = 1; n <= calls + 1; ++n) {
    const Folder folder;
    const auto in = folder.write("in.svm", "1 1:2\n3 2:1\n");
    folder.write("o.npy", "old");
    const int code = with_signal(n, [&] { convert(in, folder / "o.npy"); });
    EXPECT_EQ(code, n <= calls ? 143 : 0) << n;
    const bool is_old = read_bytes(folder / "o.npy") == "old";
    EXPECT_EQ(is_old, n <= 2) << n;
    EXPECT_EQ(folder.files().size(), is_old ? 2u : 3u) << n;
  }
}

TEST(Fault, InOneOfSeveralFilesLeavesNone) {
  const Folder folder;
  const std::vector<double> values(100, 0.1);
  const ConstView view{values.data(), 100, 1, 1};
  for (calls_until_fault = 1;; ++calls_until_fault) {
    const int at = calls_until_fault;
    const int code = code_of([&] {
      OutputSet together;
      write_array(folder / "x.npy", view);
      write_text(folder / "y.txt", "y");
      together.commit();
    });
    const bool reached = calls_until_fault <= 0;
    calls_until_fault = at;
    if (!reached) break;
    EXPECT_EQ(code, 74);
    // Only the second rename, and what comes after it, can leave the first file.
    EXPECT_TRUE(folder.files().empty() || at >= 7) << "call " << at;
    for (const auto& name : folder.files()) ::unlink((folder / name).c_str());
  }
  calls_until_fault = 0;
  EXPECT_EQ(folder.files().size(), 2u);
}

}  // namespace
}  // namespace polyak

#endif
