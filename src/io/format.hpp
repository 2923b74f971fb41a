#pragma once

// Which format a path means.

#include <memory>
#include <string>

#include "io/file.hpp"

namespace polyak::io {

enum class Format { npy, mtx, csv, svm, hdf5, mat, tiff, petsc };

/// The part of the path that tells the format: ".npy", ".mtx.gz", or nothing.
std::string ending_of(const std::string& path);
/// By the ending; "-" and /dev/… have none and are written as .csv.
Format output_format(const std::string& path);
/// A writer of text for that path: compressed when it ends in .gz.
std::unique_ptr<ByteSink> open_output(const std::string& path);

struct Input {
  Format format;
  std::shared_ptr<const MappedFile> file;  ///< decompressed
  Index bytes = 0;                         ///< on the disk
  bool compressed = false;
  bool partial = false;    ///< only the beginning has been decompressed
  std::string array = {};  ///< which one of several in the file, after a colon in the path
};

/// Opens and decompresses. By the ending; what has none ("-", /dev/…) is
/// recognised by its first bytes. `header_only` decompresses just the
/// beginning of a compressed .mtx file.
Input open_input(const std::string& path, bool header_only = false);

}  // namespace polyak::io
