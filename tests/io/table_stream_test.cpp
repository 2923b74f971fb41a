#include "polyak/table_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "io/stream/text_input.hpp"
#include "io_testing.hpp"

namespace polyak::io {
namespace {

using namespace testing;
using Values = std::vector<double>;

// Bytes in portions of odd sizes, as a pipe gives them.
class OddPortions final : public ByteSource {
 public:
  OddPortions(std::string bytes, std::size_t most) : bytes_(std::move(bytes)), most_(most) {}
  const std::string& name() const override { return name_; }
  Index position() const override { return static_cast<Index>(at_); }
  std::optional<Index> size() const override { return std::nullopt; }
  std::size_t read(std::span<char> to) override {
    next_ = next_ % most_ + 1;
    const std::size_t count = std::min({next_, to.size(), bytes_.size() - at_});
    std::copy_n(bytes_.data() + at_, count, to.data());
    at_ += count;
    return count;
  }

 private:
  std::string name_ = "pipe", bytes_;
  std::size_t most_, at_ = 0, next_ = 0;
};

ReadOptions with_rhs(const std::string& column, Storage storage = Storage::stream) {
  ReadOptions options;
  options.rhs_column = column;
  options.storage = storage;
  return options;
}

// All rows of a stream, in pieces of this many: [A b] by rows, and the sizes of the pieces.
struct Rows {
  Values values;
  std::vector<Index> pieces;
};
Rows drain(RowStream& stream, Index rows) {
  Rows out;
  const Index width = stream.cols() + (stream.has_rhs() ? 1 : 0);
  while (const auto piece = stream.next(rows)) {
    Values A(to_size(piece->rows() * stream.cols())),
        b(stream.has_rhs() ? to_size(piece->rows()) : 0);
    piece->copy({A.data(), piece->rows(), stream.cols(), stream.cols()}, b);
    for (Index i = 0; i < piece->rows(); ++i) {
      out.values.insert(out.values.end(), A.begin() + i * stream.cols(),
                        A.begin() + (i + 1) * stream.cols());
      if (stream.has_rhs()) out.values.push_back(b[to_size(i)]);
    }
    out.pieces.push_back(piece->rows());
  }
  EXPECT_EQ(std::ssize(out.values) % width, 0);
  return out;
}

Values values_of(const Table& table) {
  const Values A = testing::values_of(*table.A);
  Values out;
  for (Index i = 0; i < table.A->rows(); ++i) {
    out.insert(out.end(), A.begin() + i * table.A->cols(), A.begin() + (i + 1) * table.A->cols());
    if (!table.b.empty()) out.push_back(table.b(i));
  }
  return out;
}

std::string long_table(Index rows, const std::string& newline = "\n") {
  std::string out = "x,y,z" + newline;
  for (Index i = 0; i < rows; ++i)
    out += std::to_string(i) + "," + std::to_string(0.25 * static_cast<double>(i % 17)) + "," +
           std::to_string(-i) + newline;
  return out;
}

const std::vector<std::string>& untidy_texts() {
  static const std::vector<std::string> texts{"1,2\n3,4",
                                              "1,2\r\n3,4\r\n",
                                              "\n# comment\n1, 2 \n\n 3 ,4\n\n",
                                              "1;2\n3;4\n",
                                              "1\t2\n3\t4\n",
                                              "\"1\",\"2\"\n\"3\", \" 4 \"\n",
                                              "\xef\xbb\xbf"
                                              "1,2\n3,4\n",
                                              "\xef\xbb\xbfx,y\r\n1,2\r\n3,4",
                                              "# first\n\nx,y\n# second\n1,2\n\n#\n3,4\n",
                                              "x,y\n1,2\nx,y\n3,4\nx,y\n",
                                              "x,y\r\n1,2\r\n\xef\xbb\xbfx,y\r\n3,4\r\n",
                                              "a;\"b,c\"\n1;2\n a;\"b,c\" \n3;4\n"};
  return texts;
}

TEST(TextInput, PortionsOfAnySizeGiveTheRowsOfTheTable) {
  for (const std::string& text : untidy_texts())
    for (const std::size_t most : {1, 2, 3, 5, 64, 1000})
      for (const Index rows : {1, 2, 3}) {
        TextInput input(std::make_unique<OddPortions>(text, most));
        const CsvRowReader reader(input.layout(), {}, "pipe");
        Values values;
        for (TextPart part = input.next(rows); part.rows > 0; part = input.next(rows)) {
          EXPECT_LE(part.rows, rows);
          Values A(to_size(part.rows * 2));
          read_part_rows(part, reader, "pipe", {A.data(), part.rows, 2, 2}, {});
          values.insert(values.end(), A.begin(), A.end());
        }
        EXPECT_EQ(values, (Values{1, 2, 3, 4})) << text << ", portions up to " << most;
      }
}

TEST(TableStream, PiecesHaveTheRowsAskedForWhateverTheFiles) {
  const Folder folder;
  const std::string first = folder.write("a.csv", long_table(1000)),
                    second = folder.write("b.csv", "x,y,z\n"),
                    third = folder.write("c.csv.gz", gzip_bytes(long_table(777, "\r\n"))),
                    whole = folder.write("whole.csv", long_table(1000) + long_table(777));
  ReadOptions options = with_rhs("y");
  for (const Index rows : {1, 100, 999, 5000}) {
    const auto parts = open_table({first, second, third}, options).stream;
    const auto one = open_table({whole}, options).stream;
    const Rows a = drain(*parts, rows), b = drain(*one, rows);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(a.pieces, b.pieces);
    for (std::size_t k = 0; k + 1 < a.pieces.size(); ++k) EXPECT_EQ(a.pieces[k], rows);
    EXPECT_EQ(parts->names(), (std::vector<std::string>{"x", "z"}));
    EXPECT_EQ(parts->inputs(), 3);
    EXPECT_EQ(*one->share_read(), 1.0);
  }
  options.storage = Storage::memory;
  const Table joined = open_table({first, second, third}, options).table;
  EXPECT_EQ(joined.A->rows(), 1777);
  EXPECT_EQ(values_of(joined), values_of(read_table(whole, options)));
}

TEST(TableStream, FilesOfOneTableHaveTheSameColumns) {
  const Folder folder;
  const auto a = folder.write("a.csv", "x,y\n1,2\n"), b = folder.write("b.csv", "x,z\n3,4\n"),
             c = folder.write("c.csv", "x,y,z\n1,2,3\n"), d = folder.write("d.csv", "1,2\n"),
             npy = folder.write("e.npy", "");
  for (const Storage storage : {Storage::stream, Storage::memory}) {
    const auto line = [&](const std::string& other) {
      return std::string(error_of([&] {
                           ReadOptions options = with_rhs("1", storage);
                           OpenedTable opened = open_table({a, other}, options);
                           if (opened.stream) drain(*opened.stream, 10);
                         }).what());
    };
    EXPECT_EQ(line(b),
              b + ", column 2: the column has another name (found 'z', expected 'y', as in " + a +
                  "); files of one table have the same columns, in the same order");
    EXPECT_NE(line(c).find("another number of columns (found 3, expected 2"), std::string::npos);
    EXPECT_NE(line(d).find("found no names, expected names"), std::string::npos) << line(d);
    EXPECT_NE(line(npy).find("only text tables"), std::string::npos);
    EXPECT_NE(line(folder / "nothing.csv").find("cannot open"), std::string::npos);
  }
}

// The same line numbers and words as in memory.
TEST(TableStream, MistakesAreToldAsInMemory) {
  const Folder folder;
  std::string ragged = long_table(700), missing = ragged, letters = ragged;
  ragged += "1,2\n" + long_table(50).substr(6);
  missing += "1,,3\n";
  letters += "1,2,3x\n";
  for (const auto& text :
       {ragged, missing, letters, std::string("x,y,z\n1,2,3\n4,5"), std::string("x,y,z\n"),
        std::string("\xff\xfe"
                    "1\0",
                    4),
        std::string("1,2,3\n4,\0005,6\n", 13), std::string()}) {
    const auto path = folder.write("t.csv", text);
    const auto in_memory = error_of([&] { read_table(path, with_rhs("2", Storage::memory)); });
    for (const Index rows : {7, 100000}) {
      const auto streamed =
          error_of([&] { drain(*open_table({path}, with_rhs("2")).stream, rows); });
      EXPECT_STREQ(streamed.what(), in_memory.what());
      EXPECT_EQ(streamed.code(), in_memory.code());
    }
  }
  EXPECT_NE(
      std::string(error_of([&] { read_table(folder.write("t.csv", "x,y,z\n1,2,3\n4,5")); }).what())
          .find("may have been cut off"),
      std::string::npos);
}

TEST(TableStream, AtEveryTruncationItEndsInRowsOrAnError) {
  const std::string text = "x,y\n1.5,2\n-3,4e2\n\"5\",6\n";
  const Folder folder;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto path = folder.write("t.csv", text.substr(0, size));
    const int code = code_of([&] { drain(*open_table({path}, with_rhs("2")).stream, 2); });
    // 2: there is no second column yet.
    EXPECT_TRUE(code == 0 || code == 65 || (code == 2 && size < 3)) << size;
    EXPECT_EQ(code, code_of([&] { read_table(path, with_rhs("2", Storage::memory)); })) << size;
  }
  for (std::size_t size = 0; size < gzip_bytes(text).size(); ++size) {
    const auto path = folder.write("t.csv.gz", gzip_bytes(text).substr(0, size));
    EXPECT_EQ(code_of([&] { drain(*open_table({path}, with_rhs("2")).stream, 2); }), 65) << size;
  }
}

TEST(TableStream, ALineWithoutEndIsRefusedInBoundedMemory) {
  const Folder folder;
  const auto path = folder.write("t.csv", "1,2\n" + std::string(std::size_t{40} << 20, '1'));
  const Error error = error_of([&] { drain(*open_table({path}, with_rhs("2")).stream, 100); });
  EXPECT_NE(std::string(error.what()).find("t.csv:2: a line is too long"), std::string::npos)
      << error.what();
}

TEST(TableStream, APipeIsHeldUpToTheThreshold) {
  const Folder folder;
  const std::string path = folder / "pipe.csv", text = long_table(50000);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const double held : {1e4, 1e9}) {
    std::thread writer([&] {
      const int fd = ::open(path.c_str(), O_WRONLY);
      std::size_t at = 0;
      while (at < text.size()) {
        const ssize_t put =
            ::write(fd, text.data() + at, std::min<std::size_t>(text.size() - at, 7001));
        if (put <= 0) break;
        at += static_cast<std::size_t>(put);
      }
      ::close(fd);
    });
    ReadOptions options = with_rhs("y", Storage::automatic);
    options.held_bytes = held;
    OpenedTable opened = open_table({path}, options);
    const Values values =
        opened.stream ? drain(*opened.stream, 512).values : values_of(opened.table);
    EXPECT_EQ(opened.stream != nullptr, held < 1e6);
    writer.join();
    EXPECT_EQ(values, values_of(read_table(folder.write("same.csv", text),
                                           with_rhs("y", Storage::memory))));
  }
  EXPECT_EQ(stream_threshold(1e30), 0x1p26);
  EXPECT_EQ(stream_threshold(1.6e7), 1e6);
}

