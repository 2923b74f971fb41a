#include "io/petsc/petsc.hpp"

#include <algorithm>
#include <utility>

#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak::internal::io {
namespace {

constexpr Index mat_id = 1211216, vec_id = 1211214;
constexpr Index dense_mark = -1;  // in place of the number of entries
constexpr std::size_t value_size = sizeof(double);

[[noreturn]] void refuse_petsc(const std::string& name, const std::string& what,
                               const std::string& found, const std::string& expected,
                               const std::string& hint = {}) {
  throw Error(ErrorCode::bad_data,
              {.what = what, .where = name, .found = found, .expected = expected, .hint = hint});
}

// A position in the file; every move is checked against the length of the file.
class Cursor {
 public:
  explicit Cursor(const MappedFile& file) : file_(file) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return file_.bytes().size() - position_; }

  Index index(std::size_t width) {
    need(static_cast<Index>(width), "the PETSc header is truncated");
    const Index out = big_endian_index(file_.bytes().data() + position_, width);
    position_ += width;
    return out;
  }

  // Skips an array and returns its offset.
  std::size_t array(Index count, std::size_t size) {
    const std::size_t first = position_;
    const Index bytes = checked_product(count, static_cast<Index>(size), file_.name());
    need(bytes, "the PETSc file ends before all its values");
    position_ += to_size(bytes);
    return first;
  }

 private:
  void need(Index bytes, const char* what) const {
    if (bytes <= static_cast<Index>(left())) return;
    refuse_petsc(file_.name(), what,
                 std::to_string(left()) + " bytes after byte " + std::to_string(position_),
                 std::to_string(bytes));
  }

  const MappedFile& file_;
  std::size_t position_ = 0;
};

bool is_id(Index id) { return id == mat_id || id == vec_id; }

// 4 or 8; 0 if this is not a PETSc file.
std::size_t index_width(std::string_view bytes) {
  for (const std::size_t width : {std::size_t{4}, std::size_t{8}})
    if (bytes.size() >= width && is_id(big_endian_index(bytes.data(), width))) return width;
  return 0;
}

void read_matrix(Cursor& at, const MappedFile& file, PetscLayout& out) {
  out.rows = at.index(out.width);
  out.cols = at.index(out.width);
  const Index stored = at.index(out.width);
  check_dimensions(out.rows, out.cols, file.size(), file.name());
  if (stored == dense_mark) {
    out.kind = PetscKind::dense;
    out.stored = checked_product(out.rows, out.cols, file.name());
  } else {
    if (stored < 0)
      refuse_petsc(file.name(), "the PETSc file holds a kind of matrix that is not supported",
                   std::to_string(stored) + " entries", "0 or more, or -1 for dense",
                   "write it as MATAIJ or MATDENSE");
    out.stored = stored;
    out.lengths = at.array(out.rows, out.width);
    out.columns = at.array(stored, out.width);
  }
  out.values = at.array(out.stored, value_size);
}

void read_vector(Cursor& at, const MappedFile& file, PetscLayout& out) {
  out.kind = PetscKind::vector;
  out.rows = out.stored = at.index(out.width);
  check_dimensions(out.rows, 1, file.size(), file.name());
  out.values = at.array(out.rows, value_size);
}

// A may be followed by b, and by nothing else.
void read_rhs(Cursor& at, const MappedFile& file, PetscLayout& out) {
  if (at.left() == 0) return;
  const std::string more = std::to_string(at.left()) + " bytes more";
  const std::string end = "the end, or a vector of " + std::to_string(out.rows) + " numbers";
  const char* hint =
      "PETSc files of complex numbers or of other than double precision are not supported";
  if (at.left() < 2 * out.width || out.kind == PetscKind::vector || at.index(out.width) != vec_id)
    refuse_petsc(file.name(), "the PETSc file holds other data after its first object", more, end,
                 hint);
  const Index rows = at.index(out.width);
  if (rows != out.rows)
    refuse_petsc(file.name(), "A and b of the file have different numbers of rows",
                 std::to_string(rows) + " rows of b", std::to_string(out.rows));
  out.rhs = at.array(rows, value_size);
  if (at.left() > 0)
    refuse_petsc(file.name(), "the PETSc file holds other data after A and b",
                 std::to_string(at.left()) + " bytes more", "the end", hint);
}

const char* at(const MappedFile& file, std::size_t first, Index count, std::size_t size) {
  return file.bytes().data() + first + to_size(count) * size;
}

// Dense matrices and vectors, which PETSc writes by rows.
class PetscDenseRows final : public RowSource {
 public:
  PetscDenseRows(std::shared_ptr<const MappedFile> file, const PetscLayout& layout, RowRange rows)
      : file_(std::move(file)),
        layout_(layout),
        first_(rows.first),
        next_(rows.first),
        last_(rows.last) {}

  Index cols() const override { return layout_.cols; }
  Index first_row() const override { return first_; }
  Index max_rows_left() const override { return last_ - next_; }
  Index read(View A, std::span<double>) override {
    const Index count = std::min(A.rows, last_ - next_);
    for (Index i = 0; i < count; ++i) {
      const char* p = at(*file_, layout_.values, (next_ + i) * layout_.cols, value_size);
      for (Index j = 0; j < layout_.cols; ++j, p += value_size) A(i, j) = big_endian_double(p);
    }
    next_ += count;
    releaser_.release_up_to(layout_.values + to_size(next_ * layout_.cols) * value_size);
    return count;
  }

