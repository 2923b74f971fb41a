// Arrays of any shape: opening, listing, memory check.

#include "polyak/stored_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/large_arrays.hpp"
#include "io/format.hpp"
#include "io/npy/npy.hpp"
#include "io/rows.hpp"
#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

using namespace io;

bool holds_arrays(Format format) {
  return format == Format::hdf5 || format == Format::mat || format == Format::npz ||
         format == Format::tiff;
}

// Tables and sparse matrices, read into memory.
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

std::string described(const ArrayInfo& array) {
  const std::string what = array.sparse ? "sparse " + array.value_type : array.value_type;
  const std::string inside = io::shape_text(array.shape) + ", " + what;
  return array.name.empty() ? inside : array.name + " (" + inside + ")";
}

Index StoredArray::size() const {
  Index size = 1;
  for (Index n : shape()) size = io::checked_product(size, n, name());
  return size;
}

void check_room(double bytes, const std::string& name, std::optional<double> limit_bytes) {
  const double physical = physical_memory_bytes();
  const double limit = std::min(physical, limit_bytes.value_or(physical));
  if (bytes <= limit) return;
  const auto megabytes = [](double b) { return fmt::format("{:.3g} MB", b / 1e6); };
  throw Error(ErrorCode::out_of_memory, {.what = "the array does not fit into memory",
                                         .where = name,
                                         .found = megabytes(bytes),
                                         .expected = "at most " + megabytes(limit)});
}

std::vector<double> StoredArray::read_all() const {
  check_room(static_cast<double>(size()) * sizeof(double), name());
  std::vector<double> out(to_size(size()));
  const std::vector<Index> first(shape().size(), 0);
  if (!out.empty()) read(first, shape(), out);
  return out;
}

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

namespace polyak::internal::io {
namespace {

class MemoryArray final : public StoredArray {
 public:
  MemoryArray(std::string name, std::string value_type, std::vector<Index> shape,
              std::vector<Index> strides, std::vector<double> values)
      : name_(std::move(name)),
        value_type_(std::move(value_type)),
        shape_(std::move(shape)),
        strides_(std::move(strides)),
        values_(std::move(values)) {}

  std::string name() const override { return name_; }
  const std::vector<Index>& shape() const override { return shape_; }
  std::string value_type() const override { return value_type_; }
  void read(std::span<const Index> first, std::span<const Index> count,
            std::span<double> out) const override {
    copy_box(first, count, strides_, out, [&](Index at) { return values_[to_size(at)]; });
  }

 private:
  std::string name_, value_type_;
  std::vector<Index> shape_, strides_;
  std::vector<double> values_;
};

}  // namespace

StoredArrayPtr memory_array(std::string name, std::string value_type, std::vector<Index> shape,
                            std::vector<Index> strides, std::vector<double> values) {
  return std::make_shared<MemoryArray>(std::move(name), std::move(value_type), std::move(shape),
                                       std::move(strides), std::move(values));
}

}  // namespace polyak::internal::io