TEST(TableStream, SizesAreEstimatedFromTheBeginning) {
  const Folder folder;
  const std::string text = long_table(300000);
  const auto plain = folder.write("a.csv", text),
             packed = folder.write("b.csv.gz", gzip_bytes(text));
  for (const auto& paths : {std::vector{plain}, std::vector{packed}, std::vector{plain, plain}}) {
    const TableEstimate found = estimate_table(paths);
    const double times = static_cast<double>(paths.size());
    EXPECT_EQ(found.cells, 3);
    EXPECT_NEAR(found.rows / times / 300000, 1.0, 0.2);
    EXPECT_NEAR(found.text_bytes / times / static_cast<double>(text.size()), 1.0, 0.2);
  }
}

TEST(TableStream, ACompressedPlainFileIsRefused) {
  const Folder folder;
  for (const char* name : {"a.csv.gz", "a.csv.zst", "a.tsv.gz"})
    EXPECT_EQ(code_of([&] { open_table({folder.write(name, "1,2\n")}, with_rhs("1")); }), 65)
        << name;
}

// A bomb: ten thousand times as many bytes. It is refused before it has filled memory.
TEST(TableStream, ABombIsRefused) {
  const Folder folder;
  const auto path =
      folder.write("b.csv.gz", gzip_bytes("1,2\n" + std::string(std::size_t{100} << 20, '\n')));
  const Error error = error_of([&] { drain(*open_table({path}, with_rhs("1")).stream, 100); });
  EXPECT_EQ(error.code(), ErrorCode::bad_data);
  EXPECT_NE(std::string(error.what()).find("expands more than is plausible"), std::string::npos);
}

