#include "io/stream/text_input.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "polyak/error.hpp"

namespace polyak::io {
namespace {

constexpr std::size_t read_bytes = std::size_t{1} << 18;
constexpr std::size_t most_line_bytes = std::size_t{1} << 24;

}  // namespace

void TextBuffer::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  capacity = std::max(capacity, 2 * capacity_);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
  data_ = std::move(larger);
  capacity_ = capacity;
}

bool TextBuffer::append(ByteSource& source, std::size_t most) {
  reserve(size_ + most);
  const std::size_t got = source.read({data_.get() + size_, most});
  size_ += got;
  return got > 0;
}

void TextBuffer::append(std::string_view text) {
  if (text.empty()) return;
  reserve(size_ + text.size());
  std::memcpy(data_.get() + size_, text.data(), text.size());
  size_ += text.size();
}

TextInput::TextInput(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
  read_layout();
}

bool TextInput::read_more() {
  if (!ended_) ended_ = !buffer_.append(*source_, read_bytes);
  return !ended_;
}

// The first line of data tells the columns. It must be read to its end, which a line behind it, or
// the end of the input, shows.
void TextInput::read_layout() {
  for (;;) {
    const bool more = read_more();
    Lines lines(name(), buffer_.text(), csv_comment, false);
    std::string_view line;
    const bool found = lines.next(line) && lines.left() > 0;
    if (!found && more) {
      if (buffer_.text().size() > most_line_bytes) fail_long_line();
      continue;
    }
    layout_ = sniff_csv(Lines(name(), buffer_.text(), csv_comment, false));
    if (layout_.header) {
      passed_ = lines.position();
      lines_ = lines.number();
    } else if (buffer_.text().starts_with(byte_order_mark)) {
      passed_ = byte_order_mark.size();
    }
    break;
  }
  // What was passed is not part of any row.
  TextBuffer rest;
  rest.append(buffer_.text().substr(passed_));
  buffer_ = std::move(rest);
  passed_ = 0;
}

// The line from passed_ on, with its end; false at the end of the input.
bool TextInput::find_line(std::string_view& line) {
  searched_ = passed_;
  for (;;) {
    const std::string_view text = buffer_.text();
    const std::size_t newline = text.find('\n', searched_);
    if (newline != std::string_view::npos) {
      line = text.substr(passed_, newline + 1 - passed_);
      return true;
    }
    searched_ = text.size();
    if (text.size() - passed_ > most_line_bytes) fail_long_line();
    if (!read_more()) break;
  }
  line = buffer_.text().substr(passed_);
  return !line.empty();
}

// As Lines::next() decides.
bool TextInput::holds_row(std::string_view line) const {
  const auto blank = [](char c) { return c == ' ' || c == '\r' || c == '\n'; };
  while (!line.empty() && blank(line.front())) line.remove_prefix(1);
  if (line.empty() || line.front() == csv_comment) return false;
  if (!layout_.header || line.front() != layout_.header_line.front()) {
    if (!line.starts_with(byte_order_mark)) return true;
  }
  while (!line.empty() && blank(line.back())) line.remove_suffix(1);
  return !repeats(line, layout_.header_line);
}

TextPart TextInput::next(Index rows) {
  TextPart part;
  part.lines_before = lines_;
  for (std::string_view line; part.rows < rows && find_line(line);) {
    passed_ += line.size();
    ++lines_;
    if (!holds_row(line)) continue;
    ++part.rows;
    unended_ = !line.ends_with('\n');
  }
  TextBuffer rest;
  rest.append(buffer_.text().substr(passed_));
  buffer_.shorten(passed_);
  part.text = std::exchange(buffer_, std::move(rest));
  passed_ = 0;
  return part;
}

void TextInput::fail_long_line() const {
  throw Error(ErrorCode::bad_data,
              {.what = "a line is too long for a table of numbers",
               .where = name() + ":" + std::to_string(lines_ + 1),
               .found = "more than " + std::to_string(most_line_bytes) + " characters"});
}

void read_part_rows(const TextPart& part, const CsvRowReader& reader, const std::string& name,
                    View A, std::span<double> b) {
  Lines lines = Lines::continued(name, part.text.text(), csv_comment, false, part.lines_before);
  lines.skip_repeats_of(reader.layout().header_line);
  Index count = 0;
  for (std::string_view line; lines.next(line); ++count) {
    if (count == A.rows)
      throw Error(ErrorCode::internal,
                  {.what = "a part of a table has more rows than were counted", .where = name});
    reader.read(lines, line, A.row(count), b.empty() ? nullptr : &b[to_size(count)]);
  }
  if (count != A.rows)
    throw Error(ErrorCode::internal,
                {.what = "a part of a table has fewer rows than were counted", .where = name});
}

}  // namespace polyak::io
