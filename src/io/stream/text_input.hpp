#pragma once

// One text table that is read once: cut into parts of a given number of rows.

#include <memory>
#include <string>
#include <string_view>

#include "io/stream/byte_source.hpp"
#include "io/text/tables.hpp"

namespace polyak::io {

/// Bytes without an initial value.
class TextBuffer {
 public:
  std::string_view text() const { return {data_.get(), size_}; }
  /// Appends what the source gives, at most `most` bytes; false at its end.
  bool append(ByteSource& source, std::size_t most);
  void append(std::string_view text);
  /// Keeps the first `count` bytes.
  void shorten(std::size_t count) { size_ = count; }

 private:
  void reserve(std::size_t capacity);

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

/// Some whole lines of a table.
struct TextPart {
  TextBuffer text;
  Index rows = 0;
  Index lines_before = 0;
};

class TextInput {
 public:
  /// Reads the first line of data. `source` is decompressed.
  explicit TextInput(std::unique_ptr<ByteSource> source);

  const std::string& name() const { return source_->name(); }
  const CsvLayout& layout() const { return layout_; }
  const ByteSource& source() const { return *source_; }
  Index lines() const { return lines_; }  ///< so far
  /// True if nothing ends the last row: it may have been cut off.
  bool unended() const { return unended_; }

  /// The next `rows` rows, fewer at the end: where a part has none, there are none.
  TextPart next(Index rows);

 private:
  bool read_more();
  void read_layout();
  bool find_line(std::string_view& line);
  bool holds_row(std::string_view line) const;
  [[noreturn]] void fail_long_line() const;

  std::unique_ptr<ByteSource> source_;
  CsvLayout layout_;
  TextBuffer buffer_;       // what has been read, from a beginning of a line on
  std::size_t passed_ = 0;  // of it, lines that were looked at
  std::size_t searched_ = 0;
  Index lines_ = 0;  // before passed_
  bool ended_ = false, unended_ = false;
};

/// The rows of a part, as a reader of `layout` reads them.
void read_part_rows(const TextPart& part, const CsvRowReader& reader, const std::string& name,
                    View A, std::span<double> b);

}  // namespace polyak::io
