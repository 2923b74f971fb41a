#include "io/hdf5/hdf5_file.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "io/text/text.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

// The innermost entry of the error stack is the cause.
herr_t keep_innermost(unsigned, const H5E_error2_t* error, void* out) {
  std::string& text = *static_cast<std::string*>(out);
  if (error->desc != nullptr && text.empty()) text = error->desc;
  return 0;
}

herr_t refuse_external(const char*, const char*, const char*, const char*, unsigned*, hid_t,
                       void*) {
  return -1;
}

Hdf5Id link_access(const std::string& path) {
  Hdf5Id access(H5Pcreate(H5P_LINK_ACCESS), H5Pclose, "the HDF5 library reports an error", path);
  checked_hdf5(H5Pset_elink_cb(access, refuse_external, nullptr),
               "the HDF5 library reports an error", path);
  return access;
}

// Callback for H5Ovisit: collects names. Exceptions must not pass through the library.
struct Visit {
  std::vector<std::string> names;
  bool too_many = false, too_deep = false;
};
herr_t visit(hid_t, const char* name, const H5O_info_t* info, void* out) {
  Visit& found = *static_cast<Visit*>(out);
  constexpr std::size_t max_names = 100000;
  // Looking up a name takes time proportional to the third power of its depth.
  constexpr int max_depth = 64;
  int depth = 0;
  for (const char* p = name; *p != '\0'; ++p) depth += *p == '/';
  if (depth > max_depth) return found.too_deep = true, 1;
  if (info->type != H5O_TYPE_DATASET) return 0;
  try {
    found.names.push_back(std::string("/") + name);
  } catch (const std::bad_alloc&) {
    found.too_many = true;
  }
  if (found.names.size() > max_names) found.too_many = true;
  return found.too_many ? 1 : 0;
}

}  // namespace

Hdf5Calls::Hdf5Calls() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}
Hdf5Calls::~Hdf5Calls() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

void fail_hdf5(const std::string& what, const std::string& where) {
  std::string why;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &why);
  H5Eclear2(H5E_DEFAULT);
  const bool disk = why.find("error message = 'Input/output error'") != std::string::npos;
  throw Error(disk ? ErrorCode::io : ErrorCode::bad_data,
              {.what = what, .where = where, .found = why.empty() ? "" : excerpt(why)});
}

Hdf5Id::~Hdf5Id() {
  if (id_ < 0) return;
  const Hdf5Calls calls;
  close_(id_);
}

Hdf5File::Hdf5File(const std::string& path)
    : path_(path),
      file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
            "not an HDF5 file, or truncated", path),
      access_(link_access(path)) {}

bool Hdf5File::has(const std::string& name) const {
  // H5Lexists needs all groups of the path to exist, so each prefix is checked in turn.
  for (std::size_t slash = name.find('/', 1);; slash = name.find('/', slash + 1)) {
    const std::string part = name.substr(0, slash);
    if (part != "/" && H5Lexists(file_, part.c_str(), access_) <= 0) return false;
    if (slash == std::string::npos) break;
  }
  return H5Oexists_by_name(file_, name.c_str(), access_) > 0;
}

std::vector<std::string> Hdf5File::datasets() const {
  Visit found;
  checked_hdf5(H5Ovisit2(file_, H5_INDEX_NAME, H5_ITER_INC, visit, &found, H5O_INFO_BASIC),
               "the HDF5 file cannot be listed", path_);
  if (found.too_many)
    throw Error(ErrorCode::bad_data,
                {.what = "the HDF5 file holds more than 100000 datasets", .where = path_});
  if (found.too_deep)
    throw Error(ErrorCode::bad_data, {.what = "the groups of the HDF5 file are nested too deeply",
                                      .where = path_,
                                      .found = "more than 64",
                                      .hint = "copy the dataset into a group nearer to the top"});
  std::sort(found.names.begin(), found.names.end());
  return std::move(found.names);
}

Hdf5Id Hdf5File::object(const std::string& name) const {
  return {H5Oopen(file_, name.c_str(), access_), H5Oclose, "the object cannot be opened",
          where(name)};
}

namespace {

// An open attribute with its type and size.
struct Attribute {
  static constexpr const char* what = "an attribute cannot be read";

  Attribute(const Hdf5Id& object, const std::string& name, const std::string& at)
      : id(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, what, at),
        type(H5Aget_type(id), H5Tclose, what, at),
        space(H5Aget_space(id), H5Sclose, what, at) {}
  hssize_t count() const { return H5Sget_simple_extent_npoints(space); }

  Hdf5Id id, type, space;
};

}  // namespace

std::optional<std::string> Hdf5File::text_attribute(const std::string& name,
                                                    const std::string& attribute) const {
  const Hdf5Id object_id = object(name);
  if (H5Aexists(object_id, attribute.c_str()) <= 0) return std::nullopt;
  const std::string at = where(name);
  const Attribute open(object_id, attribute, at);
  const hid_t id = open.id, type = open.type;
  const auto count = open.count();
  const std::size_t length = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || count != 1 || length > 65536) return std::nullopt;
  if (H5Tis_variable_str(type) <= 0) {
    std::string text(length + 1, '\0');
    checked_hdf5(H5Aread(id, type, text.data()), Attribute::what, at);
    return std::string(text.c_str());
  }
  char* value = nullptr;
  checked_hdf5(H5Aread(id, type, &value), Attribute::what, at);
  const std::string text = value == nullptr ? "" : value;
  H5free_memory(value);
  return text;
}

std::optional<std::vector<Index>> Hdf5File::integer_attribute(const std::string& name,
                                                              const std::string& attribute) const {
  const Hdf5Id object_id = object(name);
  if (H5Aexists(object_id, attribute.c_str()) <= 0) return std::nullopt;
  const std::string at = where(name);
  const Attribute open(object_id, attribute, at);
  const hid_t id = open.id, type = open.type;
  const auto count = open.count();
  if (H5Tget_class(type) != H5T_INTEGER || H5Tget_size(type) > 8 || count < 1 || count > 32 ||
      H5Tget_offset(type) != 0 || H5Tget_precision(type) != 8 * H5Tget_size(type))
    return std::nullopt;
  std::vector<Index> out(static_cast<std::size_t>(count));
  checked_hdf5(H5Aread(id, H5T_NATIVE_INT64, out.data()), Attribute::what, at);
  return out;
}

}  // namespace polyak::internal::io
