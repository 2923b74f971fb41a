#pragma once

/// \file error.hpp
/// The one exception of the library: the caller or the world is wrong.
/// Mathematics that goes badly is never an exception; see report.hpp.

#include <exception>
#include <string>

#pragma GCC visibility push(default)
namespace polyak {

/// What kind of fault; the value is the exit code of the program.
enum class ErrorCode : int {
  usage = 2,           ///< an option or argument is wrong
  bad_data = 65,       ///< the data cannot be what it claims to be
  no_input = 66,       ///< an input file is not there or not readable
  internal = 70,       ///< we are wrong
  out_of_memory = 71,  ///< memory was refused
  io = 74,             ///< reading or writing failed
};

/// The parts of the one line a user sees; leave out what does not apply.
struct ErrorParts {
  std::string what = {};      ///< what is wrong, as a sentence without a full stop
  std::string where = {};     ///< file, line, element, option
  std::string found = {};     ///< what was found there
  std::string expected = {};  ///< what would have been right
  std::string hint = {};      ///< what to do
};

/// Without control characters, each of which becomes a question mark: names of files must not
/// break a line nor write to somebody's terminal. `several_lines` keeps line feeds and tabs.
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
