#include "bench/script_peer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "polyak/error.hpp"

extern char** environ;

namespace polyak::bench {
namespace {

[[noreturn]] void refuse(const std::string& request, const std::string& found) {
  throw Error(ErrorCode::io, {.what = "the peers' script gave no time",
                              .where = request,
                              .found = found,
                              .expected = "seconds",
                              .hint = "run without --peers"});
}

}  // namespace

// Debian's own, which has Debian's NumPy; elsewhere whatever is found.
std::string peer_python() {
  const char* debian = "/usr/bin/python3";
  return ::access(debian, X_OK) == 0 ? debian : "python3";
}

std::vector<std::string> peer_environment(int threads) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (!text.starts_with("OPENBLAS_NUM_THREADS=") && !text.starts_with("PYTHON"))
      out.push_back(text);
  }
  out.push_back(fmt::format("OPENBLAS_NUM_THREADS={}", threads));
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

ScriptPeer::ScriptPeer(const std::string& script, const Options& options, int threads) {
  if (!std::filesystem::is_regular_file(script)) {
    throw Error(ErrorCode::no_input,
                {.what = "there is no such script", .where = "--peers " + script});
  }
  start(script, options, threads);
  if (!ready()) return;
  std::string line;
  if (!read_line(line))
    why_not_ = "the script ended before it began";
  else if (line.starts_with("ready "))
    name_ = line.substr(6);
  else
    why_not_ = line;
}

void ScriptPeer::start(const std::string& script, const Options& options, int threads) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    why_not_ = "no channel to it: " + std::generic_category().message(errno);
    return;
  }
  channel_ = ends[0];
  std::vector<std::string> words{peer_python(),
                                 script,
                                 std::to_string(options.rows),
                                 std::to_string(options.cols),
                                 std::to_string(threads),
                                 std::to_string(options.seed)};
  std::vector<std::string> variables = peer_environment(threads);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const int error = ::posix_spawnp(&process_, words[0].c_str(), &actions, nullptr,
                                   pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) why_not_ = "python3 cannot be started: " + std::generic_category().message(error);
}

// It ends when its input does.
ScriptPeer::~ScriptPeer() {
  if (channel_ >= 0) ::close(channel_);
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

bool ScriptPeer::read_line(std::string& line) {
  while (unread_.find('\n') == std::string::npos) {
    char block[256];
    const ssize_t got = ::read(channel_, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    unread_.append(block, static_cast<std::size_t>(got));
  }
  const std::size_t end = unread_.find('\n');
  line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return true;
}

std::string ScriptPeer::ask(const std::string& line) {
  const std::string text = line + "\n";
  std::string answer;
  const ssize_t sent = ::send(channel_, text.data(), text.size(), MSG_NOSIGNAL);
  if (sent != std::ssize(text) || !read_line(answer)) refuse(line, "the end of the script");
  return answer;
}

double ScriptPeer::measure(const std::string& request, Index calls) {
  const std::string answer = ask(fmt::format("{} {}", request, calls));
  double seconds = 0.0;
  const auto [end, error] = std::from_chars(answer.data(), answer.data() + answer.size(), seconds);
  if (error != std::errc{} || end != answer.data() + answer.size() || !(seconds > 0.0))
    refuse(request, "'" + answer + "'");
  return seconds;
}

}  // namespace polyak::bench
