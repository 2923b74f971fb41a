#include "io/parquet/columns.hpp"

#include <algorithm>
#include <numeric>

#include "io/text/tables.hpp"
#include "polyak/error.hpp"

namespace polyak::io::parquet {
namespace {

std::string quoted(const std::string& name) { return "'" + name + "'"; }

// A hint that works as it stands: it writes a file of the other columns.
std::string advice(const MappedFile& file, const Column& first, const std::string& names) {
  if (first.is_time)
    return "turn it into a number first, for example days since a day of your choice";
  return "leave out such columns; in Python, with pyarrow.parquet as pq: "
         "pq.write_table(pq.read_table(" +
         quoted(file.name()) + ").drop([" + names + "]), 'numbers.parquet')";
}

void check_types(const MappedFile& file, const Footer& footer, const std::vector<Index>& used) {
  constexpr std::size_t most_listed = 8;
  std::vector<const Column*> refused;
  for (const Index j : used)
    if (!footer.columns[to_size(j)].refused.empty()) refused.push_back(&footer.columns[to_size(j)]);
  if (refused.empty()) return;
  std::string names = quoted(refused[0]->name);
  for (std::size_t k = 1; k < std::min(most_listed, refused.size()); ++k)
    names += ", " + quoted(refused[k]->name);
  if (refused.size() > most_listed) names += ", ...";
  const std::string others = std::to_string(refused.size()) + " such columns: " + names;
  throw Error(ErrorCode::bad_data,
              {.what = "column " + quoted(refused[0]->name) + " holds " + refused[0]->refused,
               .where = file.name(),
               .found = refused.size() > 1 ? others : "",
               .expected = "numbers",
               .hint = advice(file, *refused[0], names)});
}

std::vector<Index> every_column(std::size_t count) {
  std::vector<Index> out(count);
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

}  // namespace

std::vector<Index> ColumnChoice::all() const {
  std::vector<Index> out = matrix;
  if (rhs >= 0) out.push_back(rhs);
  return out;
}

std::vector<std::string> names_of(const Footer& footer) {
  std::vector<std::string> out;
  for (const Column& column : footer.columns) out.push_back(column.name);
  return out;
}

ColumnChoice choose_columns(const MappedFile& file, const Footer& footer,
                            const std::vector<std::string>& wanted,
                            const std::optional<std::string>& rhs) {
  const std::vector<std::string> names = names_of(footer);
  ColumnChoice out;
  if (rhs) out.rhs = find_column(names, ssize(names), *rhs, file.name());
  for (const std::string& name : wanted)
    out.matrix.push_back(find_column(names, ssize(names), name, file.name()));
  if (wanted.empty()) out.matrix = every_column(names.size());
  std::sort(out.matrix.begin(), out.matrix.end());
  out.matrix.erase(std::unique(out.matrix.begin(), out.matrix.end()), out.matrix.end());
  std::erase(out.matrix, out.rhs);
  check_types(file, footer, out.all());
  return out;
}

}  // namespace polyak::io::parquet
