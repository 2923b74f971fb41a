#include "cli/messages.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
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

// Returns 0 or errno.
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

// Insertions, deletions, replacements and swaps of neighbours cost 1 each.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  const std::size_t n = b.size() + 1;
  std::vector<std::size_t> before(n), above(n), row(n);
  for (std::size_t j = 0; j < n; ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < n; ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[n - 1];
}

// A word that contains the other costs 1 or 2: "iterations" means "max-iterations",
// "tolerance" means "tol".
std::size_t distance_of(const std::string& word, const std::string& candidate) {
  const std::size_t edits = edit_distance(word, candidate);
  const std::string& shorter = word.size() < candidate.size() ? word : candidate;
  const std::string& longer = word.size() < candidate.size() ? candidate : word;
  if (shorter.size() < 3) return edits;
  const std::size_t at = longer.find(shorter);
  return at == std::string::npos ? edits : std::min<std::size_t>(edits, at == 0 ? 1 : 2);
}

}  // namespace

const std::vector<OptionRecord<MessageOptions>>& message_options() {
  using M = MessageOptions;
  static const std::vector<OptionRecord<M>> table = {
      {.name = "config",
       .field = &M::config,
       .value = "FILE.toml",
       .sentence = "Read options from this file, one \"name = value\" per line; the command line "
                   "has precedence.",
       .file = FileUse::read},
      {.name = "quiet",
       .field = &M::quiet,
       .value = "",
       .sentence = "Write no messages except errors."},
      {.name = "log-format",
       .field = &M::log_format,
       .value = "text|json",
       .sentence = "Messages on standard error as text, or as one JSON object per line."},
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

namespace {

void print_unless(int ignored, const std::string& text) {
  const int error = write_all(STDOUT_FILENO, printable(text, true));
  if (error == 0 || error == EPIPE || error == ignored) return;  // EPIPE: the reader has gone
  throw Error(ErrorCode::io, {.what = "writing failed",
                              .where = "standard output",
                              .found = std::generic_category().message(error)});
}

}  // namespace

void print(const std::string& text) { print_unless(0, text); }
void print_summary(const std::string& text) { print_unless(EBADF, text); }

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = distance_of(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace polyak::cli
