// Numbers and lines as all text formats see them.

#include <clocale>
#include <cmath>
#include <limits>
#include <locale>
#include <optional>

#include "io/text/text.hpp"
#include "io_testing.hpp"

namespace polyak::internal::io {
namespace {

using testing::error_of;

// The value, if the whole text is one number.
std::optional<double> number(std::string_view text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  if (parse_number(text.data(), end, value) != end) return std::nullopt;
  return value;
}

TEST(Number, IsReadInEveryUsualForm) {
  EXPECT_EQ(number("1.5"), 1.5);
  EXPECT_EQ(number("+1.5"), 1.5);
  EXPECT_EQ(number("-.5e-3"), -0.5e-3);
  EXPECT_EQ(number("5."), 5.0);
  EXPECT_EQ(number("1E+2"), 100.0);
  EXPECT_EQ(number("0x10"), std::nullopt);
}

TEST(Number, IsRefusedWhenSomethingHangsOnIt) {
  for (const auto* text : {"1.5xyz", "1.5d3", "1,5", "", "+", "-", "+-1", "++1", "e5", "1e", "1 2"})
    EXPECT_EQ(number(text), std::nullopt) << text;
}

TEST(Number, TooLargeIsInfiniteAndTooSmallIsZero) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(number("1e999"), inf);
  EXPECT_EQ(number("-1e999"), -inf);
  EXPECT_EQ(number("1e99999999999999999999999"), inf);
  EXPECT_EQ(number(std::string(400, '9')), inf);
  EXPECT_EQ(number("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(*number("-1e-400")));
  EXPECT_EQ(number("1e-99999999999999999999999"), 0.0);
  EXPECT_EQ(number("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(number("4.9e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(Number, DoesNotDependOnTheLocale) {
  struct DecimalComma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  const char* c_locale = std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
  EXPECT_EQ(number("1234.5"), 1234.5);
  EXPECT_EQ(number_text(1234.5), "1234.5");
  if (c_locale != nullptr) std::setlocale(LC_ALL, "C");
  std::locale::global(before);
}

TEST(Number, IsWrittenInTheShortestFormThatReadsBack) {
  for (double value : {0.1, 1.0 / 3.0, -1e300, 5e-324, 0.0, 123456789.0, -0.0}) {
    EXPECT_EQ(number(number_text(value)), value);
  }
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_TRUE(std::signbit(*number(number_text(-0.0))));
}

std::vector<std::string> lines_of(const std::string& text) {
  const auto file = MappedFile::from_memory("text", text);
  Lines lines(*file, '#');
  std::vector<std::string> out;
  for (std::string_view line; lines.next(line);) out.emplace_back(line);
  return out;
}

TEST(Lines, PassOverCommentsBlanksAndWindowsEndings) {
  const std::vector<std::string> expected{"a b", "c"};
  EXPECT_EQ(lines_of("a b\nc\n"), expected);
  EXPECT_EQ(lines_of("a b\nc"), expected);
  EXPECT_EQ(lines_of("a b\r\nc\r\n"), expected);
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "a b  \n\n \t \n  # no\n\tc \t"),
            expected);
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_TRUE(lines_of("\n \n#").empty());
}

TEST(Lines, RefuseUtf16AndNulInComments) {
  EXPECT_EQ(error_of([] {
              lines_of(
                  std::string("\xff\xfe"
                              "1\0",
                              4));
            }).code(),
            ErrorCode::bad_data);
  EXPECT_EQ(error_of([] {
              lines_of(
                  std::string("\xfe\xff\0"
                              "1",
                              4));
            }).code(),
            ErrorCode::bad_data);
  EXPECT_EQ(error_of([] { lines_of(std::string("# \0 \n1\n", 7)); }).code(), ErrorCode::bad_data);
}

TEST(Lines, NameFileAndLineInMessages) {
  const auto file = MappedFile::from_memory("data.csv", "1\n\n# no\n2\n");
  Lines lines(*file, '#');
  std::string_view line;
  lines.next(line);
  lines.next(line);
  EXPECT_EQ(lines.number(), 4);
  const Error error = error_of([&] { lines.fail_number("x"); });
  EXPECT_EQ(error.parts().where, "data.csv:4");
}

}  // namespace
}  // namespace polyak::internal::io
