#include <algorithm>
#include <utility>

#include "io/big_endian.hpp"
#include "io/petsc.hpp"
#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

constexpr std::size_t value_size = sizeof(double);

const char* at(const MappedFile& file, std::size_t first, Index count, std::size_t size) {
  return file.bytes().data() + first + to_size(count) * size;
}

// Dense rows, and vectors: PETSc writes them row after row.
class DenseRowsOfPetsc final : public RowSource {
 public:
  DenseRowsOfPetsc(std::shared_ptr<const MappedFile> file, const PetscLayout& layout, RowRange rows)
      : file_(std::move(file)),
        layout_(layout),
        first_(rows.first),
        next_(rows.first),
        last_(rows.last) {}

  Index cols() const override { return layout_.cols; }
  Index first_row() const override { return first_; }
  Index rows_at_most() const override { return last_ - next_; }
  Index read(View A, std::span<double>) override {
    const Index count = std::min(A.rows, last_ - next_);
    for (Index i = 0; i < count; ++i) {
      const char* p = at(*file_, layout_.values, (next_ + i) * layout_.cols, value_size);
      for (Index j = 0; j < layout_.cols; ++j, p += value_size) A(i, j) = big_endian_double(p);
    }
    next_ += count;
    trail_.reached(layout_.values + to_size(next_ * layout_.cols) * value_size);
    return count;
  }

 private:
  std::shared_ptr<const MappedFile> file_;
  PetscLayout layout_;
  Index first_, next_, last_;
  PageTrail trail_{*file_};
};

Index row_length(const MappedFile& file, const PetscLayout& layout, Index row) {
  const Index length = big_endian_index(at(file, layout.lengths, row, layout.width), layout.width);
  if (length >= 0 && length <= layout.stored) return length;
  throw Error(ErrorCode::bad_data, {.what = "a row of a sparse matrix has a length that cannot be",
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
              {.what = "rows cannot be dropped from A and b of one file at once",
               .where = file.name(),
               .hint = "polyak convert " + file.name() + " A.npy writes A.npy and A_b.npy"});
}

}  // namespace

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
    table = collect(std::make_unique<DenseRowsOfPetsc>(file, layout, rows), options, file->name());
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

}  // namespace polyak::io
