#include "io/text/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "polyak/error.hpp"

namespace polyak::io {
namespace {

// from_chars does not distinguish overflow from underflow. The decimal exponent of the first
// nonzero digit does.
bool is_large(const char* p, const char* end) {
  constexpr Index huge = 1'000'000'000'000;
  Index exponent = 0;
  bool fraction = false;
  bool leading = true;
  for (; p != end && *p != 'e' && *p != 'E'; ++p) {
    if (*p == '.') fraction = true;
    if (*p >= '1' && *p <= '9') leading = false;
    if (*p >= '0' && *p <= '9') exponent += fraction ? (leading ? -1 : 0) : (leading ? 0 : 1);
  }
  if (p == end) return exponent > 0;
  const char* digits = p + 1 + (p + 1 != end && p[1] == '+');
  Index written = 0;
  if (parse_index(digits, end, written) == nullptr) written = *digits == '-' ? -huge : huge;
  return exponent + std::clamp(written, -huge, huge) > 0;
}

double out_of_range_value(const char* p, const char* end) {
  const bool negative = p != end && *p == '-';
  const double size = is_large(p, end) ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -size : size;
}

constexpr std::size_t flush_bytes = 1u << 20;

template <class Number>
void append_shortest(std::string& out, Number value) {
  std::array<char, 32> digits{};  // the longest, -1.7976931348623157e+308, has 24
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

}  // namespace

std::string excerpt(std::string_view text) {
  constexpr std::size_t max_length = 40;
  if (text.size() <= max_length) return "'" + std::string(text) + "'";
  return "'" + std::string(text.substr(0, max_length)) + "...'";
}

const char* parse_number(const char* p, const char* end, double& value) {
  if (p != end && *p == '+') {
    ++p;
    if (p == end || *p == '-') return nullptr;
  }
  const auto result = std::from_chars(p, end, value);
  if (result.ec == std::errc{}) return result.ptr;
  if (result.ec != std::errc::result_out_of_range) return nullptr;
  value = out_of_range_value(p, result.ptr);
  return result.ptr;
}

Lines::Lines(std::string name, std::string_view text, char comment, bool tabs_are_blank,
             Index lines_before)
    : name_(std::move(name)),
      text_(text),
      number_(lines_before),
      comment_(comment),
      tabs_are_blank_(tabs_are_blank) {}

Lines Lines::continued(std::string name, std::string_view text, char comment, bool tabs_are_blank,
                       Index lines_before) {
  return Lines(std::move(name), text, comment, tabs_are_blank, lines_before);
}

Lines::Lines(const MappedFile& file, char comment, bool tabs_are_blank)
    : Lines(file.name(), file.bytes(), comment, tabs_are_blank) {}

Lines::Lines(std::string name, std::string_view text, char comment, bool tabs_are_blank)
    : Lines(std::move(name), text, comment, tabs_are_blank, 0) {
  if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) {
    throw Error(ErrorCode::bad_data, {.what = "the file is UTF-16 text",
                                      .where = name_,
                                      .expected = "ASCII or UTF-8",
                                      .hint = "iconv -f UTF-16 -t UTF-8 converts it"});
  }
  if (text_.starts_with(byte_order_mark)) position_ = byte_order_mark.size();
}

bool Lines::next_any(std::string_view& line) {
  if (position_ == text_.size()) return false;
  const char* first = text_.data() + position_;
  const char* end = text_.data() + text_.size();
  const void* newline = std::memchr(first, '\n', static_cast<std::size_t>(end - first));
  const char* last = newline != nullptr ? static_cast<const char*>(newline) : end;
  position_ = static_cast<std::size_t>(last - text_.data()) + (newline != nullptr);
  while (first != last && is_blank(*first)) ++first;
  while (first != last && is_blank(last[-1])) --last;
  ++number_;
  line = line_ = {first, static_cast<std::size_t>(last - first)};
  return true;
}

Lines Lines::piece(Index k, Index pieces) const {
  // The first line start at or after cut number `at`.
  const auto cut = [&](Index at) {
    const std::size_t each = left() / to_size(pieces), over = left() % to_size(pieces);
    const std::size_t p = position_ + to_size(at) * each + std::min(to_size(at), over);
    if (p == position_ || p == text_.size()) return p;
    const std::size_t newline = text_.find('\n', p - 1);
    return newline == std::string_view::npos ? text_.size() : newline + 1;
  };
  Lines out = *this;
  out.position_ = cut(k);
  out.text_ = text_.substr(0, cut(k + 1));
  if (k > 0) out.number_ = 0;
  return out;
}

bool Lines::next(std::string_view& line) {
  while (next_any(line)) {
    if (line.empty() || repeats(line, repeated_)) continue;
    if (line.front() != comment_) return true;
    if (line.find('\0') != std::string_view::npos) fail_number(line);
  }
  return false;
}

void Lines::fail(const std::string& what, const std::string& found, const std::string& expected,
                 const std::string& hint) const {
  throw Error(ErrorCode::bad_data,
              {.what = what,
               .where = number_ > 0 ? name_ + ":" + std::to_string(number_) : name_,
               .found = found,
               .expected = expected,
               .hint = hint});
}

void Lines::fail_number(std::string_view token) const {
  const auto nul = line_.find('\0');
  if (nul == std::string_view::npos)
    fail("not a number", token.empty() ? "nothing" : excerpt(token), "a number");
  fail("the line holds a NUL byte, so this is not a text file",
       "NUL as character " + std::to_string(nul + 1), "text");
}

void Lines::fail_nonfinite(std::string_view token, const std::string& place) const {
  fail("a value is missing, not finite or too large" + place,
       token.empty() ? "nothing" : excerpt(token), "a finite number",
       "--drop-nonfinite-rows skips such rows");
}

void append_number(std::string& out, double value) { append_shortest(out, value); }

std::string number_text(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

void TextWriter::integer(Index value) { append_shortest(buffer_, value); }

void TextWriter::cell(std::string_view text) {
  const bool plain = text.find_first_of("\",;\t\r\n# ") == std::string_view::npos;
  if (plain && !text.empty()) return this->text(text);
  put('"');
  for (char c : text) {
    if (c == '"') put('"');
    put(c == '\n' || c == '\r' ? ' ' : c);  // a row must be one line
  }
  put('"');
}

void TextWriter::end_line() {
  put('\n');
  if (buffer_.size() >= flush_bytes) flush();
}

void TextWriter::flush() {
  sink_->write(buffer_);
  buffer_.clear();
}

void TextWriter::commit() {
  flush();
  sink_->commit();
}

}  // namespace polyak::io
