#pragma once

// A regular file of which parts are read at any offset, without mapping it.

#include <sys/stat.h>

#include <memory>
#include <string>

#include "io/file.hpp"
#include "polyak/types.hpp"

namespace polyak::internal::io {

/// Opened twice: past the page cache (O_DIRECT), where the file system allows it, and as usual.
/// Direct reads do not copy pages, leave the memory to others, and take a third of the time per
/// read of a processor; they need aligned offsets, lengths and addresses.
class DiskFile final : public WatchedInput {
 public:
  /// Error no_input or io if the path cannot be opened or is no regular file.
  explicit DiskFile(const std::string& path);
  ~DiskFile();
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;

  const std::string& name() const override { return name_; }
  Index size() const { return static_cast<Index>(opened_.st_size); }
  FileIdentity identity() const { return {opened_.st_dev, opened_.st_ino}; }
  bool direct() const { return direct_ >= 0; }
  /// Offsets, lengths and addresses of reads are multiples of it: 1 without direct reads.
  Index alignment() const { return alignment_; }
  /// For reads that are aligned; the other descriptor has no such rule.
  int descriptor() const { return direct() ? direct_ : plain_; }
  int plain_descriptor() const { return plain_; }

  /// Error io if length or time of modification differ from those at opening.
  void check_unchanged() const;
  bool changed() const override;

 private:
  void open_direct();

  std::string name_;
  int plain_ = -1, direct_ = -1;
  Index alignment_ = 1;
  struct stat opened_ {};
};

}  // namespace polyak::internal::io