 private:
  std::shared_ptr<const MappedFile> file_;
  PetscLayout layout_;
  Index first_, next_, last_;
  PageReleaser releaser_{*file_};
};

Index row_length(const MappedFile& file, const PetscLayout& layout, Index row) {
  const Index length = big_endian_index(at(file, layout.lengths, row, layout.width), layout.width);
  if (length >= 0 && length <= layout.stored) return length;
  throw Error(ErrorCode::bad_data, {.what = "a row of a sparse matrix has an invalid length",
                                    .where = file.name() + ", row " + std::to_string(row + 1),
                                    .found = std::to_string(length),
                                    .expected = "0 to " + std::to_string(layout.stored)});
}

SparseParts sparse_rows(const MappedFile& file, const PetscLayout& layout, RowRange rows,
                        Index before) {
  SparseParts out{.rows = rows.last - rows.first, .cols = layout.cols};
  out.first_row = rows.first;
  out.start.reserve(to_size(out.rows) + 1);
  out.start.push_back(0);
  for (Index i = rows.first; i < rows.last; ++i)
    out.start.push_back(out.start.back() + row_length(file, layout, i));
  const Index count = out.start.back();
  out.index.reserve(to_size(count));
  out.values.reserve(to_size(count));
  for (Index k = before; k < before + count; ++k) {
    out.index.push_back(big_endian_index(at(file, layout.columns, k, layout.width), layout.width));
    out.values.push_back(big_endian_double(at(file, layout.values, k, value_size)));
  }
  return out;
}

Array rhs_rows(const MappedFile& file, const PetscLayout& layout, RowRange rows) {
  std::vector<double> b;
  b.reserve(to_size(rows.last - rows.first));
  for (Index i = rows.first; i < rows.last; ++i)
    b.push_back(big_endian_double(at(file, *layout.rhs, i, value_size)));
  return Array(std::move(b), rows.last - rows.first);
}

void check_drop(const MappedFile& file, const PetscLayout& layout, const ReadOptions& options) {
  if (!layout.rhs || !options.drop_nonfinite_rows) return;
  throw Error(ErrorCode::usage,
              {.what = "non-finite rows cannot be dropped from a file that holds both A and b",
               .where = file.name(),
               .hint = "polyak convert " + file.name() + " A.npy writes A.npy and A_b.npy"});
}

}  // namespace

bool looks_like_petsc(std::string_view bytes) { return index_width(bytes) != 0; }

PetscLayout parse_petsc(const MappedFile& file) {
  PetscLayout out;
  out.width = index_width(file.bytes());
  if (out.width == 0)
    refuse_petsc(file.name(), "this is not a matrix or vector in PETSc's binary format",
                 std::to_string(file.size()) + " bytes with another beginning",
                 std::to_string(mat_id) + " or " + std::to_string(vec_id) + ", big-endian");
  Cursor at(file);
  if (at.index(out.width) == mat_id)
    read_matrix(at, file, out);
  else
    read_vector(at, file, out);
  read_rhs(at, file, out);
  return out;
}

FileInfo inspect_petsc(const MappedFile& file) {
  const PetscLayout layout = parse_petsc(file);
  FileInfo info;
  info.format = "PETSc binary";
  info.value_type = "double";
  info.rows = layout.rows;
  info.cols = layout.cols;
  info.nonzeros = layout.stored;
  info.note = layout.kind == PetscKind::sparse  ? "sparse"
              : layout.kind == PetscKind::dense ? "dense"
                                                : "a vector";
  info.note += layout.width == 4 ? ", 32-bit indices" : ", 64-bit indices";
  if (layout.rhs) info.note += ", with b";
  return info;
}

Index petsc_entries(const MappedFile& file, const PetscLayout& layout, RowRange rows) {
  if (layout.kind != PetscKind::sparse) return (rows.last - rows.first) * layout.cols;
  Index count = 0;
  for (Index i = rows.first; i < rows.last; ++i) {
    count += row_length(file, layout, i);
    if (count > layout.stored) refuse_petsc_sum(file.name(), count, layout.stored);
  }
  return count;
}

Table read_petsc_rows(const std::shared_ptr<const MappedFile>& file, const PetscLayout& layout,
                      RowRange rows, Index entries_before, const ReadOptions& options) {
  check_drop(*file, layout, options);
  Table table;
  if (layout.kind == PetscKind::sparse) {
    const Index count = petsc_entries(*file, layout, rows);
    if (entries_before < 0 || entries_before > layout.stored - count)
      refuse_petsc_sum(file->name(), entries_before + count, layout.stored);
    table = table_of(sparse_rows(*file, layout, rows, entries_before), options, file->name());
  } else {
    table = load_rows(std::make_unique<PetscDenseRows>(file, layout, rows), options, file->name());
  }
  if (layout.rhs) table.b = rhs_rows(*file, layout, rows);
  return table;
}

Table read_petsc(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options) {
  const PetscLayout layout = parse_petsc(*file);
  const RowRange all{0, layout.rows};
  const Index entries = petsc_entries(*file, layout, all);
  if (entries != layout.stored) refuse_petsc_sum(file->name(), entries, layout.stored);
  return read_petsc_rows(file, layout, all, 0, options);
}

void refuse_petsc_sum(const std::string& name, Index found, Index expected) {
  throw Error(ErrorCode::bad_data,
              {.what = "the row lengths of a sparse matrix do not add up to its entries",
               .where = name,
               .found = std::to_string(found),
               .expected = std::to_string(expected)});
}

}  // namespace polyak::internal::io
