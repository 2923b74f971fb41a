#pragma once

/// \file error.hpp
/// The only exception of the library: wrong arguments, wrong data, or a failure of
/// the system. Divergence and stagnation are not exceptions; see report.hpp.

#include <exception>
#include <string>

#pragma GCC visibility push(default)
namespace polyak {

/// The kind of error; the value is the exit code of the program.
enum class ErrorCode : int {
  usage = 2,           ///< an option or argument is wrong
  bad_data = 65,       ///< the data are invalid or inconsistent
  no_input = 66,       ///< an input file does not exist or cannot be opened
  internal = 70,       ///< a fault of the library itself
  out_of_memory = 71,  ///< an allocation failed
  io = 74,             ///< reading or writing failed
};

/// The parts of the one-line message; parts that do not apply stay empty.
struct ErrorParts {
  std::string what = {};      ///< what is wrong, as a sentence without a full stop
  std::string where = {};     ///< file, line, element, option
  std::string found = {};     ///< what was found there
  std::string expected = {};  ///< what is allowed there
  std::string hint = {};      ///< what the user can do
};

/// The text with every control character replaced by a question mark, so that a file name
/// cannot break a line or send commands to a terminal. `several_lines` keeps line feeds and tabs.
std::string printable(const std::string& text, bool several_lines = false);

class Error : public std::exception {
 public:
  Error(ErrorCode code, ErrorParts parts);

  ErrorCode code() const { return code_; }
  const ErrorParts& parts() const { return parts_; }
  /// "WHERE: WHAT (found F, expected E); HINT", in one line.
  const char* what() const noexcept override { return line_.c_str(); }

 private:
  ErrorCode code_;
  ErrorParts parts_;
  std::string line_;
};

}  // namespace polyak
#pragma GCC visibility pop
