#include "output_paths.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "polyak/error.hpp"
#include "suggest.hpp"

namespace polyak::cli {
namespace {

namespace fs = std::filesystem;

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

fs::path full_path(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

// By name, or as what lies on the disk: a file may have several names.
bool same_file(const std::string& a, const std::string& b) {
  if (a == b || full_path(a) == full_path(b)) return true;
  struct stat of_a, of_b;
  if (::stat(a.c_str(), &of_a) != 0 || ::stat(b.c_str(), &of_b) != 0) return false;
  return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

bool is_stream(const std::string& path) { return path == "-" || path.starts_with("/dev/"); }

[[noreturn]] void refuse(const std::string& option, const std::string& path, int error) {
  throw Error(ErrorCode::io, {.what = "no file can be written there",
                              .where = option + " " + path,
                              .found = std::generic_category().message(error)});
}

// Permissions do not tell all: a file is made in the folder, nameless where the
// file system can.
int folder_error(const fs::path& folder) {
  int fd = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    const fs::path probe = folder / (".polyak-" + std::to_string(::getpid()) + ".probe");
    fd = ::open(probe.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) ::unlink(probe.c_str());
  }
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

void check_ending(const std::string& option, const std::string& path,
                  std::initializer_list<const char*> endings) {
  const std::string name = lower_case(path);
  const bool known = std::any_of(endings.begin(), endings.end(),
                                 [&](const char* ending) { return name.ends_with(ending); });
  if (known || endings.size() == 0) return;
  throw Error(ErrorCode::usage, {.what = "the ending does not tell the format of the file",
                                 .where = option + " " + path,
                                 .found = {},
                                 .expected = listed({endings.begin(), endings.end()})});
}

}  // namespace

void check_output(const std::string& option, const std::string& path,
                  std::initializer_list<const char*> endings) {
  if (is_stream(path)) return;
  check_ending(option, path, endings);
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) refuse(option, path, EISDIR);
  if (fs::exists(status) && ::access(path.c_str(), W_OK) != 0) refuse(option, path, errno);
  if (fs::exists(status) && !fs::is_regular_file(status)) return;  // a pipe is written directly
  const fs::path target = fs::exists(status) ? fs::canonical(path, ignored) : fs::path(path);
  const fs::path folder = target.parent_path();
  const int error = folder_error(folder.empty() ? "." : folder);
  if (error != 0) refuse(option, path, error);
}

void check_different(const std::string& a, const std::string& b, const std::string& what) {
  if (a.starts_with("/dev/") || b.starts_with("/dev/")) return;
  if (!same_file(a, b)) return;
  throw Error(ErrorCode::usage,
              {.what = what, .where = a, .found = {}, .expected = {}, .hint = "name another file"});
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string("_-./+,:=@%").find(c) != std::string::npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace polyak::cli
