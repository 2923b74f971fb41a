#include <array>
#include <cstdint>
#include <utility>

#include "io/hdf5/hdf5_file.hpp"
#include "io/mat/late_matio.hpp"
#include "io/rows.hpp"
#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using File = std::unique_ptr<mat_t, CloseFile>;
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

[[noreturn]] void refuse_mat(const std::string& where, const std::string& what,
                             const std::string& found = {}, const std::string& expected = {}) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = where, .found = found, .expected = expected});
}

File open_file(const MappedFile& file) {
  check_mat(file);
  File out(Mat_Open(file.name().c_str(), MAT_ACC_RDONLY));
  if (out == nullptr) refuse_mat(file.name(), "not a MATLAB file, or truncated");
  return out;
}

std::string type_text(const matvar_t& v) {
  if (v.isLogical != 0) return "logical";
  switch (v.class_type) {
    case MAT_C_DOUBLE: return "double";
    case MAT_C_SINGLE: return "float";
    case MAT_C_INT8: return "int8";
    case MAT_C_UINT8: return "uint8";
    case MAT_C_INT16: return "int16";
    case MAT_C_UINT16: return "uint16";
    case MAT_C_INT32: return "int32";
    case MAT_C_UINT32: return "uint32";
    case MAT_C_INT64: return "int64";
    case MAT_C_UINT64: return "uint64";
    case MAT_C_SPARSE: return "double";
    case MAT_C_CHAR: return "text";
    case MAT_C_CELL: return "a cell array";
    case MAT_C_STRUCT: return "a struct";
    case MAT_C_OBJECT: return "an object";
    case MAT_C_FUNCTION: return "a function";
    default: return "a class that is not supported";
  }
}

bool is_number(matio_classes c) {
  switch (c) {
    case MAT_C_DOUBLE:
    case MAT_C_SINGLE:
    case MAT_C_INT8:
    case MAT_C_UINT8:
    case MAT_C_INT16:
    case MAT_C_UINT16:
    case MAT_C_INT32:
    case MAT_C_UINT32:
    case MAT_C_INT64:
    case MAT_C_UINT64:
    case MAT_C_SPARSE: return true;
    default: return false;
  }
}

ArrayInfo info_of(const matvar_t& v, const std::string& where) {
  ArrayInfo info{.name = v.name == nullptr ? "" : v.name, .shape = {}, .value_type = type_text(v)};
  if (v.rank < 0 || v.rank > 32 || (v.rank > 0 && v.dims == nullptr))
    refuse_mat(where, "a variable has no proper size", std::to_string(v.rank) + " dimensions");
  for (int k = 0; k < v.rank; ++k) {
    if (v.dims[k] > std::size_t{1} << 62) refuse_mat(where, "a size is too large");
    info.shape.push_back(static_cast<Index>(v.dims[k]));
  }
  info.sparse = v.class_type == MAT_C_SPARSE;
  info.numeric = is_number(v.class_type) && v.isComplex == 0;
  if (v.isComplex != 0) info.value_type = "complex";
  return info;
}

struct OpenVariable {
  File file;
  Variable variable;
  ArrayInfo info;
  std::string where;
};

// The variable with its values; its stated size is checked before the values are read.
OpenVariable read_variable(const MappedFile& file, const std::string& name) {
  OpenVariable out{open_file(file), nullptr, {}, file.name() + ":" + name};
  out.variable.reset(Mat_VarReadInfo(out.file.get(), name.c_str()));
  if (out.variable == nullptr) refuse_mat(out.where, "there is no such variable");
  out.info = info_of(*out.variable, out.where);
  if (!out.info.numeric)
    refuse_mat(out.where, "the variable does not hold real numbers", out.info.value_type,
               "a real matrix, dense or sparse");
  if (!out.info.sparse) check_claimed_size(out.info.shape, file.size(), out.where);
  if (Mat_VarReadDataAll(out.file.get(), out.variable.get()) != 0)
    refuse_mat(out.where, "the values of the variable cannot be read");
  return out;
}

template <class T>
std::vector<double> as_doubles(const void* data, Index count) {
  const T* values = static_cast<const T*>(data);
  return {values, values + count};
}

