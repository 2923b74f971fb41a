// A file that was cut off anywhere must not pass for a whole one. Each case
// names the lengths at which the text happens to be complete; at all others
// reading ends in exit code 65.

#include <set>

#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;

void expect_whole_only_at(const std::string& name, const std::string& bytes,
                          const std::set<std::size_t>& whole) {
  const Folder folder;
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    const auto path = folder.write(name, bytes.substr(0, length));
    const int expected = whole.contains(length) ? 0 : 65;
    ASSERT_EQ(code_of([&] { read_table(path); }), expected)
        << name << " cut after " << length << " of " << bytes.size() << " bytes";
    ASSERT_EQ(code_of([&] { read_array(path); }), expected)
        << name << " as an array, cut after " << length << " of " << bytes.size() << " bytes";
  }
}

// The end, with and without the last newline.
std::set<std::size_t> end_of(const std::string& text) { return {text.size() - 1, text.size()}; }

TEST(Prefix, OfNpyIsRefused) {
  const std::string payload = raw_bytes(std::vector<double>{1, 2, 3, 4, 5, 6});
  for (bool fortran : {false, true}) {
    const auto bytes = npy_bytes("<f8", fortran, "(3, 2)", payload);
    expect_whole_only_at("a.npy", bytes, {bytes.size()});
  }
  const auto v2 = npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
                            raw_bytes(std::vector<float>{1, 2, 3}), 2);
  expect_whole_only_at("a.npy", v2, {v2.size()});
}

TEST(Prefix, OfPetscIsRefused) {
  const auto kept = [](const char* name) {
    const std::string data = POLYAK_TEST_DATA;
    return read_bytes(data.substr(0, data.rfind('/')) + "/fuzz/corpus/petsc/" + name);
  };
  for (const auto* name : {"sparse", "sparse_64", "dense", "dense_64", "vector"})
    expect_whole_only_at("a.petsc", kept(name), {kept(name).size()});
  // Behind A there may be b, or nothing.
  expect_whole_only_at("a.petsc", kept("with_b"), {kept("sparse").size(), kept("with_b").size()});
}

TEST(Prefix, OfMatrixMarketIsRefused) {
  const std::vector<std::string> texts{
      "%%MatrixMarket matrix coordinate real general\n% comment\n3 2 4\n1 1 1.5\n2 1 2\n3 2 -3\n1 "
      "2 4\n",
      "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n",
      "%%MatrixMarket matrix array real general\n2 2\n1.5\n2\n3\n4\n",
      "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n",
      "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 7\n2 1 8\n",
      "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 8\n"};
  for (const auto& text : texts) expect_whole_only_at("a.mtx", text, end_of(text));
}

TEST(Prefix, OfCompressedMatrixMarketIsRefused) {
  const auto bytes =
      gzip_bytes("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 4\n");
  expect_whole_only_at("a.mtx.gz", bytes, {bytes.size()});
}

// A line that is cut off is refused; a cut between lines leaves a shorter but
// complete table, which nothing in these formats can tell.
std::set<std::size_t> line_ends(const std::string& text, std::size_t first_line) {
  std::set<std::size_t> whole;
  std::size_t line = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' || line++ < first_line) continue;
    whole.insert({i, i + 1});
  }
  return whole;
}

TEST(Prefix, OfCsvIsRefusedWithinALine) {
  const std::string text = "alpha,beta,gamma\n1.5,2,3\n4,5,6\n\"7\",8,9\n";
  expect_whole_only_at("a.csv", text, line_ends(text, 1));
}

TEST(Prefix, OfSvmIsRefusedWithinAnEntry) {
  const std::string text = "1 1:2 2:3\n2 1:4 3:5\n";
  std::set<std::size_t> whole = line_ends(text, 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    const bool label_or_value = i == 0 || text[i - 1] == ':' || text[i - 1] == '\n';
    if (digit && label_or_value) whole.insert({i + 1, i + 2});
  }
  expect_whole_only_at("a.svm", text, whole);
}

}  // namespace
}  // namespace polyak
