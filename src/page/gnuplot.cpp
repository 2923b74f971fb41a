#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "page/chart.hpp"

extern char** environ;

namespace polyak::internal::page {
namespace {

// An anonymous temporary file, deleted when it is closed.
using Scratch = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
Scratch scratch() { return {std::tmpfile(), &std::fclose}; }

std::string contents(std::FILE* file) {
  std::string out;
  char block[1 << 16];
  std::rewind(file);
  while (const std::size_t got = std::fread(block, 1, sizeof block, file)) out.append(block, got);
  return out;
}

bool fill(std::FILE* file, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (!written || std::fflush(file) != 0) return false;
  std::rewind(file);
  return true;
}

// Runs gnuplot; returns its exit code, or −1 if it could not be started or was killed.
int run(std::FILE* in, std::FILE* out, std::FILE* err) {
  posix_spawn_file_actions_t files;
  if (::posix_spawn_file_actions_init(&files) != 0) return -1;
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(in), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(out), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, ::fileno(err), STDERR_FILENO);
  char name[] = "gnuplot", option[] = "-d", input[] = "-";  // -d: without the settings of the user
  char* arguments[] = {name, option, input, nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, name, &files, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

bool has_gnuplot() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string folder(rest.substr(0, colon));
    if (!folder.empty() && ::access((folder + "/gnuplot").c_str(), X_OK) == 0) return true;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return false;
}

Drawing run_gnuplot(const std::string& script) {
  const Scratch in = scratch(), out = scratch(), err = scratch();
  if (!in || !out || !err || !fill(in.get(), script))
    return {false, "", "cannot create a temporary file"};
  const int code = run(in.get(), out.get(), err.get());
  Drawing drawing{code == 0, contents(out.get()), contents(err.get())};
  drawing.ok = drawing.ok && !drawing.bytes.empty();
  if (code < 0) drawing.message = "gnuplot could not be started";
  drawing.message = drawing.message.substr(0, drawing.message.find('\n', 1));
  return drawing;
}

}  // namespace polyak::internal::page
