// The files themselves: what is not there, what cannot be written, and that no
// reader ever sees half a file.

#include "io/file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "io_testing.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

using namespace testing;
using io::MappedFile;
using io::OutputFile;
using Names = std::vector<std::string>;

mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST(Input, ThatIsNotThereOrADirectoryIsNoInput) {
  const Folder folder;
  EXPECT_EQ(code_of([&] { read_table(folder / "none.npy"); }), 66);
  EXPECT_EQ(code_of([&] { read_table(folder / "none/none.npy"); }), 66);
  EXPECT_EQ(code_of([&] { MappedFile::open(folder.path()); }), 66);
  std::filesystem::create_directory(folder / "dir.csv");
  EXPECT_EQ(code_of([&] { read_table(folder / "dir.csv"); }), 66);
}

TEST(Input, WithoutTheRightToReadIsNoInput) {
  const Folder folder;
  const auto path = folder.write("a.csv", "1\n");
  ::chmod(path.c_str(), 0);
  ::chmod(folder.path().c_str(), 0755);
  const auto result = in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(1);
    read_table(path);
  });
  EXPECT_EQ(result.code, 66);
}

TEST(Input, OfUnknownEndingIsAUsageErrorThatListsTheEndings) {
  const Error error = error_of([] { read_table("data.xlsx"); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_NE(error.parts().expected.find(".mtx.gz"), std::string::npos);
  EXPECT_EQ(code_of([] { write_text("", ""); }), 74);
}

TEST(Input, IsMappedAndOutlivesItsName) {
  const Folder folder;
  const auto path = folder.write("x", "hello");
  const auto file = MappedFile::open(path);
  ::unlink(path.c_str());
  file->release_before(5);
  EXPECT_EQ(file->bytes(), "hello");
  EXPECT_EQ(file->size(), 5);
}

TEST(Input, ThatCannotBeMappedIsRead) {
  EXPECT_EQ(MappedFile::open("/dev/null")->size(), 0);
  EXPECT_GT(MappedFile::open("/proc/self/status")->size(), 100);
  const Folder folder;
  EXPECT_EQ(MappedFile::open(folder.write("empty", ""))->size(), 0);
}

TEST(Input, ThatFailsWhileBeingReadIsAnIoError) {
  EXPECT_EQ(code_of([] { MappedFile::open("/proc/self/mem"); }), 74);  // nothing lies at address 0
}

// Standard input in a child: a pipe filled with this text.
ChildResult with_input(const std::string& text, const std::function<void()>& call) {
  return in_child([&] {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0 || ::write(ends[1], text.data(), text.size()) < 0) ::_exit(1);
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    call();
  });
}

TEST(Input, FromStandardInputIsRecognisedByItsFirstBytes) {
  const auto require = [](const std::string& kind, Index rows) {
    const Table table = read_table("-");
    if (!table.A->kind().starts_with(kind) || table.A->rows() != rows) ::_exit(1);
  };
  EXPECT_EQ(with_input("a,b\n1,2\n", [&] { require("dense", 1); }).code, 0);
  EXPECT_EQ(with_input("# c\n1 2:3\n2 1:1\n", [&] { require("csr", 2); }).code, 0);
  EXPECT_EQ(with_input("%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n",
                       [&] { require("dense", 3); })
                .code,
            0);
  EXPECT_EQ(with_input(gzip_bytes("%%MatrixMarket matrix coordinate real general\n4 1 0\n"),
                       [&] { require("csr", 4); })
                .code,
            0);
  EXPECT_EQ(with_input(npy_bytes("<f8", false, "(0, 2)", ""), [&] { require("dense", 0); }).code,
            0);
  EXPECT_EQ(with_input("", [&] { read_table("-"); }).code, 65);
}

TEST(Output, IsThereWholeOrNotAtAll) {
  const Folder folder;
  {
    OutputFile file(folder / "x.txt");
    file.write("half");
    EXPECT_FALSE(std::filesystem::exists(folder / "x.txt"));
  }
  EXPECT_TRUE(folder.files().empty());
  write_text(folder / "x.txt", "whole");
  EXPECT_EQ(folder.files(), Names{"x.txt"});
  EXPECT_EQ(read_bytes(folder / "x.txt"), "whole");
}

TEST(Output, HeaderCanBeRewrittenBeforeTheCommit) {
  const Folder folder;
  OutputFile file(folder / "x");
  file.write("????:data");
  file.write_at(0, "head");
  file.commit();
  EXPECT_EQ(read_bytes(folder / "x"), "head:data");
}

TEST(Output, OnAFullDiskLeavesTheOldFileAndNoOther) {
  const Folder folder;
  const auto path = folder.write("x.csv", "old");
  const auto result = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    write_array(path, ConstView{std::vector<double>(10000, 0.1).data(), 10000, 1, 1});
  });
  EXPECT_EQ(result.code, 74);
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(folder.files(), Names{"x.csv"});
}

