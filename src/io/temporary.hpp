#pragma once

// Temporary files, which the process removes when a signal ends it, and sets of them that get their
// names together.

#include <memory>
#include <string>
#include <vector>

#include "core/without_signals.hpp"
#include "io/file.hpp"
#include "polyak/files.hpp"

namespace polyak::internal::io {

/// While it lives, no signal handler runs in this thread, and remove_unfinished_outputs() waits in
/// any other: what is done here is done as a whole, or not at all. For a few system calls.
class Undisturbed {
 public:
  Undisturbed();
  ~Undisturbed();
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  WithoutSignals without_signals_;
  bool locked_;
};

/// ::open, again after a signal.
int open_retrying(const std::string& path, int flags);
/// The folder of a path, without a slash at its end.
std::string directory_of(const std::string& path);

/// A file that is being written. It is removed at the end, unless it has been renamed.
class Temporary {
 public:
  explicit Temporary(std::string path) : path_(std::move(path)) {}
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  /// Makes the file; never opens an existing one or follows a link. With `locked` it is locked
  /// until it is closed. -1, and errno, if that fails.
  int create(bool locked = false);
  /// 0, or the errno. An existing file keeps the name `replaced`, unless that is empty. Call it in
  /// the scope of an Undisturbed.
  int rename_to(const std::string& target, const std::string& replaced = {});

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool exists_ = false;
};

/// Throws the Error io of an output.
[[noreturn]] void fail_output(const char* action, const std::string& name, int error,
                              Index written = 0);

/// A renamed file survives a power failure only after its folder is flushed to the disk.
void flush_directory_of(const std::string& target, const std::string& name);

/// True if `path` still names the file that is open as `fd`.
bool is_same_file(int fd, const std::string& path);

/// ::fsync; true for pipes, terminals and file systems that do not support it.
bool flushed(int fd);

}  // namespace polyak::internal::io

namespace polyak {

/// Files that are written and flushed, and wait for their names.
struct OutputSet::Files {
  struct File {
    std::unique_ptr<internal::io::Temporary> temporary;
    std::string target, name;  ///< symbolic links resolved; as given, for messages
  };
  std::vector<File> files;
  Files* outer = nullptr;  ///< the set that this one lives in

  /// That of this thread, or nullptr.
  static Files* current();
};

}  // namespace polyak
