// The arrays of an HDF5 file: datasets, and groups that hold a sparse matrix.

#include <algorithm>
#include <filesystem>
#include <set>

#include "io/hdf5/hdf5_file.hpp"
#include "io/rows.hpp"
#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

// The path of a member: "/A/data" for group "/A".
std::string member(const std::string& group, const char* name) {
  return (group == "/" ? "" : group) + "/" + name;
}

std::optional<std::vector<Index>> sparse_shape(const Hdf5File& file, const std::string& group) {
  for (const char* attribute : {"shape", "h5sparse_shape"}) {
    const auto shape = file.integer_attribute(group, attribute);
    if (shape && shape->size() == 2) return shape;
  }
  const std::string name = member(group, "shape");
  if (!file.has(name)) return std::nullopt;
  const Hdf5Dataset dataset(file, name);
  if (dataset.shape() != std::vector<Index>{2} || !dataset.numeric()) return std::nullopt;
  dataset.check_readable(0);
  return dataset.read_integers();
}

ArrayInfo dataset_info(const Hdf5File& file, const std::string& name) {
  const Hdf5Dataset dataset(file, name);
  ArrayInfo info{.name = name, .shape = dataset.shape(), .value_type = dataset.value_type()};
  info.numeric = dataset.numeric();
  return info;
}

std::optional<ArrayInfo> sparse_info(const Hdf5File& file, const std::string& group) {
  for (const char* part : {"data", "indices", "indptr"})
    if (!file.has(member(group, part))) return std::nullopt;
  const auto shape = sparse_shape(file, group);
  const ArrayInfo data = dataset_info(file, member(group, "data"));
  if (!shape || data.shape.size() != 1) return std::nullopt;
  ArrayInfo info{.name = group, .shape = *shape, .value_type = data.value_type};
  info.numeric = data.numeric;
  info.sparse = true;
  info.stored = data.shape[0];
  return info;
}

std::string absolute_name(const std::string& name) {
  std::string out = name.starts_with('/') ? name : "/" + name;
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

std::string group_of(const std::string& dataset) {
  return dataset.substr(0, std::max<std::size_t>(1, dataset.rfind('/')));
}

Index file_bytes(const std::string& path) {
  std::error_code ignored;
  return static_cast<Index>(std::filesystem::file_size(path, ignored));
}

class Hdf5Array final : public StoredArray {
 public:
  Hdf5Array(const std::string& path, const std::string& name)
      : file_(path), dataset_(file_, name), inside_(name) {
    dataset_.check_readable(file_bytes(path));
  }

  std::string name() const override { return dataset_.where(); }
  const std::vector<Index>& shape() const override { return dataset_.shape(); }
  std::string value_type() const override { return dataset_.value_type(); }
  std::string units() const override {
    const Hdf5Calls calls;
    return file_.text_attribute(inside_, "units").value_or("");
  }
  void read(std::span<const Index> first, std::span<const Index> count,
            std::span<double> out) const override {
    if (out.empty()) return;
    const Hdf5Calls calls;
    const std::vector<hsize_t> from(first.begin(), first.end()), counts(count.begin(), count.end());
    dataset_.read(from.data(), counts.data(), out.data());
  }

 private:
  Hdf5File file_;
  Hdf5Dataset dataset_;
  std::string inside_;
};

std::vector<double> values_of(const Hdf5Dataset& dataset, Index bytes) {
  dataset.check_readable(bytes);
  std::vector<double> out(to_size(dataset.shape().at(0)));
  if (!out.empty()) dataset.read(nullptr, nullptr, out.data());
  return out;
}

// CSR or CSC: from the number of starts, and for a square matrix from an attribute of the group.
// Attributes with text of variable length are avoided where possible: on damaged files they are
// the most frequent cause of crashes in the library.
bool by_columns(const Hdf5File& file, const std::string& group, const SparseParts& parts) {
  if (parts.rows != parts.cols) return std::ssize(parts.start) == parts.cols + 1;
  for (const char* attribute : {"encoding-type", "h5sparse_format", "format"}) {
    const auto text = file.text_attribute(group, attribute);
    if (text && text->starts_with("csc")) return true;
    if (text && text->starts_with("csr")) return false;
  }
  return false;
}

}  // namespace

std::vector<ArrayInfo> list_hdf5(const std::string& path) {
  const Hdf5Calls calls;
  const Hdf5File file(path);
  std::vector<ArrayInfo> out;
  std::set<std::string> sparse;
  const auto names = file.datasets();
  for (const std::string& name : names) {
    if (!name.ends_with("/indptr")) continue;
    if (const auto info = sparse_info(file, group_of(name))) {
      out.push_back(*info);
      sparse.insert(info->name);
    }
  }
  for (const std::string& name : names)
    if (!sparse.contains(group_of(name))) out.push_back(dataset_info(file, name));
  std::stable_sort(out.begin(), out.end(),
                   [](const ArrayInfo& a, const ArrayInfo& b) { return a.name < b.name; });
  return out;
}

std::optional<ArrayInfo> find_hdf5(const std::string& path, const std::string& asked) {
  const Hdf5Calls calls;
  const Hdf5File file(path);
  const std::string name = absolute_name(asked);
  if (!file.has(name)) return std::nullopt;
  bool group = false;
  {
    const Hdf5Id object = file.object(name);
    group = H5Iget_type(object) == H5I_GROUP;
  }
  return group ? sparse_info(file, name) : dataset_info(file, name);
}

StoredArrayPtr open_hdf5(const std::string& path, const std::string& name) {
  const Hdf5Calls calls;
  return std::make_shared<Hdf5Array>(path, absolute_name(name));
}

SparseParts read_hdf5_sparse(const std::string& path, const std::string& name) {
  const Hdf5Calls calls;
  const Hdf5File file(path);
  const Index bytes = file_bytes(path);
  const Hdf5Dataset data(file, member(name, "data")), index(file, member(name, "indices")),
      start(file, member(name, "indptr"));
  const auto shape = sparse_shape(file, name);
  for (const Hdf5Dataset* part : {&data, &index, &start})
    if (part->shape().size() != 1 || !part->numeric() || !shape)
      throw Error(ErrorCode::bad_data,
                  {.what = "a part of the sparse matrix is not a one-dimensional numeric array",
                   .where = part->where(),
                   .found = shape_text(part->shape())});
  check_dimensions(shape->at(0), shape->at(1), bytes, file.where(name));
  SparseParts parts{.rows = shape->at(0),
                    .cols = shape->at(1),
                    .start = {},
                    .index = {},
                    .values = values_of(data, bytes)};
  index.check_readable(bytes);
  start.check_readable(bytes);
  parts.index = index.read_integers();
  parts.start = start.read_integers();
  parts.by_columns = by_columns(file, name, parts);
  return parts;
}

}  // namespace polyak::internal::io
