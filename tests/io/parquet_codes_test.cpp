// The parts of the reader by themselves: runs and packed bits, decimals, halves, codecs.

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "io/parquet/bits.hpp"
#include "io/parquet/codec.hpp"
#include "io/parquet/numbers.hpp"
#include "io/parquet/runs.hpp"
#include "io/text/text.hpp"
#include "io_testing.hpp"
#include "parquet_testing.hpp"

namespace polyak::test::parquet_codes {
namespace {

using namespace io::parquet;
using testing::CompactWriter;

std::vector<std::uint32_t> taken(const std::string& bytes, unsigned width, Index count,
                                 Index most) {
  Runs runs(bytes, width);
  std::vector<std::uint32_t> out;
  while (static_cast<Index>(out.size()) < count) {
    const Run run = runs.take(std::min(most, count - static_cast<Index>(out.size())));
    if (run.length == 0) break;
    for (Index i = 0; i < run.length; ++i)
      out.push_back(run.packed ? static_cast<std::uint32_t>(
                                     bits_at(run.bits, (run.first + to_size(i)) * width, width))
                               : run.value);
  }
  return out;
}

// The example of the format: 0 to 7 in three bits.
TEST(ParquetRuns, UnpackTheExampleOfTheFormat) {
  const std::vector<std::uint32_t> expected{0, 1, 2, 3, 4, 5, 6, 7};
  for (const Index most : {1, 3, 8}) EXPECT_EQ(taken("\x03\x88\xc6\xfa", 3, 8, most), expected);
  EXPECT_EQ(taken("\x0a\x05\x03\x88\xc6\xfa", 3, 13, 4),
            (std::vector<std::uint32_t>{5, 5, 5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7}));
}

// Any values in any width, as runs and packed, against the values.
TEST(ParquetRuns, UnpackEveryWidth) {
  std::mt19937 random(7);
  for (unsigned width = 0; width <= 32; ++width) {
    std::vector<std::uint32_t> expected;
    std::string bytes;
    for (int group = 0; group < 5; ++group) {
      std::string packed(width, '\0');
      for (std::size_t i = 0; i < 8; ++i) {
        const auto value = static_cast<std::uint32_t>(
            width == 32 ? random() : random() & ((std::uint64_t{1} << width) - 1));
        expected.push_back(value);
        for (unsigned b = 0; b < width; ++b)
          if (value >> b & 1) {
            const std::size_t bit = i * width + b;
            packed[bit / 8] = static_cast<char>(packed[bit / 8] | 1 << (bit % 8));
          }
      }
      bytes += '\x03' + packed;
      const std::uint32_t repeated = expected.back();
      expected.insert(expected.end(), 5, repeated);
      bytes += '\x0a';
      for (unsigned b = 0; b < (width + 7) / 8; ++b)
        bytes += static_cast<char>(repeated >> (8 * b));
    }
    for (const Index most : {1, 7, 1000})
      EXPECT_EQ(taken(bytes, width, std::ssize(expected), most), expected) << width;
    // Cut off anywhere, it has a beginning of these values and ends.
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const auto part = taken(bytes.substr(0, length), width, std::ssize(expected), 1000);
      ASSERT_LE(part.size(), expected.size());
      EXPECT_TRUE(std::equal(part.begin(), part.end(), expected.begin())) << width << " " << length;
    }
  }
}

TEST(ParquetRuns, OfEndlessLengthsEnd) {
  const std::string longest = CompactWriter::varint(0xffffffff);
  EXPECT_EQ(taken(longest, 1, 10, 10).size(), 0u);
  EXPECT_EQ(taken(longest, 0, 10, 10).size(), 10u);
  EXPECT_EQ(taken(CompactWriter::varint(std::uint64_t{1} << 40), 0, 10, 10).size(), 0u);
  EXPECT_EQ(taken(std::string(100, '\0'), 0, 10, 10).size(), 0u);  // runs of nothing
}

double decimal_of(Number number, int width, int scale, const std::string& bytes) {
  const Column column{.name = "x", .number = number, .width = width, .scale = scale};
  double out = 0.0;
  to_doubles(column, bytes.data(), 1, &out);
  return out;
}

template <class Integer>
std::string little(Integer value) {
  return testing::raw_bytes(std::vector<Integer>{value});
}

// Against the text of the number, which is rounded once.
TEST(ParquetNumbers, DecimalsAreTheNearestDoubles) {
  std::mt19937_64 random(11);
  const auto nearest = [](std::int64_t value, int scale) {
    const std::string text = std::to_string(value) + "e-" + std::to_string(scale);
    double out = 0.0;
    io::parse_number(text.data(), text.data() + text.size(), out);
    return out;
  };
  for (int k = 0; k < 20000; ++k) {
    const auto value = static_cast<std::int64_t>(random()) >> (random() % 64);
    const int scale = static_cast<int>(random() % 39);
    const double expected = nearest(value, scale);
    EXPECT_EQ(decimal_of(Number::decimal64, 8, scale, little(value)), expected)
        << value << " " << scale;
    for (const int width : {8, 9, 16}) {
      std::string bytes(to_size(width), value < 0 ? '\xff' : '\0');
      for (int b = 0; b < 8; ++b)
        bytes[to_size(width - 1 - b)] = static_cast<char>(value >> (8 * b));
      EXPECT_EQ(decimal_of(Number::decimal_bytes, width, scale, bytes), expected);
    }
    const auto small = static_cast<std::int32_t>(value);
    EXPECT_EQ(decimal_of(Number::decimal32, 4, scale, little(small)), nearest(small, scale));
  }
  const std::string least = '\x80' + std::string(15, '\0');  // -2^127
  EXPECT_EQ(decimal_of(Number::decimal_bytes, 16, 0, least), -std::ldexp(1.0, 127));
  EXPECT_EQ(decimal_of(Number::decimal_bytes, 1, 2, "\xff"), -0.01);
}

TEST(ParquetNumbers, HalvesAreExact) {
  const auto half = [](std::uint16_t bits) {
    return decimal_of(Number::float16, 2, 0, little(bits));
  };
  EXPECT_EQ(half(0x3c00), 1.0);
  EXPECT_EQ(half(0xc000), -2.0);
  EXPECT_EQ(half(0x3555), 0.333251953125);
  EXPECT_EQ(half(0x7bff), 65504.0);
  EXPECT_EQ(half(0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(half(0x03ff), std::ldexp(1023.0, -24));
  EXPECT_EQ(half(0x0400), std::ldexp(1.0, -14));
  EXPECT_EQ(half(0xfc00), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(half(0x7e00)));
  EXPECT_TRUE(std::signbit(half(0x8000)));
}

TEST(ParquetCodecs, RefuseDamagedBytes) {
  const std::string text(1000, 'a'), gz = testing::gzip_bytes(text);
  std::string out(2000, '\0');
  EXPECT_TRUE(unpack(Codec::gzip, gz, out.data(), 1000));
  EXPECT_EQ(out.substr(0, 1000), text);
  EXPECT_TRUE(unpack(Codec::gzip, gz + gz, out.data(), 2000));  // two members
  EXPECT_FALSE(unpack(Codec::gzip, gz, out.data(), 999));
  EXPECT_FALSE(unpack(Codec::gzip, gz, out.data(), 1001));
  EXPECT_FALSE(unpack(Codec::gzip, gz + "x", out.data(), 1000));
  for (const Codec codec : {Codec::snappy, Codec::gzip, Codec::zstd, Codec::lz4_raw})
    for (std::size_t length = 0; length < gz.size(); ++length)
      EXPECT_FALSE(unpack(codec, gz.substr(0, length), out.data(), 1000));
}

}  // namespace
}  // namespace polyak::test::parquet_codes
