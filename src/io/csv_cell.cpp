#include <cctype>
#include <limits>

#include "io/csv.hpp"

namespace polyak::io {
namespace {

const char* skip_spaces(const char* p, const char* end) {
  while (p != end && *p == ' ') ++p;
  return p;
}

bool is_missing(std::string_view cell) {
  std::string lower(cell);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.empty() || lower == "na" || lower == "n/a" || lower == "null" || lower == "none";
}

// The end of a quoted text that starts behind its opening quote: the closing
// quote, doubled quotes being part of the text. nullptr if it does not end.
const char* closing_quote(const char* p, const char* end) {
  for (; p != end; ++p) {
    if (*p != '"') continue;
    if (p + 1 == end || p[1] != '"') return p;
    ++p;
  }
  return nullptr;
}

std::string undouble(std::string_view text) {
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

// Everything that is not simply a number: quoted, missing, or nonsense.
const char* parse_odd_cell(const char* p, const char* end, char separator, double& value) {
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

const char* parse_cell(const char* p, const char* end, char separator, double& value) {
  p = skip_spaces(p, end);
  const char* stop = parse_number(p, end, value);
  if (stop != nullptr) stop = skip_spaces(stop, end);
  if (stop != nullptr && (stop == end || *stop == separator)) return stop;
  return parse_odd_cell(p, end, separator, value);
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
      cells.push_back(undouble({p + 1, static_cast<std::size_t>(stop - p - 1)}));
      stop = skip_spaces(stop + 1, end);
      if (stop != end && *stop != separator)
        lines.fail("a quoted cell has something behind it",
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
