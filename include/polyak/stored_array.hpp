#pragma once

/// \file stored_array.hpp
/// Arrays of any number of dimensions, opened first and read in parts: what a
/// scan of many gigabytes needs. HDF5 and MATLAB files hold several; there one
/// is named after a colon: scan.h5:/exchange/data, data.mat:A.
///
/// Open HDF5 and MATLAB files only from sources you trust: the libraries that
/// read them are known to break on files made to break them.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// What a file says about one of its arrays.
struct ArrayInfo {
  std::string name;          ///< "/exchange/data" or "A"; empty where the file is the array
  std::vector<Index> shape;  ///< none for a single value
  std::string value_type;    ///< "double", "uint16", "complex", "text", …
  bool numeric = true;       ///< real numbers, which is what can be read here
  bool sparse = false;       ///< compressed rows or columns; `stored` of them
  Index stored = 0;
};
/// "/exchange/data (181 x 2 x 640, uint16)".
std::string described(const ArrayInfo& array);

/// Every array of a file; one without a name where the format holds one.
std::vector<ArrayInfo> list_arrays(const std::string& path);

/// An array that is open. Reading is thread-safe.
class StoredArray {
 public:
  virtual ~StoredArray() = default;

  /// For messages: the file, and the name of the array in it.
  virtual std::string name() const = 0;
  virtual const std::vector<Index>& shape() const = 0;
  virtual std::string value_type() const = 0;
  /// As the file states them; mostly nothing.
  virtual std::string units() const { return {}; }
  /// The box that starts at `first` and holds `count` values in each
  /// dimension, in C order, as doubles. Only what is asked for is read.
  virtual void read(std::span<const Index> first, std::span<const Index> count,
                    std::span<double> out) const = 0;

  Index size() const;
  std::vector<double> read_all() const;
};
using StoredArrayPtr = std::shared_ptr<const StoredArray>;

/// Error out_of_memory where an array of so many bytes is more than the machine has, or than
/// `most`: before any of it is asked for.
void check_room(double bytes, const std::string& name, std::optional<double> most = {});

/// Any file that read_table takes, .npy of any number of dimensions, .tif
/// (pages × rows × columns), and of .tif files also a folder of them or a
/// pattern, "scan_*.tif", in the order of the numbers in their names. Without
/// a name the only array of numbers is meant; where there are several, Error
/// bad_data names them.
StoredArrayPtr open_array(const std::string& path);

}  // namespace polyak
#pragma GCC visibility pop
