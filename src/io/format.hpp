#pragma once

// The format of a path, and reading and writing in that format: shared by read_table,
// write_matrix, convert and the fuzz targets.

#include <limits>
#include <memory>
#include <string>

#include "io/file.hpp"
#include "io/rows.hpp"
#include "io/stream/byte_source.hpp"
#include "polyak/io.hpp"

namespace polyak::io {

enum class Format { npy, npz, mtx, csv, svm, parquet, hdf5, mat, tiff, petsc };

/// The ending that determines the format: ".npy", ".mtx.gz", or "" if it is unknown.
std::string ending_of(const std::string& path);
/// From the ending; streams (polyak/files.hpp) need none and are then written as .csv.
Format output_format(const std::string& path);
/// The output for a text format; compressed if the path ends in .gz.
std::unique_ptr<ByteSink> open_output(const std::string& path);

struct Input {
  Format format;
  std::shared_ptr<const MappedFile> file;  ///< its bytes, decompressed
  Index bytes = 0;                         ///< size on the disk
  bool compressed = false;
  bool partial = false;    ///< only the beginning has been decompressed
  std::string array = {};  ///< name of the array in the file, given after a colon in the path
};

/// Opens and decompresses. The format follows from the ending; for streams without one from the
/// first bytes. `header_only` decompresses only the first megabyte of a compressed .mtx file.
/// A stream of more than `most_bytes` is an Error out_of_memory.
Input open_input(const std::string& path, bool header_only = false,
                 double most_bytes = std::numeric_limits<double>::infinity());

/// The same for a file that is open: of the compressed bytes at most `at_most`, unless that is 0.
Input input_of(const std::string& path, std::shared_ptr<const MappedFile> file,
               std::size_t at_most = 0);
/// From the ending, or without one from the first bytes (decompressed).
Format format_of(const std::string& path, std::string_view bytes);
/// Error bad_data if the ending says that the bytes are compressed, and they are not.
void check_compression(const std::string& path, Compression found);
/// Error usage if an option does not apply to the format.
void check_options(const Input& input, const ReadOptions& options);
Table read_input(const Input& input, const ReadOptions& options);
Array read_input_array(const Input& input, const ReadOptions& options);
FileInfo inspect_input(const Input& input);

/// The file of b for formats that hold A only: "out/A_b.mtx.gz" for "out/A.mtx.gz".
std::string rhs_path(const std::string& path);
/// Writes .csv or .npy, a block of rows at a time; .npy in single precision if `single` or if
/// the source holds floats.
void write_rows(const std::string& path, RowSource& source, bool single);
/// Writes any output format; b goes to rhs_path if the format holds A only.
void write_table(const std::string& path, const Table& table, bool single);

}  // namespace polyak::io
