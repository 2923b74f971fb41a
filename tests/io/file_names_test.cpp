// Which file a name stands for, and outputs that are refused because of it.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "io_testing.hpp"
#include "polyak/files.hpp"

namespace polyak {
namespace {

using namespace testing;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

TEST(FileNames, OfOneFileAreTheSame) {
  const Folder folder;
  const auto a = folder.write("a", "1");
  fs::create_symlink("a", folder / "soft");
  fs::create_hard_link(a, folder / "hard");
  fs::create_symlink("new", folder / "dangling");
  for (const auto* name : {"soft", "hard", "../", "./a"}) {
    const std::string other =
        std::string(name) == "../"
            ? folder / ("../" + fs::path(folder.path()).filename().string() + "/a")
            : folder / name;
    EXPECT_TRUE(same_file(a, other)) << other;
  }
  EXPECT_TRUE(same_file(folder / "new", folder / "dangling"));
  EXPECT_TRUE(same_file(folder / "none/x", folder / "none/../none/x"));
  EXPECT_FALSE(same_file(a, folder / "new"));
  EXPECT_FALSE(same_file(folder / "new", folder / "newer"));
  EXPECT_EQ(without_links(folder / "dangling"), folder / "new");
  EXPECT_EQ(without_links(a), a);
}

TEST(FileNames, OfStreamsAreToldByWhatIsThere) {
  const Folder folder;
  ::mkfifo((folder / "pipe").c_str(), 0600);
  for (const std::string& name :
       {std::string("-"), std::string("/dev/null"), std::string("/dev/stdout"), folder / "pipe"})
    EXPECT_TRUE(is_stream(name)) << name;
  for (const std::string& name : {std::string("/dev/no-such-device"), std::string("/dev/shm"),
                                  folder.write("a", "1"), folder / "none", folder.path()})
    EXPECT_FALSE(is_stream(name)) << name;
}

TEST(FileNames, OfDescriptorsAreFollowed) {
  const Folder folder;
  const int fd = ::open(folder.write("a", "").c_str(), O_WRONLY);
  const std::string number = std::to_string(fd);
  fs::create_symlink("/dev/fd/" + number, folder / "link");
  for (const std::string& name : {"/dev/fd/" + number, "/proc/self/fd/" + number,
                                  "/proc/thread-self/fd/" + number, folder / "link"}) {
    EXPECT_EQ(descriptor_of(name), fd) << name;
    EXPECT_TRUE(is_stream(name) && same_file(name, folder / "a")) << name;
  }
  for (const std::string& name :
       {folder / "a", folder / "1", std::string("1"), std::string("/proc/1")})
    EXPECT_EQ(descriptor_of(name), std::nullopt) << name;
  EXPECT_EQ(descriptor_of("/dev/stdout"), STDOUT_FILENO);
  ::close(fd);
}

// Before what is written there, there may be something else.
TEST(FileNames, OfDescriptorsAreWrittenFromWhereTheyAre) {
  const Folder folder;
  const int fd = ::open(folder.write("a", "before ").c_str(), O_RDWR);
  ::lseek(fd, 0, SEEK_END);
  fs::create_symlink("/dev/fd/" + std::to_string(fd), folder / "link.npy");
  write_text(folder / "link.npy", "and after ");
  const std::vector<double> one{1.0};
  write_array(folder / "link.npy", ConstView{one.data(), 1, 1, 1});
  ::close(fd);
  write_array(folder / "b.npy", ConstView{one.data(), 1, 1, 1});
  EXPECT_EQ(read_bytes(folder / "a"), "before and after " + read_bytes(folder / "b.npy"));
}

TEST(Outputs, ThatReplaceAnInputOrEachOtherAreRefused) {
  const Folder folder;
  const auto a = folder.write("a.h5", "1"), link = folder / "link";
  fs::create_symlink("a.h5", link);
  EXPECT_EQ(code_of([&] { check_outputs({a + ":/x"}, {link}); }), 2);
  EXPECT_EQ(code_of([&] { check_outputs({}, {folder / "n", folder / "./n"}); }), 2);
  EXPECT_EQ(code_of([&] { check_outputs({}, {"-", "/dev/stdout"}); }), 2);
  const Error error = error_of([&] { check_outputs({a}, {link}); });
  EXPECT_EQ(error.parts().where, link);
  EXPECT_NE(error.parts().found.find(a), std::string::npos);
  check_outputs({"/dev/null", a}, {"/dev/null", "/dev/full", folder / "n"});
  check_outputs({}, {"/dev/null", "/dev/null"});
}

// A link that appears during the run, under a name that nobody has checked.
TEST(Outputs, AreComparedAgainWhenTheyAreOpened) {
  const Folder folder;
  const auto a = folder.write("a", "input"), o = folder.write("o", "output");
  {
    const KeptFiles kept({a}, {o});
    fs::create_symlink("a", folder / "late");
    fs::create_symlink("o", folder / "later");
    EXPECT_EQ(code_of([&] { write_text(folder / "late", "x"); }), 2);
    EXPECT_EQ(code_of([&] { write_text(folder / "later", "x"); }), 2);
    EXPECT_EQ(code_of([&] { check_outputs({}, {a}); }), 2);
    write_text(o, "new output");
    write_text(folder / "other", "x");
  }
  EXPECT_EQ(read_bytes(a), "input");
  EXPECT_EQ(read_bytes(o), "new output");
  write_text(folder / "late", "x");
  EXPECT_EQ(read_bytes(a), "x");
}

TEST(OutputSets, AppearTogether) {
  const Folder folder;
  {
    OutputSet together;
    write_text(folder / "a", "1");
    write_text(folder / "b", "2");
    EXPECT_FALSE(fs::exists(folder / "a"));
  }
  EXPECT_TRUE(folder.files().empty());
  OutputSet together;
  write_text(folder / "a", "1");
  {
    OutputSet inner;
    write_text(folder / "b", "2");
    inner.commit();
  }
  EXPECT_EQ(folder.files().size(), 2u);  // b, and a under another name
  EXPECT_FALSE(fs::exists(folder / "a"));
  together.commit();
  EXPECT_EQ(folder.files(), (Names{"a", "b"}));
}

}  // namespace
}  // namespace polyak
