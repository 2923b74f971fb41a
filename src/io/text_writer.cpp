#include "io/text_writer.hpp"

#include <array>
#include <charconv>

namespace polyak::io {
namespace {

constexpr std::size_t flush_bytes = 1u << 20;

template <class Number>
void append_shortest(std::string& out, Number value) {
  std::array<char, 32> digits{};  // -1.7976931348623157e+308 takes 24
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

}  // namespace

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
    put(c == '\n' || c == '\r' ? ' ' : c);  // a row stays a line
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
