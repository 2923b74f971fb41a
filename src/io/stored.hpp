#pragma once

// Files that hold arrays of any shape (HDF5, MATLAB, .npz, TIFF): the choice among several arrays,
// and reading one as a matrix. The readers of the formats are in hdf5/, mat/, npy/ and tiff/.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/format.hpp"
#include "polyak/io.hpp"
#include "polyak/stored_array.hpp"
#include "polyak/types.hpp"

namespace polyak::internal::io {

/// "181 x 2 x 640", "one value".
std::string shape_text(std::span<const Index> shape);

/// Throws bad_data with a list of the arrays of the file (the first 20).
[[noreturn]] void refuse_choice(const std::string& file, const std::string& what,
                                const std::vector<ArrayInfo>& arrays);
/// The array of that name. If `name` is empty: the only numeric array with two to
/// `max_dimensions` dimensions, or else the only vector. Error bad_data if there is none or
/// several.
const ArrayInfo& choose_array(const std::string& file, const std::string& name,
                              const std::vector<ArrayInfo>& arrays, std::size_t max_dimensions);

/// Error bad_data if a file of `file_bytes` bytes cannot hold an array of this shape with
/// `bytes_each` bytes per value, even with the best compression.
void check_claimed_size(std::span<const Index> shape, Index file_bytes, const std::string& name,
                        Index bytes_each = 1);

/// An array of one or two dimensions as a matrix, read by blocks of rows.
Table table_of(const StoredArrayPtr& array, const ReadOptions& options);

/// .h5, .mat, .npz and .tif: choose_array for this input, and opening the chosen array.
ArrayInfo choose_stored(const Input& input, std::size_t max_dimensions);
StoredArrayPtr open_stored(const Input& input, const ArrayInfo& array);

/// .h5, .mat, .npz and .tif as a table. If no array is named and the file has arrays A and b, A is
/// the matrix and b its right-hand side.
Table read_stored(const Input& input, const ReadOptions& options);
FileInfo inspect_stored(const Input& input);

/// An array whose values are in memory, at any strides.
StoredArrayPtr memory_array(std::string name, std::string value_type, std::vector<Index> shape,
                            std::vector<Index> strides, std::vector<double> values);

/// A sparse matrix as files hold it: compressed rows (CSR), or compressed columns (CSC) if
/// `by_columns`; indices in any order. table_of checks all of it.
struct SparseParts {
  Index rows = 0;
  Index cols = 0;
  std::vector<Index> start = {}, index = {};
  std::vector<double> values = {};
  bool by_columns = false;
  Index first_row = 0;  ///< number of the first row in the file, for messages
};
Table table_of(SparseParts parts, const ReadOptions& options, const std::string& name);

// HDF5. Links into other files, datasets stored in other files and filters that would load a
// plug-in are refused.

/// All datasets and sparse groups, sorted by name.
std::vector<ArrayInfo> list_hdf5(const std::string& path);
/// The dataset or sparse group of that name, if it exists.
std::optional<ArrayInfo> find_hdf5(const std::string& path, const std::string& name);
StoredArrayPtr open_hdf5(const std::string& path, const std::string& name);
/// A group with the datasets data, indices and indptr, as AnnData and h5sparse write it.
SparseParts read_hdf5_sparse(const std::string& path, const std::string& name);

// MATLAB files, versions 4, 5, 7 and 7.3, through matio.

/// Versions 4, 5 and 7: Error bad_data if the file is truncated or a variable has a larger size
/// than its bytes allow; matio detects neither.
void check_mat(const MappedFile& file);

/// All variables, in the order of the file.
std::vector<ArrayInfo> list_mat(const MappedFile& file);
/// A dense variable, read into memory: MATLAB stores it by columns.
StoredArrayPtr open_mat(const MappedFile& file, const std::string& name);
SparseParts read_mat_sparse(const MappedFile& file, const std::string& name);

// NumPy's .npz, an archive of arrays. A sparse matrix of SciPy is one array without a name.

std::vector<ArrayInfo> list_npz(const MappedFile& file);
/// A dense array, read into memory.
StoredArrayPtr open_npz(const MappedFile& file, const std::string& name);
SparseParts read_npz_sparse(const MappedFile& file);

// TIFF files as stacks of pages: one channel, strips or tiles, any compression of libtiff.

/// All pages of all files must have the same size and type. One page is an array of two
/// dimensions, several pages are one of three.
StoredArrayPtr open_tiff(const std::vector<std::string>& files);
ArrayInfo inspect_tiff(const MappedFile& file);

/// The .tif files of a folder or of a pattern with '*' or '?', in the order of the numbers in
/// their names. Empty if the path is neither.
std::vector<std::string> tiff_files(const std::string& path);

/// Strides of an array whose last index varies fastest (C order).
inline std::vector<Index> row_strides(std::span<const Index> shape) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k > 1; --k) strides[k - 2] = strides[k - 1] * shape[k - 1];
  return strides;
}

/// Strides of an array whose first index varies fastest (Fortran, MATLAB).
inline std::vector<Index> column_strides(std::span<const Index> shape) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t k = 1; k < shape.size(); ++k) strides[k] = strides[k - 1] * shape[k - 1];
  return strides;
}

/// Copies the box that begins at `first` and has `count` values per dimension to `out`, in C
/// order; value(p) is the value at position p of the array.
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
    for (std::size_t k = count.size(); k > 1; --k) {  // next line: increment the index, with carry
      base += strides[k - 2];
      if (++at[k - 2] < count[k - 2]) break;
      base -= count[k - 2] * strides[k - 2];
      at[k - 2] = 0;
    }
  }
}

}  // namespace polyak::internal::io
