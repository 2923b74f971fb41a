// Which file a name stands for.

#include "io/file_names.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "polyak/files.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

namespace fs = std::filesystem;

constexpr int max_links = 40;  // as the kernel

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// What the link names; nothing if it is no link.
std::optional<fs::path> one_link(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::read_symlink(path, error);
  if (error) return std::nullopt;
  return target.is_absolute() ? target : folder_of(path) / target;
}

// "3" in the folder of the descriptors of this process is 3.
std::optional<int> number_of(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool is_number =
      !name.empty() && name.size() < 8 &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!is_number) return std::nullopt;
  std::error_code error;
  const std::string folder = fs::canonical(folder_of(path), error).string();
  const std::string own = "/proc/" + std::to_string(::getpid());
  if (error || !folder.starts_with(own + "/") || !folder.ends_with("/fd")) return std::nullopt;
  return std::stoi(name);
}

// A file that does not exist: where its folder is, and its name there.
io::FilePlace absent_place(const std::string& path) {
  const fs::path end = without_links(path);
  struct stat info {};
  if (::stat(folder_of(end).c_str(), &info) == 0)
    return {.file = {info.st_dev, info.st_ino}, .name = end.filename().string(), .type = 0};
  std::error_code ignored;
  return {.file = {}, .name = fs::absolute(end, ignored).lexically_normal().string(), .type = 0};
}

}  // namespace

namespace internal::io {

FilePlace place_of(const std::string& path, int standard) {
  struct stat info {};
  if (path == "-" ? ::fstat(standard, &info) == 0 : ::stat(path.c_str(), &info) == 0)
    return {.file = {info.st_dev, info.st_ino}, .name = {}, .type = info.st_mode & S_IFMT};
  return path == "-" ? FilePlace{.file = {}, .name = path, .type = 0} : absent_place(path);
}

}  // namespace internal::io

std::string without_links(const std::string& path) {
  fs::path out = path;
  for (int k = 0; k < max_links; ++k) {
    const auto next = one_link(out);
    if (!next) break;
    out = *next;
  }
  return out.string();
}

std::optional<int> descriptor_of(const std::string& path) {
  fs::path name = path;
  for (int k = 0; k < max_links; ++k) {
    if (const auto number = number_of(name)) return number;
    const auto next = one_link(name);
    if (!next) break;
    name = *next;
  }
  return std::nullopt;
}

bool is_stream(const std::string& path) {
  if (path == "-" || descriptor_of(path)) return true;
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool same_file(const std::string& a, const std::string& b) {
  return io::place_of(a, STDIN_FILENO) == io::place_of(b, STDIN_FILENO);
}

}  // namespace polyak
