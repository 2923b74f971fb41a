// The front door for arrays of any shape.

#include "io/npy.hpp"
#include "io/read.hpp"
#include "io/rows.hpp"
#include "io/stored.hpp"
#include "io/strided.hpp"
#include "io/tiff.hpp"

namespace polyak {
namespace {

using namespace io;

bool holds_arrays(Format format) {
  return format == Format::hdf5 || format == Format::mat || format == Format::tiff;
}

// Tables and sparse matrices, read whole.
StoredArrayPtr from_table(const Input& input) {
  ReadOptions options;
  options.keep_nonfinite = true;
  const Array array = read_input_array(input, options);
  std::vector<double> values;
  values.reserve(to_size(array.view().size()));
  for (Index i = 0; i < array.rows(); ++i)
    values.insert(values.end(), array.view().row(i), array.view().row(i) + array.cols());
  return memory_array(input.file->name(), "double", {array.rows(), array.cols()}, {array.cols(), 1},
                      std::move(values));
}

}  // namespace

StoredArrayPtr open_array(const std::string& path) {
  if (const auto files = tiff_files(path); !files.empty()) return open_tiff(files);
  const Input input = open_input(path);
  if (input.format == Format::npy) return open_npy(input.file);
  if (!holds_arrays(input.format)) return from_table(input);
  const ArrayInfo array = choose_stored(input, 32);
  return array.sparse ? from_table(input) : open_stored(input, array);
}

std::vector<ArrayInfo> list_arrays(const std::string& path) {
  if (const auto files = tiff_files(path); !files.empty()) {
    const auto stack = open_tiff(files);
    return {{.name = {}, .shape = stack->shape(), .value_type = stack->value_type()}};
  }
  const Input input = open_input(path);
  if (holds_arrays(input.format)) return inspect_stored(input).arrays;
  if (input.format == Format::npy) {
    const auto array = open_npy(input.file);
    return {{.name = {}, .shape = array->shape(), .value_type = array->value_type()}};
  }
  const FileInfo info = inspect_input(input);
  return {{.name = {}, .shape = {info.rows, info.cols}, .value_type = info.value_type}};
}

}  // namespace polyak
