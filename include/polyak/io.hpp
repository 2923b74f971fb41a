#pragma once

/// \file io.hpp
/// Files in and out. The format follows from the ending: .mtx, .mtx.gz, .npy,
/// .csv, .svm, and for reading also .h5, .hdf5, .nxs (file.h5:/dataset), .mat
/// (file.mat:variable), .petsc and .tif; "-" is standard input or output (text formats
/// only). Without a name the only array that fits is meant, or A and b together
/// where a file has both; see stored_array.hpp.
///
/// Readers trust nothing: sizes are checked against the file before memory is
/// taken, and every fault is an Error that names file, line or byte, what was
/// found and what was expected. Writers write beside, flush and rename: a file
/// under its final name is always whole.

#include <optional>
#include <string>
#include <vector>

#include "polyak/matrices.hpp"
#include "polyak/stored_array.hpp"

#pragma GCC visibility push(default)
namespace polyak {

struct ReadOptions {
  std::optional<std::string>
      rhs_column;                    ///< .csv: the column that is b, by name or by 1-based number
  bool intercept = false;            ///< .csv, .svm: append a column of ones named "intercept"
  bool drop_nonfinite_rows = false;  ///< skip rows with NaN, Inf or an empty cell, and count them
  bool keep_nonfinite =
      false;  ///< text formats: let NaN and Inf through, for a caller who checks A and b together
  Duplicates duplicates = Duplicates::sum;
  bool single = false;  ///< store values in single precision
};

/// A matrix and what came with it.
struct Table {
  MatrixPtr A;
  Array b;                         ///< empty unless the file holds it (.svm labels, --rhs-column)
  std::vector<std::string> names;  ///< of the columns; empty when the file has none
  Index dropped_rows = 0;
};

Table read_table(const std::string& path, const ReadOptions& options = {});

/// A right-hand side, start vector, weights or reference: n × c doubles. A
/// file of one row is taken as one column.
/// `keep_nonfinite` as in ReadOptions. Of an .svm file these are the labels;
/// what write_array wrote with names is read without them.
Array read_array(const std::string& path, bool keep_nonfinite = false);

/// .npy, .mtx, .mtx.gz or .csv; names become the first column of a .csv.
void write_array(const std::string& path, ConstView values,
                 const std::vector<std::string>& row_names = {});

/// The whole matrix, streamed by blocks of rows: in coordinates when it is
/// sparse and the format has them.
void write_matrix(const std::string& path, const RowMatrix& A,
                  const std::vector<std::string>& column_names = {});

/// The nonzero entries as an .npz that SciPy's load_npz reads: CSR, stored
/// without compression.
void write_npz(const std::string& path, const RowMatrix& A);

/// Arrays that a file holds as they are stay there and are read when they are needed. Error io
/// where somebody has written to one since it was opened: answers may mix the old with the new.
void check_inputs_unchanged();

/// Any text, written beside, flushed and renamed.
void write_text(const std::string& path, const std::string& text);

/// IN to OUT in bounded memory where both go by rows (.csv, .npy); other pairs
/// hold the matrix in memory or mapped. A right-hand side that comes with the
/// data becomes the last column of a .csv, the labels of an .svm, and else a
/// second file: OUT with "_b" before its ending.
void convert(const std::string& in, const std::string& out, const ReadOptions& options = {});

/// What a file says about itself, known without reading its data where the
/// format allows it.
struct FileInfo {
  std::string format;      ///< "NumPy array", "Matrix Market, coordinate", …
  std::string value_type;  ///< "double", "float", "integer", "pattern", …
  Index rows = 0;
  Index cols = 0;
  Index nonzeros = 0;
  double file_bytes = 0;
  std::vector<std::string> names;  ///< column names of a .csv with a header line
  std::string note;                ///< symmetric, Fortran order, labels, …
  std::vector<ArrayInfo> arrays =
      {};  ///< of files that may hold several; then sizes are of the only one
};
FileInfo inspect(const std::string& path);

}  // namespace polyak
#pragma GCC visibility pop
