// Files with several arrays: choosing one, and reading it as a table.

#include "io/stored.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "io/rows.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

class StoredRows final : public RowSource {
 public:
  explicit StoredRows(StoredArrayPtr array) : array_(std::move(array)), shape_(array_->shape()) {}

  Index cols() const override { return shape_.size() == 2 ? shape_[1] : 1; }
  bool single() const override { return array_->value_type() == "float"; }
  Index max_rows_left() const override { return shape_[0] - next_; }
  Index read(View A, std::span<double>) override {
    const Index count = std::min(A.rows, shape_[0] - next_);
    if (count == 0) return 0;
    const std::vector<Index> first{next_, 0}, counts{count, cols()};
    const std::size_t rank = shape_.size();
    array_->read({first.data(), rank}, {counts.data(), rank}, {A.data, to_size(count * cols())});
    next_ += count;
    return count;
  }

 private:
  StoredArrayPtr array_;
  std::vector<Index> shape_;
  Index next_ = 0;
};

std::vector<ArrayInfo> arrays_of(const Input& input) {
  if (input.format == Format::hdf5) return list_hdf5(input.file->name());
  if (input.format == Format::mat) return list_mat(*input.file);
  if (input.format == Format::npz) return list_npz(*input.file);
  return {inspect_tiff(*input.file)};
}

Table read_one(const Input& input, const ArrayInfo& array, const ReadOptions& options) {
  if (array.sparse && input.format == Format::mat)
    return table_of(read_mat_sparse(*input.file, array.name), options, input.file->name());
  if (array.sparse && input.format == Format::npz)
    return table_of(read_npz_sparse(*input.file), options, input.file->name());
  if (array.sparse)
    return table_of(read_hdf5_sparse(input.file->name(), array.name), options, input.file->name());
  return table_of(open_stored(input, array), options);
}

const ArrayInfo* named(const std::vector<ArrayInfo>& arrays, const std::string& name) {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const ArrayInfo& a) {
    return a.numeric && (a.name == name || a.name == "/" + name);
  });
  return found == arrays.end() ? nullptr : &*found;
}

// If no array is named, A and b are read as a linear system.
Table read_system(const Input& input, const ArrayInfo& A, const ArrayInfo& b,
                  const ReadOptions& options) {
  if (options.drop_nonfinite_rows)
    throw Error(ErrorCode::usage,
                {.what = "non-finite rows cannot be dropped from a file that holds both A and b",
                 .where = input.file->name(),
                 .hint = "name them: polyak solve FILE:A FILE:b --drop-nonfinite-rows"});
  Table table = read_one(input, A, options);
  const Table rhs = read_one(input, b, {});
  std::vector<double> values(to_size(rhs.A->rows() * rhs.A->cols()));
  rhs.A->copy_rows(0, rhs.A->rows(), {values.data(), rhs.A->rows(), rhs.A->cols(), rhs.A->cols()});
  const bool row = rhs.A->rows() == 1 && table.A->rows() != 1;
  table.b = row ? Array(std::move(values), rhs.A->cols())
                : Array(std::move(values), rhs.A->rows(), rhs.A->cols());
  if (table.b.rows() == table.A->rows()) return table;
  throw Error(ErrorCode::bad_data, {.what = "A and b have different numbers of rows",
                                    .where = input.file->name(),
                                    .found = std::to_string(table.b.rows()) + " rows of b",
                                    .expected = std::to_string(table.A->rows())});
}

const char* const readable_types = "float, double or integers";

const ArrayInfo& checked(const std::string& file, const ArrayInfo& array,
                         std::size_t max_dimensions) {
  const std::string where = array.name.empty() ? file : file + ":" + array.name;
  if (!array.numeric)
    throw Error(ErrorCode::bad_data, {.what = "the array does not hold real numbers",
                                      .where = where,
                                      .found = array.value_type,
                                      .expected = readable_types});
  if (!array.shape.empty() && array.shape.size() <= max_dimensions) return array;
  throw Error(ErrorCode::bad_data, {.what = "the array does not have one or two dimensions",
                                    .where = where,
                                    .found = shape_text(array.shape)});
}

std::string with_slash(const std::string& name) {
  return name.starts_with('/') ? name : "/" + name;
}

}  // namespace

StoredArrayPtr open_stored(const Input& input, const ArrayInfo& array) {
  if (input.format == Format::hdf5) return open_hdf5(input.file->name(), array.name);
  if (input.format == Format::mat) return open_mat(*input.file, array.name);
  if (input.format == Format::npz) return open_npz(*input.file, array.name);
  return open_tiff({input.file->name()});
}

ArrayInfo choose_stored(const Input& input, std::size_t max_dimensions) {
  if (input.format == Format::hdf5 && !input.array.empty())
    if (const auto found = find_hdf5(input.file->name(), input.array)) {
      return choose_array(input.file->name(), found->name, {*found}, max_dimensions);
    }
  return choose_array(input.file->name(), input.array, arrays_of(input), max_dimensions);
}

