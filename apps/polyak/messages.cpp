#include "messages.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

namespace polyak::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Zero, or the error that stopped it.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

bool can_rewrite() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

bool asks_for_json(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--log-format=json") return true;
    if (words[i] == "--log-format" && i + 1 < words.size() && words[i + 1] == "json") return true;
  }
  return false;
}

void put(Json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

}  // namespace

const std::vector<OptionRecord<MessageOptions>>& message_options() {
  using M = MessageOptions;
  static const std::vector<OptionRecord<M>> table = {
      {.name = "config",
       .field = &M::config,
       .value = "FILE.toml",
       .sentence = "Take options from this file, one \"name = value\" a line; the command line "
                   "wins.",
       .file = FileUse::read},
      {.name = "quiet", .field = &M::quiet, .value = "", .sentence = "Say nothing but errors."},
      {.name = "log-format",
       .field = &M::log_format,
       .value = "text|json",
       .sentence = "Messages on standard error as text, or as one JSON object a line."},
  };
  return table;
}

Messages::Messages(const std::vector<std::string>& words)
    : json_(asks_for_json(words)), live_(can_rewrite()) {}

void Messages::configure(const MessageOptions& options) {
  quiet_ = options.quiet;
  json_ = options.log_format == "json";
}

void Messages::line(const std::string& text) {
  status("");
  static_cast<void>(write_all(STDERR_FILENO, printable(text, true) + "\n"));
}

void Messages::warning(const std::string& text) {
  if (quiet_) return;
  if (json_)
    event({{"event", "warning"}, {"message", text}});
  else
    line("polyak: warning: " + text);
}

void Messages::error(const Error& error) {
  if (!json_) return line(std::string("polyak: ") + error.what());
  Json object{{"event", "error"}, {"exit_code", static_cast<int>(error.code())}};
  object["message"] = error.what();
  put(object, "what", error.parts().what);
  put(object, "where", error.parts().where);
  put(object, "found", error.parts().found);
  put(object, "expected", error.parts().expected);
  put(object, "hint", error.parts().hint);
  line(dump(object));
}

void Messages::note(const std::string& text) {
  if (!quiet_ && !json_) line(text);
}

void Messages::event(const Json& object) {
  if (json_ && !quiet_) line(dump(object));
}

void Messages::status(const std::string& text) {
  if (!live() || (text.empty() && !status_shown_)) return;
  static_cast<void>(write_all(STDERR_FILENO, "\r\x1b[K" + printable(text)));
  status_shown_ = !text.empty();
}

void print(const std::string& text) {
  const int error = write_all(STDOUT_FILENO, printable(text, true));
  if (error == 0 || error == EPIPE || error == EBADF) return;  // nobody wants to read it
  throw Error(ErrorCode::io, {.what = "writing failed",
                              .where = "standard output",
                              .found = std::generic_category().message(error)});
}

}  // namespace polyak::cli
