#pragma once

/// \file io.hpp
/// Files in and out. The format follows from the ending: .mtx, .npy, .csv, .svm (all but .npy also
/// with .gz), and for reading also .parquet, .tsv, .csv.zst, .h5, .hdf5, .nxs (file.h5:/dataset),
/// .mat (file.mat:variable), .npz, .petsc and .tif; "-" is standard input or output (text formats
/// only). If no array is named, the only suitable array is read, or A and b if a file has
/// both; see stored_array.hpp. Tables longer than memory: table_stream.hpp.
///
/// Readers check everything: sizes are compared with the length of the file before memory is
/// allocated, and every error is an Error that names the file, the line or byte, what was found
/// and what was expected. Writers write a temporary file, flush it and rename it: a file with
/// its final name is always complete.

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "polyak/matrices.hpp"
#include "polyak/stored_array.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Where the values of a matrix are after reading.
enum class Storage {
  automatic,  ///< rows stay on the disk where the file has more than half of memory_bytes
  memory,     ///< in memory; an .npy is mapped
  disk,       ///< rows stay in the file and are read when they are used (.npy only)
  stream      ///< rows are read once and not kept (.csv and .tsv, by open_table)
};

struct ReadOptions {
  std::optional<std::string>
      rhs_column;  ///< .csv, .parquet: the column that is b, by name or by number from 1
  /// .csv, .parquet: the columns that are read, and those that are not, by name, by number from 1,
  /// or by a name in which '*' stands for any characters. No columns: all of them. Other columns
  /// may hold anything.
  std::vector<std::string> columns = {}, drop = {};
  bool intercept = false;  ///< .csv, .parquet, .svm: append a column of ones named "intercept"
  bool drop_nonfinite_rows = false;  ///< skip rows with NaN, Inf or an empty cell, and count them
  bool keep_nonfinite = false;  ///< text formats and .parquet: accept NaN and Inf, for a caller
                                ///< that checks A and b itself
  Duplicates duplicates = Duplicates::sum;
  bool single = false;  ///< store values in single precision
  Storage storage = Storage::automatic;
  /// Memory that may be used; buffers of rows on a disk take up to an eighth of it, shared by
  /// `processes` that read parts of the same file.
  double memory_bytes = std::numeric_limits<double>::infinity();
  Index processes = 1;
  std::string disk_reader = "auto";  ///< of rows on a disk: auto, io_uring or threads
  /// Rates of rows on a disk; those not given are measured, unless several processes would
  /// measure them at the same time.
  std::optional<double> disk_sweep_bytes = {}, disk_single_rows = {};
  /// open_table(): a pipe of more text than this becomes a stream; empty is stream_threshold().
  std::optional<double> held_bytes = {};
};

/// A matrix, and the right-hand side and names read with it.
struct Table {
  MatrixPtr A;
  Array b;                         ///< empty unless the file holds it (labels of .svm, rhs_column)
  std::vector<std::string> names;  ///< of the columns; empty if the file has none
  Index dropped_rows = 0;
};

Table read_table(const std::string& path, const ReadOptions& options = {});

/// A right-hand side, start vector, weights or reference: n × c doubles. A file of one row is
/// read as one column. `keep_nonfinite` as in ReadOptions. Of an .svm file the labels are read;
/// the column of names that write_array writes is skipped.
Array read_array(const std::string& path, bool keep_nonfinite = false);

/// .npy, .mtx, .mtx.gz or .csv; names become the first column of a .csv.
void write_array(const std::string& path, ConstView values,
                 const std::vector<std::string>& row_names = {});

/// The whole matrix, streamed by blocks of rows; a sparse matrix in coordinates if the format
/// has them.
void write_matrix(const std::string& path, const RowMatrix& A,
                  const std::vector<std::string>& column_names = {});

/// The nonzero entries as an .npz that SciPy's load_npz reads: CSR, stored
/// without compression.
void write_npz(const std::string& path, const RowMatrix& A);

/// .npy files in C order are mapped and read when their values are used. Error io if such a file
/// has been modified since it was opened: results may then mix old and new values.
void check_inputs_unchanged();

/// Writes a text file: to a temporary file that is flushed and renamed.
void write_text(const std::string& path, const std::string& text);

/// Converts a file. From .csv, .npy and .parquet to .csv and .npy in bounded memory; for other
/// formats the matrix is loaded or mapped. A right-hand side in the input becomes the last column
/// of a .csv, the labels of an .svm, and for other formats a second file: OUT with "_b" before its
/// ending.
void convert(const std::string& in, const std::string& out, const ReadOptions& options = {});

/// Format and sizes of a file, found without reading its values if the format allows it.
struct FileInfo {
  std::string format;      ///< "NumPy array", "Matrix Market, coordinate", …
  std::string value_type;  ///< "double", "float", "integer", "pattern", …
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  double file_bytes = 0;
  std::vector<std::string> names;  ///< column names of a .csv with a header line, or of a .parquet
  std::string note;                ///< symmetric, Fortran order, labels, …
  std::vector<ArrayInfo> arrays =
      {};  ///< of formats that may hold several; rows and cols are then set only if there is one
};
FileInfo inspect(const std::string& path);
/// How many columns of A read_table takes from this table, which inspect() has described. Error
/// usage if one of them does not exist.
Index columns_read(const std::string& path, const FileInfo& info, const ReadOptions& options);

}  // namespace polyak
#pragma GCC visibility pop
