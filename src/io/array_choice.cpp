// Of several arrays in a file: which one is meant, told in full when nobody can
// know.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "io/rows.hpp"
#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak {

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

void check_room(double bytes, const std::string& name, std::optional<double> most) {
  const double there = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double limit = std::min(there, most.value_or(there));
  if (bytes <= limit) return;
  const auto told = [](double b) { return fmt::format("{:.3g} MB", b / 1e6); };
  throw Error(ErrorCode::out_of_memory, {.what = "the array does not fit into memory",
                                         .where = name,
                                         .found = told(bytes),
                                         .expected = "at most " + told(limit)});
}

std::vector<double> StoredArray::read_all() const {
  check_room(static_cast<double>(size()) * sizeof(double), name());
  std::vector<double> out(to_size(size()));
  const std::vector<Index> first(shape().size(), 0);
  if (!out.empty()) read(first, shape(), out);
  return out;
}

}  // namespace polyak

namespace polyak::io {
namespace {

const char* const plain = "numbers: float, double or integers";

const ArrayInfo& checked(const std::string& file, const ArrayInfo& array, std::size_t most) {
  const std::string where = array.name.empty() ? file : file + ":" + array.name;
  if (!array.numeric)
    throw Error(ErrorCode::bad_data, {.what = "the array does not hold plain numbers",
                                      .where = where,
                                      .found = array.value_type,
                                      .expected = plain});
  if (!array.shape.empty() && array.shape.size() <= most) return array;
  throw Error(ErrorCode::bad_data, {.what = "the array does not have one or two dimensions",
                                    .where = where,
                                    .found = shape_text(array.shape)});
}

std::string same_name(const std::string& name) { return name.starts_with('/') ? name : "/" + name; }

}  // namespace

std::string shape_text(std::span<const Index> shape) {
  if (shape.empty()) return "one value";
  std::string out;
  for (Index n : shape) out += (out.empty() ? "" : " x ") + std::to_string(n);
  return out;
}

void refuse_choice(const std::string& file, const std::string& what,
                   const std::vector<ArrayInfo>& arrays) {
  constexpr std::size_t most = 20;
  std::string found;
  for (std::size_t k = 0; k < std::min(most, arrays.size()); ++k)
    found += (k == 0 ? "" : ", ") + described(arrays[k]);
  if (arrays.size() > most) found += " and " + std::to_string(arrays.size() - most) + " more";
  const std::string example = arrays.empty() ? "" : "name one: " + file + ":" + arrays.front().name;
  throw Error(ErrorCode::bad_data, {.what = what,
                                    .where = file,
                                    .found = arrays.empty() ? "no array" : found,
                                    .expected = {},
                                    .hint = example});
}

const ArrayInfo& choose_array(const std::string& file, const std::string& name,
                              const std::vector<ArrayInfo>& arrays, std::size_t most) {
  if (!name.empty()) {
    const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const ArrayInfo& a) {
      return a.name == name || same_name(a.name) == same_name(name);
    });
    if (found == arrays.end()) refuse_choice(file, "there is no array '" + name + "'", arrays);
    return checked(file, *found, most);
  }
  if (arrays.size() == 1) return checked(file, arrays[0], most);
  for (const std::size_t least : {2u, 1u}) {
    const auto fits = [&](const ArrayInfo& a) {
      return a.numeric && a.shape.size() >= least && a.shape.size() <= most;
    };
    const auto count = std::count_if(arrays.begin(), arrays.end(), fits);
    if (count == 1) return *std::find_if(arrays.begin(), arrays.end(), fits);
    if (count > 1) refuse_choice(file, "it is not clear which array is meant", arrays);
  }
  refuse_choice(file, "the file holds no array that could be meant", arrays);
}

// Deflate reaches 1032 to 1, LZW somewhat more.
void check_claim(std::span<const Index> shape, Index file_bytes, const std::string& name,
                 Index bytes_each) {
  constexpr Index always = 1 << 24, ratio = 2048;
  Index size = 1;
  for (Index n : shape) {
    if (n < 0)
      throw Error(ErrorCode::bad_data,
                  {.what = "a size is negative", .where = name, .found = std::to_string(n)});
    size = checked_product(size, std::max<Index>(n, 1), name);
  }
  if (size <= always || size / ratio * bytes_each <= file_bytes) return;
  throw Error(ErrorCode::bad_data,
              {.what = "the file claims sizes that its length cannot fill",
               .where = name,
               .found = shape_text(shape),
               .expected = "less in " + std::to_string(file_bytes) + " bytes"});
}

}  // namespace polyak::io
