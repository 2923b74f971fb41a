#include "bench/solve_exchange.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "bench/script_peer.hpp"
#include "core/clock.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"

namespace polyak::bench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& program, const std::string& found) {
  throw Error(ErrorCode::io, {.what = "a process that was to be measured failed",
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

Exchange::Exchange() {
  std::string name = (fs::temp_directory_path() / "polyak-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(ErrorCode::io, {.what = "no folder can be made there",
                                .where = name,
                                .found = std::generic_category().message(errno),
                                .expected = {},
                                .hint = "name another place by TMPDIR"});
  path_ = name;
}

Exchange::~Exchange() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Exchange::put(const Problem& problem) const {
  const RowMatrix& A = problem.A();
  if (A.nonzeros() == A.rows() * A.cols()) write_matrix(file("A.npy"), A);
  else write_npz(file("A.npz"), A);
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
  if (error != 0) refuse(words[0], std::generic_category().message(error));
  const int code = wait_for(process);
  const double seconds = now_s() - start;
  if (code != 0) refuse(words[0], code < 0 ? "its sudden end" : fmt::format("{}", code));
  std::ifstream file(output_file);
  return {seconds, {std::istreambuf_iterator<char>(file), {}}};
}

}  // namespace polyak::bench