TEST(Output, ToAFullDeviceSaysSo) {
  const Error error = error_of([] { write_text("/dev/full", "x"); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_NE(error.parts().what.find("no room"), std::string::npos);
  EXPECT_NE(error.parts().found.find("after 0 bytes"), std::string::npos) << error.what();
  write_text("/dev/null", "x");
}

TEST(Output, IntoAPlaceThatCannotBeWrittenIsAnIoError) {
  const Folder folder;
  folder.write("plain", "");
  EXPECT_EQ(code_of([&] { write_text(folder / "none/x", ""); }), 74);
  EXPECT_EQ(code_of([&] { write_text(folder / "plain/x", ""); }), 74);
  EXPECT_EQ(code_of([&] { write_text(folder.path(), ""); }), 74);
  ::chmod(folder.path().c_str(), 0555);
  const auto result = in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(1);
    write_text(folder / "x", "");
  });
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(result.code, 74);
  EXPECT_EQ(folder.files(), Names{"plain"});
}

TEST(Output, HonoursTheUmaskAndKeepsPrivateFilesPrivate) {
  const Folder folder;
  const mode_t before = ::umask(027);
  write_text(folder / "new", "x");
  write_text(folder / "private", "x");
  ::chmod((folder / "private").c_str(), 0600);
  ::umask(0);
  write_text(folder / "private", "y");
  ::umask(before);
  EXPECT_EQ(mode_of(folder / "new"), 0640u);
  EXPECT_EQ(mode_of(folder / "private"), 0600u);
  EXPECT_EQ(read_bytes(folder / "private"), "y");
}

TEST(Output, ThroughALinkReplacesWhatItPointsTo) {
  const Folder folder;
  folder.write("real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  write_text(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "real"), "new");
}

TEST(Output, InAFolderWithSpacesAndALongNameWorks) {
  const Folder folder;
  std::filesystem::create_directory(folder / "a folder");
  const std::string path = folder / ("a folder/" + std::string(250, 'n') + ".csv");
  write_array(path, ConstView{std::vector<double>{1}.data(), 1, 1, 1});
  EXPECT_EQ(read_bytes(path), "1\n");
}

TEST(Output, ToStandardOutputIsCsv) {
  const Folder folder;
  const auto result = in_child([&] {
    const int fd = ::open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(fd, STDOUT_FILENO);
    write_array("-", ConstView{std::vector<double>{1, 2, 3, 4}.data(), 2, 2, 2});
    write_text("/dev/stdout", "more");
  });
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(read_bytes(folder / "out"), "1,2\n3,4\nmore");
}

TEST(Output, WhoseReaderHasGoneIsAnIoErrorThatSaysSo) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto result = in_child([] {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) ::_exit(1);
    ::close(ends[0]);
    ::dup2(ends[1], STDOUT_FILENO);
    const Error error = error_of([] { write_text("-", "x"); });
    if (error.parts().found != "broken pipe") ::_exit(1);
    throw Error(error);
  });
  std::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(result.code, 74);
}

}  // namespace
}  // namespace polyak
