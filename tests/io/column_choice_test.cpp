// Which columns of a table are read.

#include "io/column_choice.hpp"

#include "io/text/tables.hpp"
#include "io_testing.hpp"
#include "polyak/table_stream.hpp"

namespace polyak::test::columns {
namespace {

using testing::error_of;
using testing::Folder;
using testing::values_of;

const std::string houses =
    "id,city,area,rooms,when,price\n"
    "a1,Berlin,50,2,2020-01-01,10\n"
    "a2,\"Rome, Italy\",60,3,2021-05-05,20\n"
    "a3,,70,4,,30\n";

ReadOptions options(std::vector<std::string> columns, std::vector<std::string> drop = {},
                    std::optional<std::string> rhs = {}) {
  ReadOptions out;
  out.columns = std::move(columns);
  out.drop = std::move(drop);
  out.rhs_column = std::move(rhs);
  return out;
}

const std::vector<std::string> names{"id", "area", "age", "rooms", "*", "area"};
std::vector<Index> chosen(const ReadOptions& asked) {
  return io::choose_columns(names, 6, asked, "t.csv").matrix;
}
using Numbers = std::vector<Index>;

TEST(columns_of_a_table, are_named_numbered_or_matched) {
  EXPECT_EQ(chosen(options({})), (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(chosen(options({"rooms", "id"})), (Numbers{0, 3}));  // in the order of the table
  EXPECT_EQ(chosen(options({"2", "6"})), (Numbers{1, 5}));
  EXPECT_EQ(chosen(options({"a*"})), (Numbers{1, 2, 5}));
  EXPECT_EQ(chosen(options({"*e*"})), (Numbers{1, 2, 5}));
  EXPECT_EQ(chosen(options({"*"})), (Numbers{4}));  // a column of this name
  EXPECT_EQ(chosen(options({}, {"a*", "*"})), (Numbers{0, 3}));
  EXPECT_EQ(chosen(options({"a*", "id"}, {"age"}, "id")), (Numbers{1, 5}));
}

TEST(columns_of_a_table, that_do_not_exist_are_refused) {
  for (const ReadOptions& asked :
       {options({"zone"}), options({}, {"zone"}), options({"7"}), options({"0"}), options({"z*"}),
        options({}, {"*z"}), options({"area"}), options({"id"}, {"id"}),
        options({"id"}, {}, "id")}) {
    const Error error = error_of([&] { chosen(asked); });
    EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
    EXPECT_NE(std::string(error.what()).find("t.csv"), std::string::npos) << error.what();
  }
  EXPECT_EQ(error_of([] { io::choose_columns({}, 3, options({"a*"}), "t.csv"); }).code(),
            ErrorCode::usage);
}

TEST(columns_of_a_table, match_patterns_as_a_shell_does) {
  EXPECT_TRUE(io::matches("", "*") && io::matches("", "") && io::matches("abc", "a*c"));
  EXPECT_TRUE(io::matches("abcbc", "a*bc") && io::matches("aXbYb", "a*b*b") &&
              io::matches("a", "a**"));
  EXPECT_FALSE(io::matches("a", "") || io::matches("", "a") || io::matches("abcd", "a*c"));
  EXPECT_FALSE(io::matches("ab", "a*b*b") || io::matches("abc", "abc*d"));
}

// Text in columns that are not read, quoted separators and empty cells do no harm.
TEST(columns_of_a_table, that_are_not_read_may_hold_anything) {
  const Folder folder;
  const std::string path = folder.write("houses.csv", houses);
  const std::vector<double> expected{50, 2, 60, 3, 70, 4};
  for (const ReadOptions& asked :
       {options({"area", "rooms"}, {}, "price"), options({}, {"id", "city", "when"}, "price"),
        options({"3", "4"}, {}, "6"), options({"*o*", "area"}, {}, "price")}) {
    const Table table = read_table(path, asked);
    EXPECT_EQ(values_of(*table.A), expected);
    EXPECT_EQ(table.names, (std::vector<std::string>{"area", "rooms"}));
    EXPECT_EQ(values_of(table.b), (std::vector<double>{10, 20, 30}));
    EXPECT_EQ(columns_read(path, inspect(path), asked), 2);
  }
  ReadOptions stream = options({}, {"id", "city", "when"}, "price");
  stream.storage = Storage::stream;
  const OpenedTable opened = open_table({path}, stream);
  ASSERT_TRUE(opened.stream);
  EXPECT_EQ(opened.stream->cols(), 2);
}

TEST(columns_of_a_table, that_are_text_are_named_with_the_option_that_helps) {
  const Folder folder;
  const std::string path = folder.write("houses.csv", houses);
  const std::string text = error_of([&] { read_table(path, options({}, {}, "price")); }).what();
  EXPECT_NE(text.find("column 1 (id)"), std::string::npos) << text;
  EXPECT_NE(text.find("drop = id,city,when"), std::string::npos) << text;
  // What the message says works.
  EXPECT_EQ(read_table(path, options({}, {"id", "city", "when"}, "price")).A->cols(), 2);
  // A right-hand side cannot be left out.
  const std::string rhs = error_of([&] { read_table(path, options({"area"}, {}, "city")); }).what();
  EXPECT_EQ(rhs.find("drop"), std::string::npos) << rhs;
}

TEST(columns_of_a_table, with_names_that_a_list_cannot_hold_are_given_by_number) {
  EXPECT_EQ(io::leaving_out({"a", "b,c", "d e", "a"}, {1, 2, 3}), "drop = 2,3,4");
  EXPECT_EQ(io::leaving_out({}, {0, 4}), "drop = 1,5");
  EXPECT_EQ(io::leaving_out({"a"}, {}), "");
}

TEST(columns_of_a_table, are_chosen_in_tables_only) {
  const Folder folder;
  write_matrix(folder / "A.npy", *dense_matrix(std::vector<double>{1.0, 2.0}, 1, 2));
  EXPECT_EQ(error_of([&] { read_table(folder / "A.npy", options({"1"})); }).code(),
            ErrorCode::usage);
  EXPECT_EQ(error_of([&] { read_table(folder / "A.npy", options({}, {"1"})); }).code(),
            ErrorCode::usage);
}

}  // namespace
}  // namespace polyak::test::columns
