#include "file_roles.hpp"

#include <algorithm>
#include <filesystem>

#include "output_paths.hpp"

namespace polyak::cli {
namespace {

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
    const bool written = std::find(usage.written.begin(), usage.written.end(), name) != usage.written.end();
    (written ? out.written : out.read).push_back({name, positionals[i]});
  }
  for (const OptionGroup& group : options.groups())
    for (const Option& option : group.options) {
      const auto path = option.file == FileUse::none ? std::nullopt : option.text();
      if (path) (option.file == FileUse::written ? out.written : out.read).push_back({option.name, *path});
    }
  return out;
}

// A run goes on where it was saved, and saves itself there again.
bool goes_on(const NamedFile& written, const NamedFile& read) {
  return written.option == "checkpoint" && read.option == "resume";
}

// "scan.h5:/data" is in scan.h5, and so is what any other colon may part.
std::vector<std::string> holders(const std::string& input) {
  std::vector<std::string> out{input};
  for (std::size_t at = input.find(':'); at != std::string::npos; at = input.find(':', at + 1))
    if (at > 0) out.push_back(input.substr(0, at));
  return out;
}

// "out/image.tif" stands for out/image-50.tif and the like.
bool is_one_of_its_images(const std::string& images, const std::string& input) {
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
      if (is_one_of_its_images(images, other.path))
        throw Error(ErrorCode::usage, {.what = "one of the images may be written to this file",
                                       .where = other.path,
                                       .found = "--images " + images,
                                       .expected = "another NAME"});
}

}  // namespace

void check_files(const std::vector<std::string>& positionals, const OptionSet& options,
                 const Usage& usage) {
  const Files files = files_of(positionals, options, usage);
  for (const NamedFile& output : files.written)
    if (output.option == "images") check_images(output.path, files);
  for (auto one = files.written.begin(); one != files.written.end(); ++one) {
    for (auto other = files.written.begin(); other != one; ++other)
      check_different(one->path, other->path, "two outputs go to the same place");
    for (const NamedFile& input : files.read)
      if (one->path != "-" && !goes_on(*one, input))
        for (const std::string& holder : holders(input.path))
          check_different(one->path, holder, "the output would replace the input");
  }
}

}  // namespace polyak::cli