Table table_of(const StoredArrayPtr& array, const ReadOptions& options) {
  const std::size_t rank = array->shape().size();
  if (rank != 1 && rank != 2)
    throw Error(ErrorCode::bad_data, {.what = "the array does not have one or two dimensions",
                                      .where = array->name(),
                                      .found = shape_text(array->shape())});
  return load_rows(std::make_unique<StoredRows>(array), options, array->name());
}

Table read_stored(const Input& input, const ReadOptions& options) {
  if (input.array.empty() && input.format != Format::tiff) {
    const auto arrays = arrays_of(input);
    const ArrayInfo *A = named(arrays, "A"), *b = named(arrays, "b");
    if (A != nullptr && b != nullptr) return read_system(input, *A, *b, options);
  }
  return read_one(input, choose_stored(input, 2), options);
}

FileInfo inspect_stored(const Input& input) {
  FileInfo info;
  info.format = input.format == Format::hdf5  ? "HDF5"
                : input.format == Format::mat ? "MATLAB file"
                : input.format == Format::npz ? "NumPy archive"
                                              : "TIFF";
  if (input.array.empty())
    info.arrays = arrays_of(input);
  else
    info.arrays = {choose_stored(input, 32)};
  if (info.arrays.size() != 1) return info;
  const ArrayInfo& only = info.arrays[0];
  info.value_type = only.value_type;
  info.rows = only.shape.empty() ? 1 : only.shape[0];
  info.cols = 1;
  for (std::size_t k = 1; k < only.shape.size(); ++k)
    info.cols = checked_product(info.cols, only.shape[k], input.file->name());
  info.nonzeros =
      only.sparse ? only.stored : checked_product(info.rows, info.cols, input.file->name());
  if (only.shape.size() > 2) info.note = "shape " + shape_text(only.shape);
  return info;
}

std::string shape_text(std::span<const Index> shape) {
  if (shape.empty()) return "one value";
  std::string out;
  for (Index n : shape) out += (out.empty() ? "" : " x ") + std::to_string(n);
  return out;
}

void refuse_choice(const std::string& file, const std::string& what,
                   const std::vector<ArrayInfo>& arrays) {
  constexpr std::size_t max_listed = 20;
  std::string found;
  for (std::size_t k = 0; k < std::min(max_listed, arrays.size()); ++k)
    found += (k == 0 ? "" : ", ") + described(arrays[k]);
  if (arrays.size() > max_listed)
    found += " and " + std::to_string(arrays.size() - max_listed) + " more";
  const std::string example = arrays.empty() ? "" : "name one: " + file + ":" + arrays.front().name;
  throw Error(ErrorCode::bad_data, {.what = what,
                                    .where = file,
                                    .found = arrays.empty() ? "no array" : found,
                                    .expected = {},
                                    .hint = example});
}

const ArrayInfo& choose_array(const std::string& file, const std::string& name,
                              const std::vector<ArrayInfo>& arrays, std::size_t max_dimensions) {
  if (!name.empty()) {
    const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const ArrayInfo& a) {
      return a.name == name || with_slash(a.name) == with_slash(name);
    });
    if (found == arrays.end()) refuse_choice(file, "there is no array '" + name + "'", arrays);
    return checked(file, *found, max_dimensions);
  }
  if (arrays.size() == 1) return checked(file, arrays[0], max_dimensions);
  for (const std::size_t min_dimensions : {2u, 1u}) {
    const auto fits = [&](const ArrayInfo& a) {
      return a.numeric && a.shape.size() >= min_dimensions && a.shape.size() <= max_dimensions;
    };
    const auto count = std::count_if(arrays.begin(), arrays.end(), fits);
    if (count == 1) return *std::find_if(arrays.begin(), arrays.end(), fits);
    if (count > 1) refuse_choice(file, "the file holds several arrays and none is named", arrays);
  }
  refuse_choice(file, "the file holds no numeric array of suitable dimensions", arrays);
}

// Deflate compresses at most 1032 times, LZW a little more.
void check_claimed_size(std::span<const Index> shape, Index file_bytes, const std::string& name,
                        Index bytes_each) {
  constexpr Index unchecked_values = 1 << 24, max_ratio = 2048;
  Index size = 1;
  for (Index n : shape) {
    if (n < 0)
      throw Error(ErrorCode::bad_data,
                  {.what = "a size is negative", .where = name, .found = std::to_string(n)});
    size = checked_product(size, std::max<Index>(n, 1), name);
  }
  if (size <= unchecked_values || size / max_ratio * bytes_each <= file_bytes) return;
  throw Error(ErrorCode::bad_data,
              {.what = "the file states sizes that its length cannot hold",
               .where = name,
               .found = shape_text(shape),
               .expected = "less in " + std::to_string(file_bytes) + " bytes"});
}

}  // namespace polyak::internal::io
