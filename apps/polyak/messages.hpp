#pragma once

// What the program says besides its answer: warnings, errors and progress, on
// standard error, as text or as one JSON object a line. A reader that has gone
// away is no reason to stop.

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
  /// Before options are read: so that even a misspelt one is told in JSON.
  explicit Messages(const std::vector<std::string>& words);
  void configure(const MessageOptions& options);

  bool quiet() const { return quiet_; }
  bool json() const { return json_; }
  /// Lines may be rewritten: standard error is a terminal that can.
  bool live() const { return live_ && !quiet_ && !json_; }

  void warning(const std::string& text);
  void error(const Error& error);
  /// A line for people; not in JSON, not when quiet.
  void note(const std::string& text);
  /// An object for programs; only in JSON, not when quiet.
  void event(const nlohmann::ordered_json& object);
  /// The one line that is written over and over on a terminal; empty wipes it.
  void status(const std::string& text);

 private:
  void line(const std::string& text);

  bool quiet_ = false;
  bool json_ = false;
  bool live_ = false;
  bool status_shown_ = false;
};

/// Text to standard output, whole. A reader that has gone away is fine, any
/// other failure is an Error io.
void print(const std::string& text);

}  // namespace polyak::cli
