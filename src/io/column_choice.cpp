#include "io/column_choice.hpp"

#include <algorithm>
#include <numeric>

#include "io/text/text.hpp"
#include "polyak/error.hpp"
#include "polyak/option_table.hpp"

namespace polyak::io {
namespace {

// Levenshtein distance: the number of insertions, deletions and replacements.
Index edit_distance(const std::string& a, const std::string& b) {
  std::vector<Index> row(b.size() + 1);
  std::iota(row.begin(), row.end(), Index{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    Index diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Index replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

[[noreturn]] void refuse_column(const std::vector<std::string>& names, Index count,
                                const std::string& wanted, const std::string& file) {
  ErrorParts parts{.what = "there is no such column",
                   .where = file,
                   .found = excerpt(wanted),
                   .expected = "a number from 1 to " + std::to_string(count)};
  if (!names.empty()) {
    parts.expected = "the name of a column or " + parts.expected;
    parts.hint = "did you mean " + excerpt(closest(names, wanted)) + "?";
  }
  throw Error(ErrorCode::usage, std::move(parts));
}

bool is_pattern(const std::string& text) { return text.find('*') != std::string::npos; }

void refuse_pattern(const std::vector<std::string>& names, const std::string& pattern,
                    const std::string& option, const std::string& file) {
  throw Error(ErrorCode::usage,
              {.what = names.empty() ? "the table has no names" : "no column has such a name",
               .where = file,
               .found = option_name(option, pattern),
               .expected = names.empty() ? "numbers of columns, from 1" : "",
               .hint = "polyak info lists the columns"});
}

// One mark for each column that `wanted` names.
std::vector<bool> marked(const std::vector<std::string>& names, Index count,
                         const std::vector<std::string>& wanted, const std::string& option,
                         const std::string& file) {
  std::vector<bool> out(to_size(count));
  for (const std::string& one : wanted) {
    if (!is_pattern(one) || std::find(names.begin(), names.end(), one) != names.end()) {
      out[to_size(find_column(names, count, one, file))] = true;
      continue;
    }
    bool any = false;
    for (std::size_t j = 0; j < names.size(); ++j)
      if (matches(names[j], one)) out[j] = any = true;
    if (!any) refuse_pattern(names, one, option, file);
  }
  return out;
}

}  // namespace

std::string closest(const std::vector<std::string>& names, const std::string& wanted) {
  return *std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return edit_distance(a, wanted) < edit_distance(b, wanted);
  });
}

std::vector<Index> ColumnChoice::all() const {
  std::vector<Index> out = matrix;
  if (rhs >= 0) out.push_back(rhs);
  return out;
}

// Names that the list of an option cannot hold are replaced by numbers.
std::string leaving_out(const std::vector<std::string>& names, const std::vector<Index>& columns) {
  constexpr std::size_t most = 20;
  if (columns.empty() || columns.size() > most) return "";
  std::string list;
  for (const Index j : columns) {
    const std::string number = std::to_string(j + 1);
    const std::string& name = names.empty() ? number : names[to_size(j)];
    const bool plain = !name.empty() && name.find_first_of(", *'\"$") == std::string::npos &&
                       std::count(names.begin(), names.end(), name) < 2;
    list += (list.empty() ? "" : ",") + (plain ? name : number);
  }
  return option_name("drop", list);
}

// After a '*' the rest of the pattern may begin anywhere; a later '*' makes earlier choices final.
bool matches(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = std::string_view::npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

ColumnChoice choose_columns(const std::vector<std::string>& names, Index count,
                            const ReadOptions& options, const std::string& file) {
  ColumnChoice out;
  if (options.rhs_column) out.rhs = find_column(names, count, *options.rhs_column, file);
  const std::vector<bool> taken = marked(names, count, options.columns, "columns", file);
  const std::vector<bool> dropped = marked(names, count, options.drop, "drop", file);
  for (Index j = 0; j < count; ++j)
    if ((options.columns.empty() || taken[to_size(j)]) && !dropped[to_size(j)] && j != out.rhs)
      out.matrix.push_back(j);
  const bool chosen = !options.columns.empty() || !options.drop.empty();
  if (chosen && out.matrix.empty() && !options.intercept)
    throw Error(ErrorCode::usage, {.what = "no column is left", .where = file});
  return out;
}

Index find_column(const std::vector<std::string>& names, Index count, const std::string& wanted,
                  const std::string& file) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), wanted) != names.end())
      throw Error(ErrorCode::usage, {.what = "two columns have this name",
                                     .where = file,
                                     .found = excerpt(wanted),
                                     .hint = "give its number, from 1"});
    return found - names.begin();
  }
  Index number = 0;
  const char* end = wanted.data() + wanted.size();
  if (parse_index(wanted.data(), end, number) != end || number < 1 || number > count)
    refuse_column(names, count, wanted, file);
  return number - 1;
}

}  // namespace polyak::io

namespace polyak {

Index columns_read(const std::string& path, const FileInfo& info, const ReadOptions& options) {
  return std::ssize(io::choose_columns(info.names, info.cols, options, path).matrix);
}

}  // namespace polyak
