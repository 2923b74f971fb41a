#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "io/hdf5/hdf5_file.hpp"
#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

const char* const broken = "the dataset cannot be read";

bool is_complex(hid_t type) {
  return H5Tget_nmembers(type) == 2 && H5Tget_member_class(type, 0) == H5T_FLOAT &&
         H5Tget_member_class(type, 1) == H5T_FLOAT && H5Tget_member_index(type, "r") == 0;
}

std::string type_text(hid_t type) {
  const std::size_t bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return (H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int") + std::to_string(bits);
    case H5T_FLOAT:
      return bits == 64 ? "double" : bits == 32 ? "float" : "float" + std::to_string(bits);
    case H5T_STRING: return "text";
    case H5T_COMPOUND: return is_complex(type) ? "complex" : "a compound of fields";
    case H5T_ENUM: return "an enumeration";
    case H5T_REFERENCE: return "references";
    case H5T_VLEN: return "lists of various lengths";
    case H5T_ARRAY: return "arrays in each element";
    default: return "bytes of unknown meaning";
  }
}

// True for numbers whose bit fields lie within their bytes. The library does not check this and
// writes beyond its buffers otherwise.
bool is_plain(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t bits = 8 * H5Tget_size(type), precision = H5Tget_precision(type);
  const int offset = H5Tget_offset(type);
  if (bits > 64 || precision == 0 || offset < 0 ||
      static_cast<std::size_t>(offset) + precision > bits)
    return false;
  if (kind == H5T_INTEGER) return H5Tget_order(type) != H5T_ORDER_ERROR;
  std::size_t sign = 0, exponent = 0, exponent_size = 0, mantissa = 0, mantissa_size = 0;
  if (kind != H5T_FLOAT ||
      H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) < 0)
    return false;
  return sign < bits && exponent < bits && exponent_size > 0 && exponent_size < bits &&
         exponent + exponent_size <= bits && mantissa < bits && mantissa_size > 0 &&
         mantissa_size < bits && mantissa + mantissa_size <= bits;
}

std::vector<Index> shape_of(hid_t dataset, const std::string& where) {
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose, broken, where);
  if (H5Sget_simple_extent_type(space) != H5S_SIMPLE) return {};
  const int rank = checked_hdf5(H5Sget_simple_extent_ndims(space), broken, where);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  checked_hdf5(H5Sget_simple_extent_dims(space, sizes.data(), nullptr), broken, where);
  std::vector<Index> shape;
  for (hsize_t n : sizes) {
    if (n > hsize_t{1} << 62)
      throw Error(ErrorCode::bad_data,
                  {.what = "a size is too large", .where = where, .found = std::to_string(n)});
    shape.push_back(static_cast<Index>(n));
  }
  return shape;
}

// The chunk cache holds two rows of chunks: blocks of rows need not end at chunk boundaries, and
// a chunk that is not in the cache is decompressed again for every block.
std::size_t cache_bytes(hid_t dataset, const std::string& where) {
  constexpr double min_bytes = 0x1p26, max_bytes = 0x1p31;
  const Hdf5Id creation(H5Dget_create_plist(dataset), H5Pclose, broken, where);
  const std::vector<Index> shape = shape_of(dataset, where);
  std::vector<hsize_t> chunk(shape.size());
  if (shape.empty() || H5Pget_layout(creation) != H5D_CHUNKED ||
      H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data()) < 0)
    return static_cast<std::size_t>(min_bytes);
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose, broken, where);
  double bytes = static_cast<double>(H5Tget_size(type)) * static_cast<double>(chunk[0]);
  for (std::size_t k = 1; k < chunk.size(); ++k) {
    const double size = std::max(1.0, static_cast<double>(chunk[k]));
    bytes *= size * std::ceil(static_cast<double>(shape[k]) / size);
  }
  return static_cast<std::size_t>(std::clamp(2.0 * bytes, min_bytes, max_bytes));
}

