#include "cli/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cli/messages.hpp"
#include "polyak/error.hpp"

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

// By name, or as the same file on disk: a file may have several names.
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

// Permissions alone do not show whether a file can be created (read-only file systems,
// quotas): so one is created, without a name if the file system supports that.
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
  throw Error(ErrorCode::usage, {.what = "the ending of the file name does not name a known format",
                                 .where = option + " " + path,
                                 .found = {},
                                 .expected = listed({endings.begin(), endings.end()})});
}

struct NamedFile {
  std::string option;
  std::string path;
};

struct Files {
  std::vector<NamedFile> read, written;
};

Files files_of(const std::vector<std::string>& positionals, const OptionSet& options,
               const Usage& usage) {
  Files out;
  for (std::size_t i = 0; i < positionals.size(); ++i) {
    const std::string& name = usage.positionals[i];
    const bool written =
        std::find(usage.written.begin(), usage.written.end(), name) != usage.written.end();
    (written ? out.written : out.read).push_back({name, positionals[i]});
  }
  for (const OptionGroup& group : options.groups())
    for (const Option& option : group.options) {
      const auto path = option.file == FileUse::none ? std::nullopt : option.text();
      if (path)
        (option.file == FileUse::written ? out.written : out.read).push_back({option.name, *path});
    }
  return out;
}

// A run may resume from a checkpoint and save to the same file.
bool resumes_and_saves(const NamedFile& written, const NamedFile& read) {
  return written.option == "checkpoint" && read.option == "resume";
}

// The files that a name like "scan.h5:/data" may refer to: cut at each colon.
std::vector<std::string> possible_files(const std::string& input) {
  std::vector<std::string> out{input};
  for (std::size_t at = input.find(':'); at != std::string::npos; at = input.find(':', at + 1))
    if (at > 0) out.push_back(input.substr(0, at));
  return out;
}

// True if `--images out/image.tif` may write this file: out/image-50.tif and so on.
bool may_be_an_image(const std::string& images, const std::string& input) {
  const auto dot = images.rfind('.');
  if (dot == std::string::npos) return false;
  const std::string ending = images.substr(dot);
  namespace fs = std::filesystem;
  std::error_code ignored;
  const std::string file = fs::weakly_canonical(input, ignored).string();
  const std::string stem = fs::weakly_canonical(images.substr(0, dot), ignored).string() + "-";
  return file.starts_with(stem) && file.ends_with(ending);
}

void check_images(const std::string& images, const Files& files) {
  for (const std::vector<NamedFile>& others : {files.read, files.written})
    for (const NamedFile& other : others)
      if (may_be_an_image(images, other.path))
        throw Error(ErrorCode::usage, {.what = "one of the images may be written to this file",
                                       .where = other.path,
                                       .found = "--images " + images,
                                       .expected = "another NAME"});
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

void check_files(const std::vector<std::string>& positionals, const OptionSet& options,
                 const Usage& usage) {
  const Files files = files_of(positionals, options, usage);
  for (const NamedFile& output : files.written)
    if (output.option == "images") check_images(output.path, files);
  for (auto one = files.written.begin(); one != files.written.end(); ++one) {
    for (auto other = files.written.begin(); other != one; ++other)
      check_different(one->path, other->path, "two outputs go to the same place");
    for (const NamedFile& input : files.read)
      if (one->path != "-" && !resumes_and_saves(*one, input))
        for (const std::string& file : possible_files(input.path))
          check_different(one->path, file, "the output would replace the input");
  }
}

}  // namespace polyak::cli
