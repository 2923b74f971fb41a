#pragma once

// What the text formats share: lines, numbers, and messages that name both.
// Text on its way out: collected into large pieces, numbers in the shortest
// form that reads back as the same double, whatever the locale.

#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "io/file.hpp"
#include "polyak/types.hpp"

namespace polyak::io {

/// A piece of the file, short enough for a message.
std::string excerpt(std::string_view text);

/// Reads a number that starts at `p`: the position behind it, or nullptr if
/// there is none. The locale plays no part. A leading '+' is accepted; what is
/// too large becomes ±Inf, what is too small 0 or the nearest denormal.
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

/// The lines of a file, trimmed of blanks and of the CR of Windows. A UTF-8
/// byte order mark is skipped; UTF-16 is refused.
class Lines {
 public:
  /// `comment` starts a line to be passed over. `tabs_are_blank` is false
  /// where a tab separates cells.
  Lines(const MappedFile& file, char comment, bool tabs_are_blank = true);

  /// The next line, whatever it is; false at the end.
  bool next_any(std::string_view& line);
  /// The next line that is neither blank nor a comment; false at the end.
  bool next(std::string_view& line);

  /// Of what is left, the lines that begin in the k-th of so many equal pieces
  /// of bytes; each line is in one of them. Numbers start at 0 again but in the
  /// first: number_after() tells where they really go on.
  Lines piece(Index k, Index pieces) const;
  void number_after(Index lines) { number_ = lines; }

  /// Of the line last returned, from 1.
  Index number() const { return number_; }
  /// Bytes consumed and bytes left.
  std::size_t position() const { return position_; }
  std::size_t left() const { return text_.size() - position_; }

  /// bad_data at the line last returned.
  [[noreturn]] void fail(const std::string& what, const std::string& found = {},
                         const std::string& expected = {}, const std::string& hint = {}) const;
  /// Something that should be a number is not.
  [[noreturn]] void fail_number(std::string_view token) const;
  /// A number is NaN, Inf or too large.
  [[noreturn]] void fail_nonfinite(std::string_view token, const std::string& place = {}) const;

 private:
  bool is_blank(char c) const { return c == ' ' || c == '\r' || (tabs_are_blank_ && c == '\t'); }

  std::string name_;
  std::string_view text_;
  std::string_view line_;
  std::size_t position_ = 0;
  Index number_ = 0;
  char comment_;
  bool tabs_are_blank_;
};

/// Appends the shortest text that reads back as this number.
void append_number(std::string& out, double value);
std::string number_text(double value);

class TextWriter {
 public:
  explicit TextWriter(std::unique_ptr<ByteSink> sink) : sink_(std::move(sink)) {}

  void text(std::string_view text) { buffer_ += text; }
  void put(char c) { buffer_ += c; }
  void number(double value) { append_number(buffer_, value); }
  void integer(Index value);
  /// A cell of a .csv: quoted where it has to be.
  void cell(std::string_view text);
  /// Ends the line, and now and then hands the buffer on.
  void end_line();
  void commit();

 private:
  void flush();

  std::unique_ptr<ByteSink> sink_;
  std::string buffer_;
};

}  // namespace polyak::io
