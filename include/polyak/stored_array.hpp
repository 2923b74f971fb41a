#pragma once

/// \file stored_array.hpp
/// Arrays of any number of dimensions that are opened first and read in parts, as for scans of
/// many gigabytes. HDF5 and MATLAB files hold several arrays; one is named after a colon:
/// scan.h5:/exchange/data, data.mat:A.
///
/// Open HDF5 and MATLAB files only from sources you trust: the libraries that read them are known
/// to crash on files made for that purpose.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// Name, shape and type of an array in a file.
struct ArrayInfo {
  std::string name;  ///< "/exchange/data" or "A"; empty if the file holds one array without a name
  std::vector<Index> shape;  ///< empty for a single value
  std::string value_type;    ///< "double", "uint16", "complex", "text", …
  bool numeric = true;       ///< true for real numbers; only these can be read
  bool sparse = false;       ///< compressed rows or columns, with `stored` entries
  Index stored = 0;
};
/// "/exchange/data (181 x 2 x 640, uint16)".
std::string described(const ArrayInfo& array);

/// All arrays of a file; for formats with one array, that one without a name.
std::vector<ArrayInfo> list_arrays(const std::string& path);

/// An open array. Reading is thread-safe.
class StoredArray {
 public:
  virtual ~StoredArray() = default;

  /// The file and the name of the array in it, for messages.
  virtual std::string name() const = 0;
  virtual const std::vector<Index>& shape() const = 0;
  virtual std::string value_type() const = 0;
  /// As stated in the file; empty for most files.
  virtual std::string units() const { return {}; }
  /// Reads the box that starts at `first` and has `count` values in each dimension, in C order,
  /// as doubles. Other values are not read.
  virtual void read(std::span<const Index> first, std::span<const Index> count,
                    std::span<double> out) const = 0;

  Index size() const;
  std::vector<double> read_all() const;
};
using StoredArrayPtr = std::shared_ptr<const StoredArray>;

/// Error out_of_memory if an array of `bytes` bytes exceeds the physical memory or `limit_bytes`.
/// Called before the memory is allocated.
void check_room(double bytes, const std::string& name, std::optional<double> limit_bytes = {});

/// Opens any file that read_table reads, .npy of any number of dimensions, and .tif
/// (pages × rows × columns). A folder of .tif files or a pattern, "scan_*.tif", is one array, in
/// the order of the numbers in the names. If no array is named, the only numeric array is opened;
/// if there are several, Error bad_data lists them.
StoredArrayPtr open_array(const std::string& path);

}  // namespace polyak
#pragma GCC visibility pop
