#pragma once

// Shared by the text formats: reading lines and numbers with messages that name the line, and
// writing text. Numbers do not depend on the locale.

#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "io/file.hpp"
#include "polyak/types.hpp"

namespace polyak::io {

/// At most 40 characters of the text, in quotes, for messages.
std::string excerpt(std::string_view text);

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // of UTF-8

/// True if `line` is `names`, perhaps behind a byte order mark.
inline bool repeats(std::string_view line, std::string_view names) {
  if (names.empty()) return false;
  if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  return line == names;
}

/// Parses the number that starts at `p` and returns the position after it, or nullptr if there is
/// none. A leading '+' is accepted; overflow gives ±Inf, underflow 0 or the nearest denormal.
const char* parse_number(const char* p, const char* end, double& value);
inline const char* parse_index(const char* p, const char* end, Index& value) {
  const auto result = std::from_chars(p, end, value);
  return result.ec == std::errc{} ? result.ptr : nullptr;
}

inline const char* skip_blanks(const char* p, const char* end) {
  while (p != end && (*p == ' ' || *p == '\t')) ++p;
  return p;
}
inline const char* token_end(const char* p, const char* end) {
  while (p != end && *p != ' ' && *p != '\t') ++p;
  return p;
}

/// The lines of a file, without leading and trailing blanks and carriage returns. A UTF-8 byte
/// order mark is skipped; UTF-16 is refused.
class Lines {
 public:
  /// Lines that begin with `comment` are skipped. `tabs_are_blank` is false for formats in which
  /// a tab separates cells.
  Lines(const MappedFile& file, char comment, bool tabs_are_blank = true);
  /// The beginning of a text, for messages under this name.
  Lines(std::string name, std::string_view text, char comment, bool tabs_are_blank = true);
  /// Some lines of a text, behind `lines_before` others.
  static Lines continued(std::string name, std::string_view text, char comment, bool tabs_are_blank,
                         Index lines_before);

  /// The next line, also if it is blank or a comment; false at the end.
  bool next_any(std::string_view& line);
  /// The next line that is neither blank nor a comment; false at the end.
  bool next(std::string_view& line);
  /// next() passes lines over that repeat this one: the names of a table, in files that were put
  /// together into one. The text must outlive the lines.
  void skip_repeats_of(std::string_view line) { repeated_ = line; }

  /// Cuts the remaining bytes into `pieces` equal pieces and returns the lines that begin in the
  /// k-th; each line is in exactly one piece. Line numbers of a piece k > 0 count from its
  /// start: number_after() sets the number of lines before it.
  Lines piece(Index k, Index pieces) const;
  void number_after(Index lines) { number_ = lines; }

  /// The number of the line last returned, from 1.
  Index number() const { return number_; }
  /// True if the line last returned is the last, and nothing ends it.
  bool at_cut() const { return left() == 0 && !text_.ends_with('\n'); }
  /// Bytes consumed and bytes left.
  std::size_t position() const { return position_; }
  std::size_t left() const { return text_.size() - position_; }

  /// Throws bad_data for the line last returned.
  [[noreturn]] void fail(const std::string& what, const std::string& found = {},
                         const std::string& expected = {}, const std::string& hint = {}) const;
  /// The same for a token that is not a number.
  [[noreturn]] void fail_number(std::string_view token) const;
  /// The same for a number that is NaN, Inf or too large.
  [[noreturn]] void fail_nonfinite(std::string_view token, const std::string& place = {}) const;

 private:
  Lines(std::string name, std::string_view text, char comment, bool tabs_are_blank,
        Index lines_before);
  bool is_blank(char c) const { return c == ' ' || c == '\r' || (tabs_are_blank_ && c == '\t'); }

  std::string name_;
  std::string_view text_;
  std::string_view line_, repeated_;
  std::size_t position_ = 0;
  Index number_ = 0;
  char comment_;
  bool tabs_are_blank_;
};

/// Appends the shortest text that reads back as this number.
void append_number(std::string& out, double value);
std::string number_text(double value);

/// Buffered text output; numbers in the shortest form that reads back as the same double.
class TextWriter {
 public:
  explicit TextWriter(std::unique_ptr<ByteSink> sink) : sink_(std::move(sink)) {}

  void text(std::string_view text) { buffer_ += text; }
  void put(char c) { buffer_ += c; }
  void number(double value) { append_number(buffer_, value); }
  void integer(Index value);
  /// A cell of a .csv, quoted if necessary.
  void cell(std::string_view text);
  /// Ends the line; flushes the buffer if it exceeds a megabyte.
  void end_line();
  void commit();

 private:
  void flush();

  std::unique_ptr<ByteSink> sink_;
  std::string buffer_;
};

}  // namespace polyak::io
