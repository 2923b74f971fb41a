#include "bench/processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/clock.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"

extern char** environ;

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

[[noreturn]] void refuse(const std::string& request, const std::string& found) {
  throw Error(ErrorCode::io, {.what = "the peers' script gave no time",
                              .where = request,
                              .found = found,
                              .expected = "seconds",
                              .hint = "run without --peers"});
}

namespace fs = std::filesystem;

[[noreturn]] void refuse_child(const std::string& program, const std::string& found) {
  throw Error(ErrorCode::io, {.what = "a measured process failed",
                              .where = program,
                              .found = found,
                              .expected = "the exit code 0",
                              .hint = {}});
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

// Debian's interpreter, which has Debian's NumPy; on other systems the first in PATH.
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
    why_not_ = "the script ended before its first answer";
  else if (line.starts_with("ready "))
    name_ = line.substr(6);
  else
    why_not_ = line;
}

void ScriptPeer::start(const std::string& script, const Options& options, int threads) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    why_not_ = "no socket to the script: " + std::generic_category().message(errno);
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

// The script ends at the end of its input.
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
  if (sent != std::ssize(text) || !read_line(answer)) refuse(line, "no answer");
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

Exchange::Exchange() {
  std::string name = (fs::temp_directory_path() / "polyak-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(ErrorCode::io, {.what = "the temporary folder cannot be created",
                                .where = name,
                                .found = std::generic_category().message(errno),
                                .expected = {},
                                .hint = "set TMPDIR to another folder"});
  path_ = name;
}

Exchange::~Exchange() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Exchange::put(const Problem& problem) const {
  const RowMatrix& A = problem.A();
  if (A.nonzeros() == A.rows() * A.cols())
    write_matrix(file("A.npy"), A);
  else
    write_npz(file("A.npz"), A);
  write_array(file("b.npy"), problem.b());
}

Child run_child(std::vector<std::string> words, std::vector<std::string> environment,
                const std::string& output_file) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_file.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t process = -1;
  const double start = now_s();
  const int error = ::posix_spawnp(&process, words[0].c_str(), &actions, nullptr,
                                   pointers(words).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) refuse_child(words[0], std::generic_category().message(error));
  const int code = wait_for(process);
  const double seconds = now_s() - start;
  if (code != 0) refuse_child(words[0], code < 0 ? "killed by a signal" : fmt::format("{}", code));
  std::ifstream file(output_file);
  return {seconds, {std::istreambuf_iterator<char>(file), {}}};
}

}  // namespace polyak::bench::internal
