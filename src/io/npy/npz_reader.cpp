// Reading .npz: arrays by name, or a sparse matrix as scipy.sparse.save_npz writes it.

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/npy/npy.hpp"
#include "io/npy/zip.hpp"
#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

constexpr std::string_view npy_ending = ".npy";

using Members = std::vector<ZipMember>;

[[noreturn]] void refuse_npz(const std::string& where, const std::string& what,
                             const std::string& found = {}, const std::string& hint = {}) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = where, .found = found, .expected = {}, .hint = hint});
}

// "A" for the member A.npy.
const ZipMember* find_member(const Members& members, const std::string& array) {
  const auto found = std::find_if(members.begin(), members.end(), [&](const ZipMember& m) {
    return m.name == array + std::string(npy_ending);
  });
  return found == members.end() ? nullptr : &*found;
}

const ZipMember& required_member(const MappedFile& file, const Members& members,
                                 const std::string& array) {
  const ZipMember* found = find_member(members, array);
  if (found == nullptr)
    refuse_npz(file.name(), "the archive lacks an array", "no " + array + ".npy");
  return *found;
}

bool is_sparse(const Members& members) {
  return find_member(members, "format") && find_member(members, "shape") &&
         find_member(members, "data");
}

// Of any type; the sizes are not compared with the length of the member yet.
ArrayInfo npz_info_of(const MappedFile& file, const ZipMember& member) {
  constexpr std::size_t longest_header = 12 + (1u << 16);
  ArrayInfo info;
  info.name = member.name.substr(0, member.name.size() - npy_ending.size());
  const std::string beginning = zip_beginning(file, member, longest_header);
  const NpyStart start = npy_start(beginning, file.name() + ":" + info.name);
  try {
    const NpyHeader header = parse_npy_dictionary(start.dictionary, file.name());
    info.shape = header.shape;
    info.value_type = type_name(header.type);
  } catch (const Error&) {  // text, objects, one value: listed, and refused where it is chosen
    (void)zip_contents(file, member);  // unless the member is damaged
    info.numeric = false;
    info.value_type = "another type";
  }
  return info;
}

// Text of one value, of NumPy's types S and U: the characters that are not zero.
std::string npz_text_of(const MappedFile& file, const ZipMember& member) {
  constexpr std::size_t longest = 64;
  const auto contents = zip_contents(file, member);
  const NpyStart start = npy_start(contents->bytes(), contents->name());
  std::string out(contents->bytes().substr(start.offset));
  std::erase(out, '\0');
  if (out.size() > longest) refuse_npz(contents->name(), "the name of the format is too long");
  return out;
}

std::vector<double> npz_numbers_of(const MappedFile& file, const ZipMember& member) {
  const StoredArrayPtr array = open_npy(zip_contents(file, member));
  if (array->shape().size() != 1) refuse_npz(array->name(), "the array is no vector");
  return array->read_all();
}

std::vector<Index> npz_integers_of(const MappedFile& file, const ZipMember& member) {
  constexpr double largest = 0x1p53;
  std::vector<Index> out;
  for (const double v : npz_numbers_of(file, member)) {
    if (!(v >= 0.0 && v <= largest && v == std::floor(v)))
      refuse_npz(file.name() + ":" + member.name, "an index or size is no whole number from 0 on",
                 std::to_string(v));
    out.push_back(static_cast<Index>(v));
  }
  return out;
}

std::vector<Index> sparse_shape(const MappedFile& file, const Members& members) {
  std::vector<Index> shape = npz_integers_of(file, required_member(file, members, "shape"));
  if (shape.size() != 2)
    refuse_npz(file.name(), "the sparse matrix does not have two dimensions",
               std::to_string(shape.size()));
  return shape;
}

ArrayInfo sparse_info(const MappedFile& file, const Members& members) {
  const ArrayInfo data = npz_info_of(file, required_member(file, members, "data"));
  ArrayInfo info{.name = {}, .shape = sparse_shape(file, members), .value_type = data.value_type};
  info.sparse = true;
  info.numeric = data.numeric;
  info.stored = data.shape.empty() ? 0 : data.shape[0];
  return info;
}

}  // namespace

std::vector<ArrayInfo> list_npz(const MappedFile& file) {
  const Members members = zip_members(file);
  if (is_sparse(members)) return {sparse_info(file, members)};
  std::vector<ArrayInfo> out;
  for (const ZipMember& member : members)
    if (member.name.size() > npy_ending.size() && member.name.ends_with(npy_ending))
      out.push_back(npz_info_of(file, member));
  return out;
}

StoredArrayPtr open_npz(const MappedFile& file, const std::string& name) {
  const Members members = zip_members(file);
  return open_npy(zip_contents(file, required_member(file, members, name)));
}

SparseParts read_npz_sparse(const MappedFile& file) {
  const Members members = zip_members(file);
  const std::string format = npz_text_of(file, required_member(file, members, "format"));
  if (format != "csr" && format != "csc")
    refuse_npz(file.name(), "the sparse matrix is neither by rows nor by columns", format,
               "in SciPy: save_npz(file, A.tocsr())");
  const std::vector<Index> shape = sparse_shape(file, members);
  return {.rows = shape[0],
          .cols = shape[1],
          .start = npz_integers_of(file, required_member(file, members, "indptr")),
          .index = npz_integers_of(file, required_member(file, members, "indices")),
          .values = npz_numbers_of(file, required_member(file, members, "data")),
          .by_columns = format == "csc"};
}

}  // namespace polyak::internal::io
