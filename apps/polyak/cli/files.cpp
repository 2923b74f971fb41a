#include "cli/files.hpp"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "cli/messages.hpp"
#include "cli/stopping.hpp"
#include "polyak/error.hpp"
#include "polyak/files.hpp"

namespace polyak::cli {
namespace {

namespace fs = std::filesystem;

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

[[noreturn]] void refuse(const std::string& option, const std::string& path, int error) {
  throw Error(ErrorCode::io, {.what = "no file can be written there",
                              .where = option + " " + path,
                              .found = std::generic_category().message(error)});
}

// Permissions alone do not show whether a file can be created (read-only file systems,
// quotas): so one is created, without a name if the file system supports that.
int folder_error(const fs::path& folder) {
  const BlockSignals block;
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

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Files files_of(const std::vector<std::string>& positionals, const OptionSet& options,
               const Usage& usage) {
  Files out;
  for (std::size_t i = 0; i < positionals.size(); ++i) {
    const std::string& name = usage.positionals[std::min(i, usage.positionals.size() - 1)];
    if (holds(usage.words, name)) continue;
    (holds(usage.written, name) ? out.written : out.read).push_back({name, positionals[i]});
  }
  for (const OptionGroup& group : options.groups())
    for (const Option& option : group.options) {
      const auto path = option.file == FileUse::none ? std::nullopt : option.text();
      if (path)
        (option.file == FileUse::written ? out.written : out.read).push_back({option.name, *path});
    }
  return out;
}

// The files of an option that is written: a checkpoint has two more beside it.
std::vector<std::string> files_written(const NamedFile& output) {
  const std::string& path = output.path;
  if (output.option == "checkpoint") return {path, path + ".previous", path + ".tmp"};
  return {path};
}

// A run may resume from a checkpoint and save to the same file.
bool is_resumed(const NamedFile& input, const Files& files) {
  return input.option == "resume" &&
         std::any_of(files.written.begin(), files.written.end(), [&](const NamedFile& output) {
           return output.option == "checkpoint" &&
                  (same_file(input.path, output.path) ||
                   same_file(input.path, output.path + ".previous"));
         });
}

// The files of an option that is read: those that a pattern matches, of a folder the matrices in
// it.
std::vector<std::string> files_read(const NamedFile& input) {
  std::vector<std::string> out = matching_files(input.path);
  if (out.empty()) out.push_back(input.path);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(input.path, ignored)) {
    const std::string name = entry.path().string();
    if (name.ends_with(".mtx") || name.ends_with(".mtx.gz")) out.push_back(name);
  }
  return out;
}

std::vector<std::string> all_read(const Files& files) {
  std::vector<std::string> out;
  for (const NamedFile& input : files.read)
    if (!is_resumed(input, files))
      for (std::string& name : files_read(input)) out.push_back(std::move(name));
  return out;
}

std::vector<std::string> all_written(const Files& files) {
  std::vector<std::string> out;
  for (const NamedFile& output : files.written)
    for (std::string& name : files_written(output)) out.push_back(std::move(name));
  return out;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Removes digits at the start; false if there are none.
bool skip_number(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(digits);
  return digits > 0;
}

// True for image-50.tif and image-50-slice3.tif if --images is image.tif.
bool is_image_name(const std::string& images, std::string_view name) {
  const std::string stem = fs::path(images).stem().string() + "-";
  const std::string ending = fs::path(images).extension().string();
  if (!name.starts_with(stem) || !name.ends_with(ending)) return false;
  if (name.size() < stem.size() + ending.size()) return false;
  name = name.substr(stem.size(), name.size() - stem.size() - ending.size());
  if (!skip_number(name) || name.empty()) return name.empty();
  constexpr std::string_view slice = "-slice";
  if (!name.starts_with(slice)) return false;
  name.remove_prefix(slice.size());
  return skip_number(name) && name.empty();
}

bool may_be_an_image(const std::string& images, const std::string& file) {
  const fs::path end = without_links(file);
  return is_image_name(images, end.filename().string()) &&
         same_file(folder_of(end).string(), folder_of(images).string());
}

// Names of images may be in use, for links to other files.
void check_links_of_images(const std::string& images, const std::vector<std::string>& read,
                           const std::vector<std::string>& written) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_of(images), ignored)) {
    if (!is_image_name(images, entry.path().filename().string())) continue;
    const std::string image = entry.path().string();
    check_outputs(read, {image});
    for (const std::string& other : written) check_outputs({}, {other, image});
  }
}

void check_images(const std::string& images, const std::vector<std::string>& read,
                  const std::vector<std::string>& written) {
  for (const auto* others : {&read, &written})
    for (const std::string& other : *others)
      if (may_be_an_image(images, other))
        throw Error(ErrorCode::usage, {.what = "one of the images may be written to this file",
                                       .where = other,
                                       .found = "--images " + images,
                                       .expected = "another NAME"});
  check_links_of_images(images, read, written);
}

// What a command prints must not end up in a file that it reads ("polyak info A.csv >> A.csv").
// The shell has emptied the file that ">" names: nothing is left to lose there.
void check_prints(const std::vector<std::string>& read) {
  struct stat info {};
  if (::fstat(STDOUT_FILENO, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return;
  check_outputs(read, {"/dev/stdout"});
}

// An output to a descriptor that is not open would go to a file that is opened later.
void check_descriptor(const std::string& option, const std::string& path) {
  const auto descriptor = descriptor_of(path);
  if (!descriptor) return;
  const int flags = ::fcntl(*descriptor, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) refuse(option, path, EBADF);
}

}  // namespace

void check_output(const std::string& option, const std::string& path,
                  std::initializer_list<const char*> endings) {
  if (is_stream(path)) return check_descriptor(option, path);
  check_ending(option, path, endings);
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) refuse(option, path, EISDIR);
  if (fs::exists(status) && ::access(path.c_str(), W_OK) != 0) refuse(option, path, errno);
  const fs::path target = fs::exists(status) ? fs::canonical(path, ignored) : fs::path(path);
  const fs::path folder = target.parent_path();
  const int error = folder_error(folder.empty() ? "." : folder);
  if (error != 0) refuse(option, path, error);
}

std::vector<std::string> matching_files(const std::string& pattern) {
  std::error_code ignored;
  const std::string file = pattern.substr(0, pattern.rfind(':'));  // of an array in it
  if (pattern.find_first_of("*?[") == std::string::npos || fs::exists(pattern, ignored) ||
      fs::exists(file, ignored))
    return {pattern};
  std::vector<std::string> out;
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::sort(out.begin(), out.end());  // by bytes: glob() sorts by the locale
  return out;
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
  const std::vector<std::string> read = all_read(files), written = all_written(files);
  for (const NamedFile& output : files.written)
    if (output.option == "images") check_images(output.path, read, written);
  static std::optional<KeptFiles> kept;  // those of the command that runs
  kept.reset();
  kept.emplace(read, written);
  check_prints(read);
}

}  // namespace polyak::cli