std::string zstd_bytes(std::string_view bytes) {
  std::string out(::ZSTD_compressBound(bytes.size()), '\0');
  out.resize(::ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  return out;
}

TEST(Zstd, TablesAreReadWholeAndAsStreams) {
  const Folder folder;
  const std::string text = long_table(20000);
  const auto plain = folder.write("a.csv", text);
  const auto packed = folder.write("a.csv.zst", zstd_bytes(text.substr(0, 1000)) + zstd_bytes("") +
                                                    zstd_bytes(text.substr(1000)));
  const Values expected = values_of(read_table(plain, with_rhs("y", Storage::memory)));
  EXPECT_EQ(values_of(read_table(packed, with_rhs("y", Storage::memory))), expected);
  EXPECT_EQ(drain(*open_table({packed}, with_rhs("y")).stream, 512).values, expected);
  EXPECT_EQ(inspect(packed).rows, 20000);
}

TEST(Zstd, DamageCutsTrailersAndBombsAreRefused) {
  const Folder folder;
  const std::string whole = zstd_bytes(long_table(300));
  const auto code = [&](const std::string& bytes) {
    return code_of(
        [&] { drain(*open_table({folder.write("a.csv.zst", bytes)}, with_rhs("y")).stream, 50); });
  };
  EXPECT_EQ(code(whole), 0);
  for (std::size_t size = 0; size < whole.size(); size += 11)
    EXPECT_EQ(code(whole.substr(0, size)), 65) << size;
  EXPECT_EQ(code(whole + "trailer"), 65);
  EXPECT_EQ(code(zstd_bytes("x,y\n1,2\n" + std::string(std::size_t{100} << 20, '\n'))), 65);
}

}  // namespace
}  // namespace polyak::io
