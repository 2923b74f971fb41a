#include <filesystem>
#include <fstream>

#include "checkpoint/archive.hpp"
#include "checkpoint/container.hpp"
#include "io/file.hpp"
#include "polyak/checkpoint.hpp"
#include "polyak/error.hpp"
#include "polyak/files.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

using checkpoint::Json;

// Sizes that the driver relies on.
void check_shape(const Snapshot& snapshot) {
  const RunState& run = snapshot.run;
  if (run.distances.size() != run.history.size() || run.method.iteration < 0 ||
      run.method.vectors.empty() || run.best.size() != run.method.vectors[0].size())
    throw std::out_of_range("parts of different lengths");
}

[[noreturn]] void refuse_other(const std::string& path, const std::string& name,
                               const std::string& saved, const std::string& here) {
  throw Error(ErrorCode::bad_data,
              {.what = "the checkpoint is of another run: " + name + " differs",
               .where = path,
               .found = saved,
               .expected = here,
               .hint = "resume with what it was made with, or start anew without --resume"});
}

[[noreturn]] void refuse_descriptor(const std::string& path) {
  throw Error(ErrorCode::usage, {.what = "a checkpoint needs a file of its own",
                                 .where = path,
                                 .found = "an open descriptor",
                                 .expected = "a name that is free, or a checkpoint of polyak",
                                 .hint = "name another file"});
}

// Whether the file is a checkpoint, by its first bytes; nothing if it does not exist or is
// empty.
std::optional<bool> is_checkpoint(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) return std::nullopt;
  if (!std::filesystem::is_regular_file(status)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string start(checkpoint::mark.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (file.gcount() == 0) return std::nullopt;
  return start == checkpoint::mark;
}

}  // namespace

CheckpointFile::CheckpointFile(std::string path, Fingerprint fingerprint)
    : path_(std::move(path)), fingerprint_(std::move(fingerprint)) {}

void CheckpointFile::check_place() const {
  const bool previous_is_ours = is_checkpoint(previous()) == true;
  const auto check = [&](const std::string& path, bool allowed) {
    if (allowed || is_checkpoint(path).value_or(true)) return;
    throw Error(ErrorCode::usage, {.what = "the file there is no checkpoint and would be replaced",
                                   .where = path,
                                   .found = {},
                                   .expected = "a name that is free, or a checkpoint of polyak",
                                   .hint = "name another file"});
  };
  std::error_code ignored;
  const bool is_device = std::filesystem::is_character_file(path_, ignored);
  if (!is_device && descriptor_of(path_)) refuse_descriptor(path_);
  // A damaged checkpoint may be replaced if the previous one is ours; so may a device.
  check(path_, previous_is_ours || is_device);
  check(previous(), false);
  check(unfinished(), false);
}

void CheckpointFile::save(const Snapshot& snapshot) const {
  checkpoint::Contents contents;
  const Json saved = checkpoint::Writer(contents.numbers).put(snapshot);
  Json fingerprint = Json::object();
  for (const auto& [name, value] : fingerprint_) fingerprint[name] = value;
  const Json manifest = {{"fingerprint", fingerprint}, {"snapshot", saved}};
  contents.manifest = manifest.dump();

  io::OutputFile file(
      path_,
      {.unfinished = unfinished(), .replaced = previous(), .mark = std::string(checkpoint::mark)});
  file.write(checkpoint::pack(contents));
  file.commit();
}

Snapshot CheckpointFile::read(const std::string& path) const {
  const auto file = io::MappedFile::open(path);
  const checkpoint::Contents contents = checkpoint::unpack(path, file->bytes());
  Snapshot out;
  try {
    const Json manifest = Json::parse(contents.manifest);
    const Json& saved = manifest.at("fingerprint");
    for (const auto& [name, value] : fingerprint_) {
      const std::string was = saved.value(name, "nothing");
      if (was != value) refuse_other(path, name, was, value);
    }
    checkpoint::Reader(contents.numbers).get(manifest.at("snapshot"), out);
    check_shape(out);
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorCode::bad_data, {.what = "the checkpoint has not the parts it should have",
                                      .where = path,
                                      .found = error.what()});
  }
  return out;
}

std::optional<CheckpointFile::Loaded> CheckpointFile::load() const {
  std::optional<Error> first;
  for (const std::string& path : {path_, previous()}) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    try {
      Loaded loaded{read(path), path, {}};
      if (first) loaded.warnings.push_back(std::string(first->what()));
      return loaded;
    } catch (const Error& error) {
      if (!first) first = error;
    }
  }
  if (first) throw *first;
  return std::nullopt;
}

}  // namespace polyak
