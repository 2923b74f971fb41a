#include "polyak/error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace polyak {
namespace {

std::string line(const ErrorParts& parts) { return Error(ErrorCode::bad_data, parts).what(); }

TEST(Error, WritesAllItsPartsInOneLine) {
  EXPECT_EQ(line({.what = "a value is not finite",
                  .where = "A, row 3",
                  .found = "nan",
                  .expected = "a finite number",
                  .hint = "repair that row"}),
            "A, row 3: a value is not finite (found nan, expected a finite number); "
            "repair that row");
}

TEST(Error, LeavesOutThePartsThatDoNotApply) {
  EXPECT_EQ(line({.what = "w"}), "w");
  EXPECT_EQ(line({.what = "w", .where = "x"}), "x: w");
  EXPECT_EQ(line({.what = "w", .found = "f"}), "w (found f)");
  EXPECT_EQ(line({.what = "w", .expected = "e"}), "w (expected e)");
  EXPECT_EQ(line({.what = "w", .hint = "h"}), "w; h");
  EXPECT_EQ(line({}), "");
}

TEST(Error, KeepsItsPartsAsTheyWereGiven) {
  const Error error(ErrorCode::io, {.what = "w", .where = "a\nb"});
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_EQ(error.parts().where, "a\nb");
  EXPECT_EQ(error.parts().hint, "");
}

TEST(Error, ShowsControlCharactersAsQuestionMarksInEveryPart) {
  EXPECT_EQ(line({.what = "a\nb",
                  .where = "c\rd",
                  .found = "e\tf",
                  .expected = "g\x1b[31mh",
                  .hint = std::string("i\0j\x7fk", 5)}),
            "c?d: a?b (found e?f, expected g?[31mh); i?j?k");
}

TEST(Error, HoldsNoControlCharacterWhateverByteIsPutIn) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = line({.what = std::string(1, static_cast<char>(byte))});
    ASSERT_EQ(text.size(), 1u);
    const auto shown = static_cast<unsigned char>(text[0]);
    EXPECT_TRUE(shown >= 0x20 && shown != 0x7f) << byte;
    if (byte >= 0x20 && byte != 0x7f) {
      EXPECT_EQ(shown, byte);
    }
  }
}

// U+009B starts a terminal's control sequence as ESC [ does.
TEST(Error, ShowsTheUnicodeControlsAsQuestionMarksToo) {
  EXPECT_EQ(line({.what = "a\xc2\x9b"
                          "31mb"}),
            "a?31mb");
  EXPECT_EQ(line({.what = "\xc2\x80\xc2\x9f"}), "??");
}

TEST(Error, LeavesOtherUnicodeTextAlone) {
  const std::string text = "Zürich \xc2\xa0 ‖a‖² ≥ 0, \xc2";
  EXPECT_EQ(line({.what = text}), text);
}

TEST(Error, IsAStandardExceptionThatCanBeCopied) {
  std::vector<Error> copies;
  try {
    throw Error(ErrorCode::usage, {.what = "wrong"});
  } catch (const std::exception& e) {
    EXPECT_STREQ(e.what(), "wrong");
    copies.push_back(dynamic_cast<const Error&>(e));
  }
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_STREQ(copies[0].what(), "wrong");
}

TEST(ErrorCode, IsTheExitCodeOfTheProgram) {
  EXPECT_EQ(static_cast<int>(ErrorCode::usage), 2);
  EXPECT_EQ(static_cast<int>(ErrorCode::bad_data), 65);
  EXPECT_EQ(static_cast<int>(ErrorCode::no_input), 66);
  EXPECT_EQ(static_cast<int>(ErrorCode::internal), 70);
  EXPECT_EQ(static_cast<int>(ErrorCode::out_of_memory), 71);
  EXPECT_EQ(static_cast<int>(ErrorCode::io), 74);
}

}  // namespace
}  // namespace polyak
