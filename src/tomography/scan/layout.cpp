#include "tomography/scan/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "polyak/error.hpp"

namespace polyak::tomography::internal {
namespace {

using Arrays = std::vector<ArrayInfo>;

const ArrayInfo* find(const Arrays& arrays, const std::string& name) {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const ArrayInfo& a) {
    return a.name == name && a.numeric && !a.sparse;
  });
  return found == arrays.end() ? nullptr : &*found;
}

StoredArrayPtr open_if_there(const std::string& path, const Arrays& arrays,
                             const std::string& name) {
  return find(arrays, name) != nullptr ? open_array(path + ":" + name) : nullptr;
}

// In degrees unless the file has the unit rad, as both layouts require.
std::vector<double> read_angles(const std::string& path, const Arrays& arrays,
                                const std::string& name) {
  if (find(arrays, name) == nullptr) return {};
  const auto array = open_array(path + ":" + name);
  auto values = array->read_all();
  if (array->units().starts_with("rad")) return values;
  for (double& v : values) v *= std::numbers::pi / 180.0;
  return values;
}

std::optional<ScanParts> data_exchange(const std::string& path, const Arrays& arrays) {
  const ArrayInfo* data = find(arrays, "/exchange/data");
  if (data == nullptr || data->shape.size() != 3) return std::nullopt;
  ScanParts parts{.layout = "Data Exchange", .data = open_array(path + ":/exchange/data")};
  parts.flat = open_if_there(path, arrays, "/exchange/data_white");
  parts.dark = open_if_there(path, arrays, "/exchange/data_dark");
  parts.angles = read_angles(path, arrays, "/exchange/theta");
  return parts;
}

// image_key of NXtomo: 0 projection, 1 flat field, 2 dark field, 3 not to be used.
void sort_frames(ScanParts& parts, const std::vector<double>& keys, const std::string& where) {
  if (std::ssize(keys) != parts.data->shape()[0])
    refuse_scan(where, "there is not one image_key for each image", std::to_string(keys.size()),
                std::to_string(parts.data->shape()[0]));
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (keys[k] == 0.0) parts.frames.push_back(static_cast<Index>(k));
    if (keys[k] == 1.0) parts.flat_frames.push_back(static_cast<Index>(k));
    if (keys[k] == 2.0) parts.dark_frames.push_back(static_cast<Index>(k));
  }
  if (parts.frames.empty())
    refuse_scan(where, "image_key names no projection", "none that is 0", "0 for every projection");
}

// Finds .../ENTRY/instrument/detector/image_key; the other arrays have fixed places relative to it.
std::optional<ScanParts> nxtomo(const std::string& path, const Arrays& arrays) {
  for (const ArrayInfo& key : arrays) {
    const auto instrument = key.name.find("/instrument/");
    if (!key.name.ends_with("/image_key") || instrument == std::string::npos || !key.numeric)
      continue;
    const std::string entry = key.name.substr(0, instrument);
    const std::string detector = key.name.substr(0, key.name.rfind('/'));
    const ArrayInfo* data = find(arrays, detector + "/data");
    if (data == nullptr || data->shape.size() != 3) continue;
    ScanParts parts{.layout = "NXtomo", .data = open_array(path + ":" + data->name)};
    sort_frames(parts, open_array(path + ":" + key.name)->read_all(), path + ":" + key.name);
    const auto angles = read_angles(path, arrays, entry + "/sample/rotation_angle");
    if (!angles.empty() && std::ssize(angles) != parts.data->shape()[0])
      refuse_scan(path + ":" + entry + "/sample/rotation_angle",
                  "there is not one angle for each image", std::to_string(angles.size()),
                  std::to_string(parts.data->shape()[0]));
    for (Index k : parts.frames)
      if (!angles.empty()) parts.angles.push_back(angles[to_size(k)]);
    return parts;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_layout(const std::string& path, const Arrays& arrays) {
  constexpr std::size_t max_listed = 20;
  std::string found;
  for (std::size_t k = 0; k < std::min(max_listed, arrays.size()); ++k)
    found += (k == 0 ? "" : ", ") + described(arrays[k]);
  if (arrays.size() > max_listed) found += fmt::format(" and {} more", arrays.size() - max_listed);
  throw Error(ErrorCode::bad_data,
              {.what = "the layout of the file is not known",
               .where = path,
               .found = found,
               .expected = "Data Exchange (/exchange/data) or NXtomo (instrument/detector/data)",
               .hint = "name the array, " + path + ":" + arrays.front().name +
                       ", and give --flat, --dark and --angles"});
}

}  // namespace

void refuse_scan(const std::string& where, const std::string& what, const std::string& found,
                 const std::string& expected, const std::string& hint) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = where, .found = found, .expected = expected, .hint = hint});
}

ScanParts find_parts(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_fifo(path, unknown))  // it can be read once, and holds one array
    return {.layout = {}, .data = open_array(path)};
  const Arrays arrays = list_arrays(path);
  if (arrays.size() > 1) {
    if (auto parts = data_exchange(path, arrays)) return *parts;
    if (auto parts = nxtomo(path, arrays)) return *parts;
    const auto fits = [](const ArrayInfo& a) {
      return a.numeric && (a.shape.size() == 2 || a.shape.size() == 3);
    };
    if (std::count_if(arrays.begin(), arrays.end(), fits) != 1) refuse_layout(path, arrays);
    const auto only = std::find_if(arrays.begin(), arrays.end(), fits);
    return {.layout = {}, .data = open_array(path + ":" + only->name)};
  }
  return {.layout = {}, .data = open_array(path)};
}

}  // namespace polyak::tomography::internal
