#pragma once

// Files that hold arrays of any shape: which one is meant, and how it becomes
// a matrix.

#include <string>
#include <vector>

#include "io/format.hpp"
#include "polyak/io.hpp"
#include "polyak/stored_array.hpp"

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

}  // namespace polyak::io
