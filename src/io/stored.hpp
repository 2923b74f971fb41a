#pragma once

// Files that hold arrays of any shape: which one is meant, and how it becomes
// a matrix.
// HDF5 files: what arrays they hold, and reading them. Links into other files,
// data kept in other files and filters that would load a plug-in are refused.
// MATLAB files, versions 4, 5, 7 and 7.3, through matio.
// TIFF files as stacks of pages: one channel of numbers, strips or tiles, any
// compression that libtiff knows.
// Boxes out of arrays whose values lie in memory, in any order of dimensions.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/format.hpp"
#include "polyak/io.hpp"
#include "polyak/stored_array.hpp"
#include "polyak/types.hpp"

namespace polyak::io {

/// "181 x 2 x 640", "one value".
std::string shape_text(std::span<const Index> shape);

/// bad_data that names all arrays of the file, as far as a line goes.
[[noreturn]] void refuse_choice(const std::string& file, const std::string& what,
                                const std::vector<ArrayInfo>& arrays);
/// The array of that name; without one, the only array of numbers with at most
/// `most` dimensions, of which one with two or more goes before vectors.
const ArrayInfo& choose_array(const std::string& file, const std::string& name,
                              const std::vector<ArrayInfo>& arrays, std::size_t most);

/// A claim of so many values, of `bytes_each` in the file, is refused when a file of so many
/// bytes could not hold them, however well compressed.
void check_claim(std::span<const Index> shape, Index file_bytes, const std::string& name,
                 Index bytes_each = 1);

/// One or two dimensions as a matrix, a block of rows at a time.
Table table_of(const StoredArrayPtr& array, const ReadOptions& options);

/// Of .h5, .mat and .tif: the array that the input names or means, and its values.
ArrayInfo choose_stored(const Input& input, std::size_t most);
StoredArrayPtr open_stored(const Input& input, const ArrayInfo& array);

/// .h5, .mat and .tif. Without a name, arrays A and b make a table together.
Table read_stored(const Input& input, const ReadOptions& options);
FileInfo inspect_stored(const Input& input);

/// Values that lie in memory, in any order.
StoredArrayPtr memory_array(std::string name, std::string value_type, std::vector<Index> shape,
                            std::vector<Index> strides, std::vector<double> values);

/// Compressed rows as files hold them (of a matrix by columns: its transpose),
/// columns in any order; everything is checked.
struct SparseParts {
  Index rows = 0;
  Index cols = 0;
  std::vector<Index> start = {}, index = {};
  std::vector<double> values = {};
  bool by_columns = false;
  Index first_row = 0;  ///< its number, for messages
};
Table table_of(SparseParts parts, const ReadOptions& options, const std::string& name);

/// Every dataset and sparse group, by name.
std::vector<ArrayInfo> list_hdf5(const std::string& path);
/// What that name stands for, if it is there.
std::optional<ArrayInfo> find_hdf5(const std::string& path, const std::string& name);
StoredArrayPtr open_hdf5(const std::string& path, const std::string& name);
/// A group of data, indices and indptr, as SciPy's users, AnnData and h5sparse
/// write them.
SparseParts read_hdf5_sparse(const std::string& path, const std::string& name);

/// Of versions 4, 5 and 7: bad_data when the file is cut off, or a variable claims
/// more than it has bytes for, neither of which matio would tell.
void check_mat(const MappedFile& file);

/// Every variable, in the order of the file.
std::vector<ArrayInfo> list_mat(const MappedFile& file);
/// A dense variable, read whole: MATLAB keeps it by columns.
StoredArrayPtr open_mat(const MappedFile& file, const std::string& name);
SparseParts read_mat_sparse(const MappedFile& file, const std::string& name);

/// All pages of all files must agree in size and type; one page alone has two
/// dimensions, several have three.
StoredArrayPtr open_tiff(const std::vector<std::string>& files);
ArrayInfo inspect_tiff(const MappedFile& file);

/// The .tif files in a folder, or those a pattern with '*' or '?' matches, in
/// the order of the numbers in their names. Empty when it is neither.
std::vector<std::string> tiff_files(const std::string& path);

/// Of an array whose last index runs fastest (NumPy's C order).
inline std::vector<Index> row_strides(std::span<const Index> shape) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k > 1; --k) strides[k - 2] = strides[k - 1] * shape[k - 1];
  return strides;
}

/// Of one whose first index does (Fortran, MATLAB).
inline std::vector<Index> column_strides(std::span<const Index> shape) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t k = 1; k < shape.size(); ++k) strides[k] = strides[k - 1] * shape[k - 1];
  return strides;
}

/// out = the box, in C order; value(p) is what lies at position p.
template <class ValueAt>
void copy_box(std::span<const Index> first, std::span<const Index> count,
              std::span<const Index> strides, std::span<double> out, ValueAt value) {
  if (out.empty()) return;
  Index base = 0;
  for (std::size_t k = 0; k < first.size(); ++k) base += first[k] * strides[k];
  std::vector<Index> at(count.size(), 0);
  const Index width = count.empty() ? 1 : count.back(), step = count.empty() ? 1 : strides.back();
  for (std::size_t done = 0; done < out.size(); done += to_size(width)) {
    for (Index j = 0; j < width; ++j) out[done + to_size(j)] = value(base + j * step);
    for (std::size_t k = count.size(); k > 1; --k) {  // the next line, as an odometer counts
      base += strides[k - 2];
      if (++at[k - 2] < count[k - 2]) break;
      base -= count[k - 2] * strides[k - 2];
      at[k - 2] = 0;
    }
  }
}

}  // namespace polyak::io
