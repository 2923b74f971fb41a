#include "io/parquet/columns.hpp"

#include <algorithm>

#include "io/text/text.hpp"
#include "polyak/error.hpp"

namespace polyak::io::parquet {
namespace {

std::string quoted(const std::string& name) { return "'" + name + "'"; }

// Of columns of the matrix; a right-hand side cannot be left out.
std::string advice(const Footer& footer, const ColumnChoice& choice,
                   const std::vector<Index>& refused) {
  const bool rhs = std::find(refused.begin(), refused.end(), choice.rhs) != refused.end();
  const std::string option = rhs ? "" : leaving_out(names_of(footer), refused);
  const std::string number =
      footer.columns[to_size(refused[0])].is_time
          ? "turn it into a number first, for example days since a day of your choice"
          : "";
  if (option.empty()) return number;
  const std::string left_out = option + " leaves out what is not a number";
  return number.empty() ? left_out : number + ", or " + left_out;
}

void check_types(const MappedFile& file, const Footer& footer, const ColumnChoice& choice) {
  constexpr std::size_t most_listed = 8;
  std::vector<Index> refused;
  for (const Index j : choice.all())
    if (!footer.columns[to_size(j)].refused.empty()) refused.push_back(j);
  if (refused.empty()) return;
  const Column& first = footer.columns[to_size(refused[0])];
  std::string names;
  for (std::size_t k = 0; k < std::min(most_listed, refused.size()); ++k)
    names += (k == 0 ? "" : ", ") + quoted(footer.columns[to_size(refused[k])].name);
  if (refused.size() > most_listed) names += ", ...";
  const std::string all = std::to_string(refused.size()) + " such columns: " + names;
  throw Error(ErrorCode::bad_data,
              {.what = "column " + quoted(first.name) + " holds " + first.refused,
               .where = file.name(),
               .found = refused.size() > 1 ? all : "",
               .expected = "numbers",
               .hint = advice(footer, choice, refused)});
}

}  // namespace

std::vector<std::string> names_of(const Footer& footer) {
  std::vector<std::string> out;
  for (const Column& column : footer.columns) out.push_back(column.name);
  return out;
}

ColumnChoice choose_columns(const MappedFile& file, const Footer& footer,
                            const ReadOptions& options) {
  const std::vector<std::string> names = names_of(footer);
  ColumnChoice out = io::choose_columns(names, ssize(names), options, file.name());
  check_types(file, footer, out);
  return out;
}

}  // namespace polyak::io::parquet