std::vector<double> values_of(const void* data, matio_types type, Index count,
                              const std::string& where) {
  if (count == 0) return {};
  if (data == nullptr) refuse_mat(where, "the variable holds no values");
  switch (type) {
    case MAT_T_DOUBLE: return as_doubles<double>(data, count);
    case MAT_T_SINGLE: return as_doubles<float>(data, count);
    case MAT_T_INT8: return as_doubles<std::int8_t>(data, count);
    case MAT_T_UINT8: return as_doubles<std::uint8_t>(data, count);
    case MAT_T_INT16: return as_doubles<std::int16_t>(data, count);
    case MAT_T_UINT16: return as_doubles<std::uint16_t>(data, count);
    case MAT_T_INT32: return as_doubles<std::int32_t>(data, count);
    case MAT_T_UINT32: return as_doubles<std::uint32_t>(data, count);
    case MAT_T_INT64: return as_doubles<std::int64_t>(data, count);
    case MAT_T_UINT64: return as_doubles<std::uint64_t>(data, count);
    default: refuse_mat(where, "values of this type are not supported");
  }
}

}  // namespace

std::vector<ArrayInfo> list_mat(const MappedFile& file) {
  const Hdf5Calls calls;  // version 7.3 is an HDF5 file
  const File mat = open_file(file);
  std::vector<ArrayInfo> out;
  while (const Variable v{Mat_VarReadNextInfo(mat.get())}) {
    if (v->name != nullptr) out.push_back(info_of(*v, file.name()));
    if (out.size() > 100000) refuse_mat(file.name(), "the file holds more than 100000 variables");
  }
  if (out.empty()) refuse_mat(file.name(), "the MATLAB file holds no variables, or is cut off");
  return out;
}

StoredArrayPtr open_mat(const MappedFile& file, const std::string& name) {
  const Hdf5Calls calls;
  const OpenVariable v = read_variable(file, name);
  if (v.info.sparse) refuse_mat(v.where, "the variable is a sparse matrix", {}, "a dense array");
  Index size = 1;
  std::vector<Index> strides;
  for (Index n : v.info.shape) {
    strides.push_back(size);
    size = checked_product(size, n, v.where);
  }
  const Index stored = v.variable->data_size > 0
                           ? static_cast<Index>(v.variable->nbytes) / v.variable->data_size
                           : 0;
  if (stored != size)
    refuse_mat(v.where, "the number of values of the variable does not match its size",
               std::to_string(stored), std::to_string(size));
  return memory_array(v.where, v.info.value_type, v.info.shape, std::move(strides),
                      values_of(v.variable->data, v.variable->data_type, size, v.where));
}

SparseParts read_mat_sparse(const MappedFile& file, const std::string& name) {
  const Hdf5Calls calls;
  const OpenVariable v = read_variable(file, name);
  const auto* sparse = static_cast<const mat_sparse_t*>(v.variable->data);
  if (!v.info.sparse || sparse == nullptr || v.info.shape.size() != 2)
    refuse_mat(v.where, "the variable is not a sparse matrix");
  check_dimensions(v.info.shape[0], v.info.shape[1], file.size(), v.where);
  SparseParts parts{.rows = v.info.shape[0],
                    .cols = v.info.shape[1],
                    .start = {},
                    .index = {},
                    .values = {},
                    .by_columns = true};
  if (sparse->jc == nullptr || (sparse->nir > 0 && sparse->ir == nullptr))
    refuse_mat(v.where, "the sparse matrix has no indices");
  if (static_cast<Index>(sparse->njc) != parts.cols + 1)
    refuse_mat(v.where, "the number of column starts does not match the sparse matrix",
               std::to_string(sparse->njc), std::to_string(parts.cols) + " + 1");
  check_claimed_size(std::array<Index, 2>{sparse->nir, 1}, file.size(), v.where);
  parts.start.assign(sparse->jc, sparse->jc + sparse->njc);
  // MATLAB may allocate more entries than are used; the last column start is the number used.
  const Index stored = parts.start.empty() ? 0 : parts.start.back();
  if (stored > static_cast<Index>(sparse->nir) || stored > static_cast<Index>(sparse->ndata))
    refuse_mat(v.where, "the sparse matrix has fewer values than it states",
               std::to_string(std::min(sparse->nir, sparse->ndata)), std::to_string(stored));
  parts.index.assign(sparse->ir, sparse->ir + stored);
  parts.values = values_of(sparse->data, v.variable->data_type, stored, v.where);
  return parts;
}

}  // namespace polyak::io
