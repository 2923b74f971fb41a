#pragma once

// Everything the program writes besides its result: warnings, errors and progress,
// on standard error, as text or as one JSON object per line. If nobody reads
// standard error any more, the program goes on.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "polyak/error.hpp"
#include "polyak/option_table.hpp"

namespace polyak::cli {

struct MessageOptions {
  std::optional<std::string> config;
  bool quiet = false;
  std::string log_format = "text";
};
const std::vector<OptionRecord<MessageOptions>>& message_options();

class Messages {
 public:
  /// Before the options are parsed. Looks for --log-format json among the words, so
  /// that errors of parsing are JSON too.
  explicit Messages(const std::vector<std::string>& words);
  void configure(const MessageOptions& options);

  bool quiet() const { return quiet_; }
  bool json() const { return json_; }
  /// True if standard error is a terminal on which a line can be rewritten.
  bool live() const { return live_ && !quiet_ && !json_; }

  void warning(const std::string& text);
  void error(const Error& error);
  /// A line for people; omitted with JSON and with --quiet.
  void note(const std::string& text);
  /// An object for programs; only with JSON, and not with --quiet.
  void event(const nlohmann::ordered_json& object);
  /// Rewrites the status line of a terminal; an empty text erases it.
  void status(const std::string& text);

 private:
  void line(const std::string& text);

  bool quiet_ = false;
  bool json_ = false;
  bool live_ = false;
  bool status_shown_ = false;
};

/// Writes the whole text to standard output. A closed pipe is no error; any other
/// failure is an Error io.
void print(const std::string& text);
/// The same for a command whose result is in a file: a closed standard output is no error.
void print_summary(const std::string& text);

/// The candidate that a misspelt word probably means; empty if none is close.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string listed(const std::vector<std::string>& words);

}  // namespace polyak::cli
