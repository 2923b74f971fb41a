// Files made to hurt: they end in exit code 65, soon, and without the memory
// they ask for.

#include <random>

#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;

void expect_refused_cheaply(const std::string& name, const std::string& bytes) {
  const Folder folder;
  const auto path = folder.write(name, bytes);
  const ChildResult result = in_child([&] { read_table(path); });
  EXPECT_EQ(result.code, 65) << name << ": " << bytes.substr(0, 100);
  EXPECT_LT(result.grown_mb, 64) << name << ": " << bytes.substr(0, 100);
  EXPECT_LT(result.seconds, 1.0) << name << ": " << bytes.substr(0, 100);
}

TEST(Hostile, MatrixMarketClaimsAreCheckedBeforeMemoryIsTaken) {
  for (const auto* body :
       {"coordinate real general\n1 1 10000000000\n1 1 1\n",
        "coordinate real general\n9 9 4611686018427387904\n",
        "coordinate real general\n4611686018427387904 1 0\n",
        "coordinate real general\n1 4611686018427387904 0\n",
        "coordinate pattern symmetric\n9223372036854775807 9223372036854775807 1\n1 1\n",
        "array real general\n100000 100000\n1\n", "array real general\n4294967296 4294967296\n1\n",
        "array real symmetric\n3037000500 3037000500\n1\n",
        "array real general\n99999999999999999999 1\n1\n"})
    expect_refused_cheaply("a.mtx", std::string("%%MatrixMarket matrix ") + body);
}

TEST(Hostile, NpyClaimsAreCheckedBeforeMemoryIsTaken) {
  for (const auto* shape :
       {"(10000000000, 1)", "(4611686018427387904, 2)", "(1, 9223372036854775807)",
        "(4294967296, 4294967296)", "(9223372036854775807, 0)"})
    for (bool fortran : {false, true})
      expect_refused_cheaply("a.npy", npy_bytes("<i8", fortran, shape, "12345678"));
  // A header that claims to be longer than the file, or than any should be.
  expect_refused_cheaply("a.npy", std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f{}", 14));
  expect_refused_cheaply("a.npy", npy_bytes("{" + std::string(70000, ' ') + "}", "", 2));
}

TEST(Hostile, PetscClaimsAreCheckedBeforeMemoryIsTaken) {
  const auto claim = [](const std::vector<std::uint64_t>& numbers) {
    std::string out;
    for (std::uint64_t v : numbers)
      for (int k = 7; k >= 0; --k) out += static_cast<char>(v >> (8 * k) & 0xff);
    return out;
  };
  const std::uint64_t mat = 1211216, vec = 1211214, dense = ~std::uint64_t{0};
  const std::uint64_t most = ~std::uint64_t{0} >> 1;
  for (const auto& numbers :
       std::vector<std::vector<std::uint64_t>>{{mat, 10000000000, 1, dense},
                                               {mat, 1ull << 62, 2, dense},
                                               {mat, 1ull << 32, 1ull << 32, dense},
                                               {mat, most, most, most},
                                               {mat, most, 0, 0},
                                               {mat, 0, most, 0},
                                               {mat, 1, 1, 1ull << 62},
                                               {mat, 10000000, 1, 10000000},
                                               {mat, 0, 0, 1ull << 60},
                                               {vec, most},
                                               {vec, 1ull << 61},
                                               {vec, 10000000000},
                                               {mat, dense, dense, 0}})
    expect_refused_cheaply("a.petsc", claim(numbers));
}

TEST(Hostile, CsvTakesNoMoreMemoryThanItsBytes) {
  // A thousand columns by the first line, then a million rows of one cell.
  std::string text = "1";
  for (int i = 1; i < 1000; ++i) text += ",1";
  text += "\n";
  for (int i = 0; i < 1000000; ++i) text += "1\n";
  expect_refused_cheaply("a.csv", text);
}

TEST(Hostile, ASmallGzipBombIsRefused) {
  const std::string text =
      "%%MatrixMarket matrix array real general\n2 1\n" + std::string(200u << 20, '\n');
  const Folder folder;
  const auto path = folder.write("a.mtx.gz", gzip_bytes(text));
  const Error error = error_of([&] { read_table(path); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_NE(error.parts().expected.find("at most 200 times"), std::string::npos) << error.what();
  EXPECT_EQ(code_of([&] { inspect(path); }), 0);  // the header needs no more than its share
}

TEST(Hostile, TextThatIsNotTextIsRefused) {
  const std::string utf16(
      "\xff\xfe"
      "1\0,\0"
      "2\0\n\0",
      10);
  const std::string nul("1,2\n\0", 5);
  for (const auto* name : {"a.csv", "a.mtx", "a.svm", "a.npy"}) {
    expect_refused_cheaply(name, utf16);
    expect_refused_cheaply(name, nul);
    expect_refused_cheaply(name, std::string(100, '\0'));
    expect_refused_cheaply(name, "\x89PNG\r\n\x1a\n\x01\x02\x03");
  }
}

TEST(Hostile, GarbageIsRefused) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::string bytes(5000, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    const Folder folder;
    for (const auto* name : {"a.csv", "a.mtx", "a.svm", "a.npy", "a.mtx.gz"})
      EXPECT_EQ(code_of([&] { read_table(folder.write(name, bytes)); }), 65) << name;
  }
}

TEST(Hostile, DamagedBytesNeverDoMoreThanRefuse) {
  const std::vector<std::pair<std::string, std::string>> seeds{
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1.5\n2 1 2\n3 2 -3\n"},
      {"a.csv", "x,\"y\"\n1,2\n3,4\n"},
      {"a.svm", "1 1:2 3:4\n-1 2:5\n"},
      {"a.npy", npy_bytes("<f8", true, "(2, 1)", raw_bytes(std::vector<double>{1, 2}))},
      {"a.mtx.gz", gzip_bytes("%%MatrixMarket matrix array real general\n2 1\n1\n2\n")}};
  const Folder folder;
  std::mt19937 random(11);
  for (const auto& seed : seeds)
    for (int round = 0; round < 2000; ++round) {
      std::string damaged = seed.second;
      damaged[random() % damaged.size()] = static_cast<char>(random());
      damaged[random() % damaged.size()] = "0179-e,:\" \n%#"[random() % 13];
      const int code = code_of([&] { read_table(folder.write(seed.first, damaged)); });
      ASSERT_TRUE(code == 0 || code == 65) << seed.first << ": " << damaged;
    }
}

}  // namespace
}  // namespace polyak
