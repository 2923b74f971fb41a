// Rows on the disk and the process that opened them.

#include <sys/wait.h>
#include <unistd.h>

#include "io/disk/disk_matrix.hpp"
#include "io/file.hpp"
#include "io_testing.hpp"
#include "polyak/row_matrix.hpp"
#include "support/sanitized.hpp"

namespace polyak::test::disk_process {
using namespace polyak::internal;

namespace {

using testing::error_of;
using testing::Folder;
using testing::raw_bytes;

const std::vector<io::Reader> readers = {io::Reader::automatic, io::Reader::threads};

struct File {
  explicit File(Index n, Index d) : rows(n), cols(d), values(to_size(n * d)) {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k % 1009);
    path = folder.write("rows", raw_bytes(values));
  }
  MatrixPtr open(io::Reader reader) const {
    return io::disk_matrix({path, 0, rows, cols, false}, {.reader = reader, .buffer_bytes = 1e6});
  }

  Folder folder;
  Index rows, cols;
  std::vector<double> values;
  std::string path;
};

std::vector<double> row(const RowMatrix& A, Index i) {
  std::vector<double> out(to_size(A.cols()));
  A.copy_rows(i, i + 1, View{out.data(), 1, A.cols(), A.cols()});
  return out;
}

// The allocators of the sanitizers may be locked by another thread at a fork, and then stay so in
// the child.
#ifndef POLYAK_SANITIZED
// Reads are in progress, and threads wait, at the moment of the fork.
TEST(DiskProcess, AForkedProcessIsToldThatItCannotReadAndEnds) {
  const File file(4000, 50);
  for (const io::Reader reader : readers) {
    MatrixPtr A = file.open(reader);
    const std::vector<double> expected = row(*A, 17);
    A->expect_range(0, 4000);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(30);
      bool refused = false;
      try {
        (void)row(*A, 18);
      } catch (const Error& error) {
        refused = error.code() == ErrorCode::io;
      }
      A.reset();
      const bool reads = row(*file.open(reader), 17) == expected;
      ::_exit(refused && reads ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(row(*A, 17), expected) << "of the parent";
  }
}
#endif

TEST(DiskProcess, AFileThatReplacedTheOneWithTheHeaderIsRefused) {
  const File file(10, 3);
  const auto header = io::MappedFile::open(file.path);
  io::DiskValues values{file.path, 0, 10, 3, false, header->identity()};
  EXPECT_EQ(row(*io::disk_matrix(values, {}), 1), (std::vector<double>{3.0, 4.0, 5.0}));
  const std::string other = file.folder.write("other", std::string(240, '\0'));
  ASSERT_EQ(std::rename(other.c_str(), file.path.c_str()), 0);
  EXPECT_EQ(error_of([&] { io::disk_matrix(values, {}); }).code(), ErrorCode::io);
}

}  // namespace
}  // namespace polyak::test::disk_process
