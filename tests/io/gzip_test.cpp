#include "io/file.hpp"
#include "io_testing.hpp"

namespace polyak::io {
namespace {

using namespace testing;

std::string unpack(const std::string& bytes, std::size_t at_most = 0) {
  return std::string(decompress(*MappedFile::from_memory("x.gz", bytes), at_most)->bytes());
}

TEST(Gzip, GivesBackWhatWasCompressed) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919 % 1000003) + "\n";
  for (const auto& t : {std::string(), std::string("x"), text}) EXPECT_EQ(unpack(gzip_bytes(t)), t);
}

TEST(Gzip, ConcatenatedFilesAreOne) {
  EXPECT_EQ(unpack(gzip_bytes("one ") + gzip_bytes("") + gzip_bytes("two")), "one two");
}

TEST(Gzip, StopsEarlyWhenOnlyTheBeginningIsWanted) {
  const std::string text(1 << 22, 'x');
  EXPECT_EQ(unpack(gzip_bytes(text), 1000), text.substr(0, 1000));
  EXPECT_EQ(unpack(gzip_bytes("short"), 1000), "short");
}

TEST(Gzip, DamageCutsAndTrailersAreRefused) {
  const auto whole = gzip_bytes("a text that is long enough to have a body");
  EXPECT_EQ(code_of([&] { unpack(whole.substr(0, whole.size() - 1)); }), 65);
  EXPECT_EQ(code_of([&] { unpack(whole + "trailer"); }), 65);
  auto wrong_sum = whole;
  wrong_sum[whole.size() - 5] = static_cast<char>(wrong_sum[whole.size() - 5] ^ 1);
  EXPECT_EQ(code_of([&] { unpack(wrong_sum); }), 65);
}

TEST(Gzip, AHighRatioIsFineInASmallFile) {
  const std::string zeros(32u << 20, '0');
  EXPECT_EQ(unpack(gzip_bytes(zeros)).size(), zeros.size());
}

TEST(Gzip, WritingIsUndoneByReading) {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 200000; ++i) text += std::to_string(i * 7919 % 1000003) + " ";
  const auto sink = gzip_sink(std::make_unique<OutputFile>(folder / "x.gz"));
  sink->write(text);
  sink->write("");
  sink->write("end");
  sink->commit();
  EXPECT_EQ(unpack(read_bytes(folder / "x.gz")), text + "end");
}

TEST(Gzip, APlainFileUnderACompressedNameIsRefused) {
  const Folder folder;
  const auto path = folder.write("a.mtx.gz", "%%MatrixMarket matrix array real general\n1 1\n1\n");
  EXPECT_EQ(code_of([&] { read_table(path); }), 65);
}

}  // namespace
}  // namespace polyak::io
