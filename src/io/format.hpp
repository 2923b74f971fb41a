#pragma once

// Which format a path means.
// Reading once the input is open, whatever its format: what read_table,
// convert and the fuzz targets have in common.
// Writing whole tables: what write_matrix and convert have in common.

#include <memory>
#include <string>

#include "io/file.hpp"
#include "io/rows.hpp"
#include "polyak/io.hpp"

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

/// usage when an option does not apply to the format.
void check_options(const Input& input, const ReadOptions& options);
Table read_input(const Input& input, const ReadOptions& options);
Array read_input_array(const Input& input, const ReadOptions& options);
FileInfo inspect_input(const Input& input);

/// Where b goes if the format of A has no place for it: "out/A.mtx.gz", "out/A_b.mtx.gz".
std::string rhs_path(const std::string& path);
/// Into .csv or .npy, a block at a time; .npy in single precision if asked for
/// or if the source is.
void write_rows(const std::string& path, RowSource& source, bool single);
/// Into any format, with b where that format keeps it.
void write_table(const std::string& path, const Table& table, bool single);

}  // namespace polyak::io