// Opens the dataset only to find its chunks: the cache size is fixed when a dataset is opened.
std::size_t cache_for(const Hdf5File& file, const std::string& name) {
  const std::string where = file.where(name);
  const Hdf5Id object = file.object(name);
  if (H5Iget_type(object) != H5I_DATASET)
    throw Error(ErrorCode::bad_data,
                {.what = "the name is that of a group, not of a dataset", .where = where});
  return cache_bytes(object, where);
}

Hdf5Id open_dataset(const Hdf5File& file, const std::string& name) {
  const std::string where = file.where(name);
  const std::size_t cache = cache_for(file, name);
  const Hdf5Id access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, broken, where);
  checked_hdf5(H5Pset_chunk_cache(access, 12421, cache, 1.0), broken, where);
  return {H5Dopen2(file.id(), name.c_str(), access), H5Dclose, broken, where};
}

[[noreturn]] void refuse_dataset(const std::string& where, const std::string& what,
                                 const std::string& found, const std::string& hint) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = where, .found = found, .expected = {}, .hint = hint});
}

// Only filters of the library itself: others would be loaded as plug-ins.
void check_filters(hid_t creation, const std::string& where) {
  constexpr std::array known{H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32,
                             H5Z_FILTER_SZIP,    H5Z_FILTER_NBIT,    H5Z_FILTER_SCALEOFFSET};
  const int count = checked_hdf5(H5Pget_nfilters(creation), broken, where);
  for (int k = 0; k < count; ++k) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    char name[64] = "";
    const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(k), &flags, &values,
                                               nullptr, sizeof name, name, &config);
    name[sizeof name - 1] = '\0';
    const bool is_known = std::find(known.begin(), known.end(), filter) != known.end();
    if (!is_known || H5Zfilter_avail(filter) <= 0)
      refuse_dataset(where, "the compression of the dataset is not supported",
                     "filter " + std::to_string(filter) + " " + name,
                     "write it again with gzip, or as .npy");
  }
}

}  // namespace

Hdf5Dataset::Hdf5Dataset(const Hdf5File& file, const std::string& name)
    : where_(file.where(name)), id_(open_dataset(file, name)), shape_(shape_of(id_, where_)) {
  const Hdf5Id type(H5Dget_type(id_), H5Tclose, broken, where_);
  value_type_ = type_text(type);
  numeric_ = is_plain(type);
}

void Hdf5Dataset::check_readable(Index file_bytes) const {
  const Hdf5Id creation(H5Dget_create_plist(id_), H5Pclose, broken, where_);
  if (H5Pget_external_count(creation) != 0)
    refuse_dataset(where_, "the values of the dataset are in another file", "external storage",
                   "copy it into the file: h5repack");
  if (H5Pget_layout(creation) == H5D_VIRTUAL)
    refuse_dataset(where_, "the values of the dataset are in other files", "a virtual dataset",
                   "copy it into one file: h5repack");
  check_filters(creation, where_);
  check_claimed_size(shape_, file_bytes, where_);
}

void Hdf5Dataset::read(const hsize_t* first, const hsize_t* count, double* out) const {
  const Hdf5Id space(H5Dget_space(id_), H5Sclose, broken, where_);
  if (first == nullptr) {
    checked_hdf5(H5Dread(id_, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), broken,
                 where_);
    return;
  }
  checked_hdf5(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, count, nullptr), broken,
               where_);
  const Hdf5Id memory(H5Screate_simple(static_cast<int>(shape_.size()), count, nullptr), H5Sclose,
                      broken, where_);
  checked_hdf5(H5Dread(id_, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out), broken, where_);
}

std::vector<Index> Hdf5Dataset::read_integers() const {
  Index size = 1;
  for (Index n : shape_) size *= n;  // no overflow: checked by check_readable
  std::vector<Index> out(to_size(size));
  checked_hdf5(H5Dread(id_, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()), broken,
               where_);
  return out;
}

}  // namespace polyak::internal::io
