#include "polyak/option_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace polyak {
namespace {

struct Target {
  double number = 0.5;
  std::optional<double> maybe_number = 0.5;
  Index count = 1;
  std::optional<Index> maybe_count = 1;
  std::uint64_t seed = 1;
  std::string name = "default";
  std::optional<std::string> maybe_name;
  bool flag = false;
};
using Record = OptionRecord<Target>;

Record plain(Record::Field field, std::string value = "V") {
  return {.name = "option", .field = field, .value = std::move(value), .sentence = "A sentence."};
}

bool takes(const Record& record, std::string_view text, Target* into = nullptr) {
  Target target;
  try {
    set_option(record, target, text);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    return false;
  }
  if (into) *into = target;
  return true;
}

template <class Field>
auto parsed(Field field, std::string_view text) {
  Target target;
  EXPECT_TRUE(takes(plain(field), text, &target)) << text;
  return target.*field;
}

TEST(OptionTable, ReadsNumbers) {
  EXPECT_EQ(parsed(&Target::number, "0.25"), 0.25);
  EXPECT_EQ(parsed(&Target::number, "-1e-3"), -1e-3);
  EXPECT_EQ(parsed(&Target::number, "+3"), 3.0);
  EXPECT_EQ(parsed(&Target::number, ".5"), 0.5);
  EXPECT_EQ(parsed(&Target::number, "1e300"), 1e300);
  EXPECT_EQ(parsed(&Target::number, "0.1"), 0.1);
}

TEST(OptionTable, RefusesWhatIsNotANumber) {
  for (const char* text :
       {"",     " ",     "abc", "1.0x", "1 ",  " 1", "1,5", "0x10", "nan",  "inf",
        "-inf", "1e999", "--1", "++1",  "+-1", "+",  "-",   "e5",   "auto", "1e"}) {
    EXPECT_FALSE(takes(plain(&Target::number), text)) << "'" << text << "'";
  }
}

TEST(OptionTable, ReadsWholeNumbersAlsoInScientificNotation) {
  EXPECT_EQ(parsed(&Target::count, "12"), 12);
  EXPECT_EQ(parsed(&Target::count, "-12"), -12);
  EXPECT_EQ(parsed(&Target::count, "+12"), 12);
  EXPECT_EQ(parsed(&Target::count, "1e6"), 1'000'000);
  EXPECT_EQ(parsed(&Target::count, "+1e6"), 1'000'000);
  EXPECT_EQ(parsed(&Target::count, "1.5e3"), 1500);
  EXPECT_EQ(parsed(&Target::count, "2.0"), 2);
  EXPECT_EQ(parsed(&Target::count, "9223372036854775807"), std::numeric_limits<Index>::max());
  EXPECT_EQ(parsed(&Target::count, "+9223372036854775807"), std::numeric_limits<Index>::max());
  EXPECT_EQ(parsed(&Target::seed, "18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parsed(&Target::seed, "+18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parsed(&Target::seed, "1e3"), 1000u);
}

TEST(OptionTable, RefusesWholeNumbersThatAreNot) {
  for (const char* text : {"", "1.5", "1e-1", "1e400", "99999999999999999999", "1e30", "12a", "1 ",
                           "nan", "inf", "0x10", "+-5", "++5", "1_000", "1,000"}) {
    EXPECT_FALSE(takes(plain(&Target::count), text)) << text;
    EXPECT_FALSE(takes(plain(&Target::seed), text)) << text;
  }
  EXPECT_FALSE(takes(plain(&Target::seed), "-1"));
  EXPECT_FALSE(takes(plain(&Target::seed), "-1e3"));
}

// 2^53 + 1 is no double: read as one it would become 2^53.
TEST(OptionTable, NeverRoundsAWholeNumber) {
  EXPECT_EQ(parsed(&Target::count, "9007199254740993"), 9007199254740993);
  EXPECT_EQ(parsed(&Target::count, "+9007199254740993"), 9007199254740993);
  EXPECT_FALSE(takes(plain(&Target::count), "9007199254740993.0"));
  EXPECT_FALSE(takes(plain(&Target::count), "9007199254740993e0"));
}

RC_GTEST_PROP(OptionTable, ReadsEveryWholeNumberItself, (Index value)) {
  RC_ASSERT(parsed(&Target::count, std::to_string(value)) == value);
}

RC_GTEST_PROP(OptionTable, ReadsEveryNumberItself, (double value)) {
  RC_PRE(std::isfinite(value));
  RC_ASSERT(parsed(&Target::number, detail::shown(value)) == value);
}

TEST(OptionTable, TakesAutoForOptionalNumbersOnly) {
  EXPECT_EQ(parsed(&Target::maybe_number, "auto"), std::nullopt);
  EXPECT_EQ(parsed(&Target::maybe_count, "auto"), std::nullopt);
  EXPECT_EQ(parsed(&Target::maybe_count, "1e3"), 1000);
  EXPECT_EQ(parsed(&Target::maybe_number, "2"), 2.0);
  EXPECT_EQ(parsed(&Target::maybe_name, "auto"), "auto");
  EXPECT_FALSE(takes(plain(&Target::number), "auto"));
  EXPECT_FALSE(takes(plain(&Target::count), "auto"));
  EXPECT_FALSE(takes(plain(&Target::seed), "auto"));
  EXPECT_FALSE(takes(plain(&Target::maybe_number), "Auto"));
}

TEST(OptionTable, ReadsTrueAndFalse) {
  EXPECT_TRUE(parsed(&Target::flag, "true"));
  EXPECT_FALSE(parsed(&Target::flag, "false"));
  for (const char* text : {"", "1", "yes", "True", "true "})
    EXPECT_FALSE(takes(plain(&Target::flag), text)) << text;
}

TEST(OptionTable, TakesOneOfTheChoices) {
  const Record record = plain(&Target::name, "row-norm|uniform|mixed");
  for (const char* text : {"row-norm", "uniform", "mixed"}) {
    Target target;
    EXPECT_TRUE(takes(record, text, &target));
    EXPECT_EQ(target.name, text);
  }
  for (const char* text : {"", "row", "uniform|mixed", "mixed|", "Uniform", "row-norm "})
    EXPECT_FALSE(takes(record, text)) << text;
}

TEST(OptionTable, TakesAnyTextWhereThereAreNoChoices) {
  EXPECT_EQ(parsed(&Target::name, "any text, even \"this\""), "any text, even \"this\"");
  EXPECT_EQ(parsed(&Target::name, ""), "");
}

TEST(OptionTable, HoldsNumbersToTheirBounds) {
  Record closed = plain(&Target::number);
  closed.lowest = 0.0;
  closed.highest = 1.0;
  Record open = closed;
  open.open_below = open.open_above = true;
  for (const char* text : {"0", "1", "-0"}) {
    EXPECT_TRUE(takes(closed, text)) << text;
    EXPECT_FALSE(takes(open, text)) << text;
  }
  EXPECT_TRUE(takes(open, "1e-300"));
  EXPECT_FALSE(takes(closed, "-1e-300"));
  EXPECT_FALSE(takes(closed, "1.0000000000000002"));
}

TEST(OptionTable, HoldsOptionalAndWholeNumbersToTheirBounds) {
  Record record = plain(&Target::maybe_count);
  record.lowest = 1;
  EXPECT_TRUE(takes(record, "1"));
  EXPECT_TRUE(takes(record, "auto"));
  EXPECT_FALSE(takes(record, "0"));
  EXPECT_FALSE(takes(record, "-1e6"));
}

TEST(OptionTable, LeavesTheTargetAloneWhenItRefuses) {
  Target target;
  EXPECT_THROW(set_option(plain(&Target::number), target, "junk"), Error);
  EXPECT_THROW(set_option(plain(&Target::maybe_count), target, "1.5"), Error);
  EXPECT_EQ(target.number, 0.5);
  EXPECT_EQ(target.maybe_count, 1);
}

TEST(OptionTable, NamesOptionValueAndRangeWhenItRefuses) {
  Record record = plain(&Target::number);
  record.lowest = 0;
  record.highest = 1;
  record.open_above = true;
  Target target;
  try {
    set_option(record, target, "1.5");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "option: the value does not fit the option (found '1.5', expected a "
                 "number of at least 0 and below 1)");
  }
}

TEST(OptionTable, NamesOptionsInMessagesAsFieldsUnlessAProgramChangesIt) {
  EXPECT_EQ(option_name("step-size"), "step_size");
  EXPECT_EQ(option_name("parameters", "paper"), "parameters = paper");
  set_option_naming([](std::string_view option, std::string_view value) {
    return "-ksp_" + std::string(option) + " " + std::string(value);
  });
  EXPECT_EQ(option_name("tol", "0.1"), "-ksp_tol 0.1");
  set_option_naming(nullptr);
  EXPECT_EQ(option_name("tol"), "tol");
}

TEST(OptionTable, FindsARecordByItsName) {
  const std::vector<Record> table = {plain(&Target::number), plain(&Target::count)};
  const std::span<const Record> view(table);
  EXPECT_EQ(find_option(view, "option"), &table[0]);
  EXPECT_EQ(find_option(view, "optio"), nullptr);
  EXPECT_EQ(find_option(view, ""), nullptr);
}

}  // namespace
}  // namespace polyak
