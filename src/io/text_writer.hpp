#pragma once

// Text on its way out: collected into large pieces, numbers in the shortest
// form that reads back as the same double, whatever the locale.

#include <memory>
#include <string>
#include <string_view>

#include "io/file.hpp"

namespace polyak::io {

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
