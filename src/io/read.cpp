// Reading: the reader for each format and the options that apply; parts of a table for several
// processes.

#include <algorithm>
#include <utility>

#include "io/format.hpp"
#include "io/mtx/mtx.hpp"
#include "io/npy/npy.hpp"
#include "io/parquet/parquet.hpp"
#include "io/petsc/petsc.hpp"
#include "io/stored.hpp"
#include "io/text/tables.hpp"
#include "matrix/storage.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "polyak/table_parts.hpp"

namespace polyak {
namespace {

using namespace io;

[[noreturn]] void refuse_option(const std::string& name, const char* option, const char* formats) {
  throw Error(ErrorCode::usage, {.what = std::string(option) + " does not apply to this file",
                                 .where = name,
                                 .expected = formats});
}

// A small sparse file can have a very large shape: its dense array is limited to 2^24 values, or
// to its number of entries.
void check_dense_size(const RowMatrix& A, const std::string& path) {
  const Index limit = std::max<Index>(1 << 24, A.nonzeros());
  if (checked_product(A.rows(), A.cols(), path) <= limit) return;
  throw Error(ErrorCode::bad_data,
              {.what = "the sparse matrix is too large to be read as a dense array",
               .where = path,
               .found = std::to_string(A.rows()) + " x " + std::to_string(A.cols())});
}

// Dense doubles are shared with the matrix; other types are copied.
Array to_array(const MatrixPtr& A, const std::string& path) {
  using Dense = TypedMatrix<DenseRows<double>>;
  if (const auto* dense = dynamic_cast<const Dense*>(A.get()))
    return Array(dense->storage().view, A);
  check_dense_size(*A, path);
  std::vector<double> values(to_size(A->rows() * A->cols()));
  A->copy_rows(0, A->rows(), View{values.data(), A->rows(), A->cols(), A->cols()});
  return Array(std::move(values), A->rows(), A->cols());
}

Array row_as_column(Array array) {
  const ConstView view = array.view();
  if (view.rows != 1 || view.cols < 2) return array;
  const auto owner = std::make_shared<const Array>(std::move(array));
  return Array(ConstView{view.data, view.cols, 1, 1}, owner);
}

// Whether a row is dropped is known only after all rows were read.
bool can_be_split(const Input& input, const ReadOptions& options) {
  return !options.drop_nonfinite_rows &&
         (input.format == Format::csv || input.format == Format::parquet ||
          input.format == Format::petsc);
}

void check_unchanged(const std::string& name, Index found, Index expected) {
  if (found == expected) return;
  throw Error(ErrorCode::bad_data, {.what = "the file changed while it was read",
                                    .where = name,
                                    .found = std::to_string(found) + " rows",
                                    .expected = std::to_string(expected) + " rows"});
}

// A part, the counts of all rows before it, and the counts of the whole file.
struct Place {
  Index part, parts;
  PartCounts before, all;
};

Table csv_part(const Input& input, const ReadOptions& options, const Place& at) {
  const CsvPiece piece{.k = at.part,
                       .pieces = at.parts,
                       .lines_before = at.before.lines,
                       .rows_before = at.before.rows,
                       .rows_in_all = at.all.rows};
  return load_rows(csv_rows(input.file, options, piece), options, input.file->name());
}

Table petsc_part(const Input& input, const ReadOptions& options, const Place& at) {
  const PetscLayout layout = parse_petsc(*input.file);
  const std::string& name = input.file->name();
  check_unchanged(name, layout.rows, at.all.rows);
  if (at.all.entries != layout.stored) refuse_petsc_sum(name, at.all.entries, layout.stored);
  return read_petsc_rows(input.file, layout, even_share(layout.rows, at.part, at.parts),
                         at.before.entries, options);
}

// Row groups of other ranks are not touched.
Table parquet_part(const Input& input, const ReadOptions& options, const Place& at) {
  const std::string& name = input.file->name();
  check_unchanged(name, inspect_parquet(*input.file).rows, at.all.rows);
  const RowRange rows = even_share(at.all.rows, at.part, at.parts);
  return load_rows(parquet_rows(input.file, options, rows), options, name);
}

Table part_of(const Input& input, const ReadOptions& options, const Place& at) {
  switch (input.format) {
    case Format::csv: return csv_part(input, options, at);
    case Format::parquet: return parquet_part(input, options, at);
    default: return petsc_part(input, options, at);
  }
}

}  // namespace

namespace io {

void check_options(const Input& input, const ReadOptions& options) {
  const bool csv = input.format == Format::csv, table = csv || input.format == Format::parquet;
  if (options.rhs_column && !table)
    refuse_option(input.file->name(), "--rhs-column", ".csv or .parquet");
  if (!options.columns.empty() && !table)
    refuse_option(input.file->name(), "--columns", ".csv or .parquet");
  if (!options.drop.empty() && !table)
    refuse_option(input.file->name(), "--drop", ".csv or .parquet");
  if (options.intercept && !table && input.format != Format::svm)
    refuse_option(input.file->name(), "--intercept", ".csv, .parquet or .svm");
  if (options.storage == Storage::stream && !csv)
    refuse_option(input.file->name(), "--storage stream", ".csv or .tsv");
  if (options.storage == Storage::disk && input.format != Format::npy)
    refuse_option(input.file->name(), "--storage disk", ".npy (polyak convert makes one)");
  const bool on_disk = input.format == Format::npy && options.storage != Storage::memory;
  if (options.disk_reader != "auto" && !on_disk)
    refuse_option(input.file->name(), "--disk-reader", ".npy whose rows may stay on the disk");
  if ((options.disk_sweep_bytes || options.disk_single_rows) && !on_disk)
    refuse_option(input.file->name(),
                  options.disk_sweep_bytes ? "--disk-sweep-rate" : "--disk-row-rate",
                  ".npy whose rows may stay on the disk");
}

Table read_input(const Input& input, const ReadOptions& options) {
  check_options(input, options);
  switch (input.format) {
    case Format::npy: return read_npy(input.file, options);
    case Format::mtx: return read_mtx(*input.file, options);
    case Format::svm: return read_svm(*input.file, options);
    case Format::petsc: return read_petsc(input.file, options);
    case Format::hdf5:
    case Format::mat:
    case Format::npz:
    case Format::tiff: return read_stored(input, options);
    case Format::parquet:
      return load_rows(parquet_rows(input.file, options), options, input.file->name());
    case Format::csv: break;
  }
  return load_rows(csv_rows(input.file, options), options, input.file->name());
}

Array read_input_array(const Input& input, const ReadOptions& options) {
  const std::string& name = input.file->name();
  if (input.format == Format::svm) return read_svm(*input.file, options).b;
  const Table table = input.format == Format::csv
                          ? load_rows(csv_rows(input.file, options, true), options, name)
                          : read_input(input, options);
  return row_as_column(to_array(table.A, name));
}

FileInfo inspect_input(const Input& input) {
  FileInfo info;
  switch (input.format) {
    case Format::npy: info = inspect_npy(*input.file); break;
    case Format::mtx: info = inspect_mtx(*input.file, !input.partial); break;
    case Format::svm: info = inspect_svm(*input.file); break;
    case Format::csv: info = inspect_csv(*input.file); break;
    case Format::parquet: info = inspect_parquet(*input.file); break;
    case Format::petsc: info = inspect_petsc(*input.file); break;
    case Format::hdf5:
    case Format::mat:
    case Format::npz:
    case Format::tiff: info = inspect_stored(input); break;
  }
  info.file_bytes = static_cast<double>(input.bytes);
  if (input.compressed) info.note += info.note.empty() ? "compressed" : ", compressed";
  return info;
}

}  // namespace io

Table read_table(const std::string& path, const ReadOptions& options) {
  if (options.storage == Storage::stream)
    throw Error(ErrorCode::usage, {.what = "read_table() keeps the rows, a stream does not",
                                   .where = path,
                                   .hint = "open_table() opens streams"});
  return read_input(open_input(path, false, options.memory_bytes), options);
}

Array read_array(const std::string& path, bool keep_nonfinite) {
  ReadOptions options;
  options.keep_nonfinite = keep_nonfinite;
  return read_input_array(open_input(path), options);
}

FileInfo inspect(const std::string& path) { return inspect_input(open_input(path, true)); }

std::optional<PartCounts> count_part(const std::string& path, const ReadOptions& options,
                                     Index part, Index parts) {
  const Input input = open_input(path, true);
  if (!can_be_split(input, options)) return std::nullopt;
  check_options(input, options);
  if (input.format == Format::csv) {
    const CsvCounts counts = count_csv(*input.file, part, parts);
    return PartCounts{
        .rows = counts.rows, .lines = counts.lines, .entries = 0, .bytes = input.bytes};
  }
  if (input.format == Format::parquet) {
    const RowRange rows = even_share(inspect_parquet(*input.file).rows, part, parts);
    return PartCounts{
        .rows = rows.last - rows.first, .lines = 0, .entries = 0, .bytes = input.bytes};
  }
  const PetscLayout layout = parse_petsc(*input.file);
  const RowRange rows = even_share(layout.rows, part, parts);
  return PartCounts{.rows = rows.last - rows.first,
                    .lines = 0,
                    .entries = petsc_entries(*input.file, layout, rows),
                    .bytes = input.bytes};
}

Table read_part(const std::string& path, const ReadOptions& options, Index part,
                std::span<const PartCounts> counts) {
  const Index parts = std::ssize(counts);
  const Place at{part, parts, sum_of_parts(counts, part), sum_of_parts(counts, parts)};
  const Input input = open_input(path);
  Table out = part_of(input, options, at);
  check_unchanged(input.file->name(), out.A->rows(), counts[to_size(part)].rows);
  return out;
}

PartCounts sum_of_parts(std::span<const PartCounts> counts, Index first_parts) {
  PartCounts out;
  for (const PartCounts& part : counts.first(to_size(first_parts))) {
    out.rows += part.rows;
    out.lines += part.lines;
    out.entries += part.entries;
    out.bytes = part.bytes;
  }
  return out;
}

}  // namespace polyak
