#pragma once

// Where a name leads to, and whether an output may be written there.

#include <sys/types.h>

#include <string>

#include "io/file.hpp"

namespace polyak::internal::io {

/// Which file a name stands for: two names are of one file if their places are equal.
struct FilePlace {
  FileIdentity file;  ///< of the file; of its folder if it does not exist
  std::string name;   ///< in the folder, if it does not exist
  mode_t type = 0;    ///< S_IFREG, S_IFIFO, …; 0 if it does not exist
  bool operator==(const FilePlace& other) const { return file == other.file && name == other.name; }
};

/// "-" is the descriptor `standard`.
FilePlace place_of(const std::string& path, int standard);

/// Error usage if KeptFiles protect what an output of this name would replace.
void check_kept(const std::string& path);

}  // namespace polyak::internal::io
