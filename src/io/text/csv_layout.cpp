#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "io/text/tables.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

Lines lines_of(const MappedFile& file) {
  return Lines(file, csv_comment, /*tabs_are_blank=*/false);
}

// The most frequent separator outside quotes.
char sniff_separator(std::string_view line) {
  constexpr std::array candidates{',', ';', '\t'};
  std::array<Index, 3> counts{};
  bool quoted = false;
  for (char c : line) {
    if (c == '"') quoted = !quoted;
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += !quoted && c == candidates[i];
  }
  const auto best = std::max_element(counts.begin(), counts.end()) - counts.begin();
  return candidates[static_cast<std::size_t>(best)];
}

bool is_number(const std::string& cell, char separator) {
  double value = 0.0;
  const char* end = cell.data() + cell.size();
  return parse_cell(cell.data(), end, separator, value) == end;
}

// Control characters in the names mean that the file is not a text table.
void check_names(const Lines& lines, const std::vector<std::string>& names) {
  for (const auto& name : names)
    for (char c : name)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        lines.fail("the first line holds control characters", excerpt(name), "text");
}

const char* skip_spaces(const char* p, const char* end) {
  while (p != end && *p == ' ') ++p;
  return p;
}

bool is_missing(std::string_view cell) {
  std::string lower(cell);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.empty() || lower == "na" || lower == "n/a" || lower == "null" || lower == "none";
}

// The position of the closing quote of a text that starts at `p`, after its opening quote;
// doubled quotes are part of the text. nullptr if there is none.
const char* closing_quote(const char* p, const char* end) {
  for (; p != end; ++p) {
    if (*p != '"') continue;
    if (p + 1 == end || p[1] != '"') return p;
    ++p;
  }
  return nullptr;
}

std::string without_doubled_quotes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '"') ++i;
  }
  return out;
}

std::string_view trim_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// A cell that is not a plain number: quoted, missing or invalid.
const char* parse_quoted_or_missing_cell(const char* p, const char* end, char separator,
                                         double& value) {
  const bool quoted = p != end && *p == '"';
  const char* stop = p;
  if (quoted) {
    stop = closing_quote(p + 1, end);
    if (stop == nullptr) return nullptr;
  } else {
    while (stop != end && *stop != separator) ++stop;
  }
  const char* first = p + quoted;
  const auto cell = trim_spaces({first, static_cast<std::size_t>(stop - first)});
  const char* last = cell.data() + cell.size();
  if (is_missing(cell)) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (parse_number(cell.data(), last, value) != last) {
    return nullptr;
  }
  stop = skip_spaces(stop + quoted, end);
  return stop == end || *stop == separator ? stop : nullptr;
}

}  // namespace

CsvLayout sniff_csv(const MappedFile& file) { return sniff_csv(lines_of(file)); }

CsvLayout sniff_csv(Lines lines) {
  std::string_view line;
  if (!lines.next(line)) lines.fail("the file holds no data");
  CsvLayout layout;
  layout.separator = sniff_separator(line);
  auto cells = split_cells(lines, line, layout.separator);
  layout.cells = ssize(cells);
  layout.header = !std::all_of(cells.begin(), cells.end(),
                               [&](const auto& cell) { return is_number(cell, layout.separator); });
  if (!layout.header) return layout;
  check_names(lines, cells);
  layout.names = std::move(cells);
  layout.header_line = line;
  return layout;
}

Lines csv_data(const MappedFile& file, const CsvLayout& layout) {
  Lines lines = lines_of(file);
  std::string_view line;
  if (layout.header && lines.next(line)) lines.skip_repeats_of(line);
  return lines;
}

void check_same_columns(const CsvLayout& first, const std::string& first_name,
                        const CsvLayout& layout, const std::string& name) {
  const auto refuse = [&](const std::string& what, Index column, const std::string& found,
                          const std::string& expected) {
    throw Error(ErrorCode::bad_data,
                {.what = what,
                 .where = column < 0 ? name : name + ", column " + std::to_string(column + 1),
                 .found = found,
                 .expected = expected + ", as in " + first_name,
                 .hint = "files of one table have the same columns, in the same order"});
  };
  const auto named = [](const CsvLayout& one) {
    return std::string(one.header ? "names" : "no names");
  };
  if (layout.cells != first.cells)
    refuse("the file has another number of columns", -1, std::to_string(layout.cells),
           std::to_string(first.cells));
  if (layout.header != first.header)
    refuse("the first line is of another kind", -1, named(layout), named(first));
  for (Index j = 0; j < ssize(first.names); ++j)
    if (layout.names[to_size(j)] != first.names[to_size(j)])
      refuse("the column has another name", j, excerpt(layout.names[to_size(j)]),
             excerpt(first.names[to_size(j)]));
}

CsvCounts count_csv(const MappedFile& file, Index k, Index pieces) {
  Lines lines = csv_data(file, sniff_csv(file)).piece(k, pieces);
  CsvCounts out;
  for (std::string_view line; lines.next(line);) ++out.rows;
  out.lines = lines.number();
  return out;
}

FileInfo inspect_csv(const MappedFile& file) {
  const CsvLayout layout = sniff_csv(file);
  FileInfo info;
  info.format = "comma-separated values";
  info.value_type = "text";
  Lines lines = csv_data(file, layout);
  for (std::string_view line; lines.next(line);) ++info.rows;
  info.cols = layout.cells;
  info.nonzeros = info.rows * info.cols;
  info.names = layout.names;
  if (layout.separator != ',')
    info.note = layout.separator == ';' ? "separated by semicolons" : "separated by tabs";
  return info;
}

const char* parse_cell(const char* p, const char* end, char separator, double& value) {
  p = skip_spaces(p, end);
  const char* stop = parse_number(p, end, value);
  if (stop != nullptr) stop = skip_spaces(stop, end);
  if (stop != nullptr && (stop == end || *stop == separator)) return stop;
  return parse_quoted_or_missing_cell(p, end, separator, value);
}

std::vector<std::string> split_cells(const Lines& lines, std::string_view line, char separator) {
  std::vector<std::string> cells;
  const char* end = line.data() + line.size();
  for (const char* p = line.data();; ++p) {
    p = skip_spaces(p, end);
    const char* stop = p;
    if (p != end && *p == '"') {
      stop = closing_quote(p + 1, end);
      if (stop == nullptr)
        lines.fail("a quoted cell does not end on its line",
                   excerpt({p, static_cast<std::size_t>(end - p)}));
      cells.push_back(without_doubled_quotes({p + 1, static_cast<std::size_t>(stop - p - 1)}));
      stop = skip_spaces(stop + 1, end);
      if (stop != end && *stop != separator)
        lines.fail("a quoted cell is followed by other text",
                   excerpt({stop, static_cast<std::size_t>(end - stop)}));
    } else {
      while (stop != end && *stop != separator) ++stop;
      cells.emplace_back(trim_spaces({p, static_cast<std::size_t>(stop - p)}));
    }
    if (stop == end) return cells;
    p = stop;
  }
}

}  // namespace polyak::io
