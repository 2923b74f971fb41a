// Outputs are compared with inputs and with each other.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "io/file_names.hpp"
#include "polyak/error.hpp"
#include "polyak/files.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

using io::FilePlace;
using io::place_of;

std::mutex mutex;
// Never destroyed: outputs are written until the process ends.
std::vector<const KeptFiles*>& all_kept() {
  static auto* const list = new std::vector<const KeptFiles*>;
  return *list;
}

std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

[[noreturn]] void refuse(const std::string& output, const std::string& other,
                         const std::string& what) {
  const bool by_name = normal(output) == normal(other);
  throw Error(ErrorCode::usage, {.what = what,
                                 .where = output,
                                 .found = by_name ? "" : "the same file as " + other,
                                 .expected = {},
                                 .hint = "name another file"});
}

// The files that a name like "scan.h5:/data" may refer to: cut at each colon.
std::vector<std::string> possible_files(const std::string& input) {
  std::vector<std::string> out{input};
  for (std::size_t at = input.find(':'); at != std::string::npos; at = input.find(':', at + 1))
    if (at > 0) out.push_back(input.substr(0, at));
  return out;
}

void check_pair(const std::string& output, const FilePlace& place, const std::string& input) {
  if (S_ISCHR(place.type) || S_ISSOCK(place.type)) return;
  for (const std::string& file : possible_files(input))
    if (place == place_of(file, STDIN_FILENO))
      refuse(output, input, "the output would replace the input");
}

bool is_standard_output(const std::string& path) {
  return path == "-" || descriptor_of(path) == STDOUT_FILENO;
}

void check_two(const std::string& output, const FilePlace& place, const std::string& other) {
  if (!(place == place_of(other, STDOUT_FILENO))) return;
  if (S_ISCHR(place.type) && !(is_standard_output(output) && is_standard_output(other))) return;
  refuse(output, other, "two outputs go to the same place");
}

void check_inputs(const std::string& output, const FilePlace& place,
                  const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) check_pair(output, place, input);
}

}  // namespace

void check_outputs(const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
  for (auto one = outputs.begin(); one != outputs.end(); ++one) {
    const FilePlace place = place_of(*one, STDOUT_FILENO);
    for (auto other = outputs.begin(); other != one; ++other) check_two(*one, place, *other);
    check_inputs(*one, place, inputs);
    io::check_kept(*one);
  }
}

KeptFiles::KeptFiles(std::vector<std::string> inputs, std::vector<std::string> outputs)
    : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
  check_outputs(inputs_, outputs_);
  const std::lock_guard lock(mutex);
  all_kept().push_back(this);
}

KeptFiles::~KeptFiles() {
  const std::lock_guard lock(mutex);
  std::erase(all_kept(), this);
}

void io::check_kept(const std::string& path) {
  const std::lock_guard lock(mutex);
  if (all_kept().empty()) return;
  const FilePlace place = place_of(path, STDOUT_FILENO);
  for (const KeptFiles* kept : all_kept()) {
    check_inputs(path, place, kept->inputs());
    for (const std::string& other : kept->outputs())
      if (other != path) check_two(path, place, other);
  }
}

}  // namespace polyak
