// Writing tables, arrays and text, and converting from one format to another.

#include <optional>
#include <utility>

#include "io/format.hpp"
#include "io/mtx/mtx.hpp"
#include "io/npy/npy.hpp"
#include "io/text/tables.hpp"
#include "io/text/text.hpp"
#include "polyak/error.hpp"
#include "polyak/files.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

using namespace io;

void write_named(const std::string& path, ConstView values,
                 const std::vector<std::string>& row_names) {
  if (ssize(row_names) != values.rows)
    throw Error(ErrorCode::usage, {.what = "there is not one name for each row",
                                   .where = path,
                                   .found = std::to_string(row_names.size()),
                                   .expected = std::to_string(values.rows)});
  TextWriter out(open_output(path));
  out.text("name");
  for (Index c = 0; c < values.cols; ++c)
    out.text(values.cols == 1 ? ",value" : ",value" + std::to_string(c + 1));
  out.end_line();
  for (Index i = 0; i < values.rows; ++i) {
    out.cell(row_names[to_size(i)]);
    for (Index c = 0; c < values.cols; ++c) {
      out.put(',');
      out.number(values(i, c));
    }
    out.end_line();
  }
  out.commit();
}

// Writes A and b to two files; the file of b is completed after that of A.
class NpyPair final : public RowSink {
 public:
  NpyPair(const std::string& path, const NpyLayout& layout)
      : A_(npy_sink(path, layout)),
        b_(npy_sink(rhs_path(path), {.cols = 1, .single = false, .one_dimension = true})) {}
  void write(ConstView A, std::span<const double> b) override {
    A_->write(A, {});
    b_->write({b.data(), ssize(b), 1, 1}, {});
  }
  void finish() override {
    A_->finish();
    b_->finish();
  }

 private:
  std::unique_ptr<RowSink> A_, b_;
};

std::unique_ptr<RowSink> sink_for(const std::string& path, const RowSource& source, bool single) {
  if (output_format(path) == Format::csv) {
    const auto rhs = source.has_rhs() ? std::optional(source.rhs_name()) : std::nullopt;
    return csv_sink(path, source.names(), rhs);
  }
  const NpyLayout layout{
      .cols = source.cols(), .single = single || source.single(), .one_dimension = false};
  if (source.has_rhs()) return std::make_unique<NpyPair>(path, layout);
  return npy_sink(path, layout);
}

// A pointer to a matrix that the caller owns.
MatrixPtr non_owning(const RowMatrix& A) { return MatrixPtr(MatrixPtr(), &A); }

bool is_read_by_rows(Format format) { return format == Format::csv || format == Format::npy; }

std::unique_ptr<RowSource> source_of(const Input& input, const ReadOptions& options) {
  check_options(input, options);
  auto source = input.format == Format::npy ? npy_rows(input.file) : csv_rows(input.file, options);
  return options.drop_nonfinite_rows ? finite_rows(std::move(source)) : std::move(source);
}

// Formats that hold A only write b to a second file, which is no file that is in use.
void check_second_file(const std::string& in, const std::string& out, bool has_rhs) {
  const Format to = output_format(out);
  if (!has_rhs || to == Format::csv || to == Format::svm) return;
  const std::string second = rhs_path(out);
  check_outputs({in}, {second});
  check_outputs({}, {out, second});
}

}  // namespace

namespace internal::io {

std::string rhs_path(const std::string& path) {
  const auto stem = path.size() - ending_of(path).size();
  return path.substr(0, stem) + "_b" + path.substr(stem);
}

void write_rows(const std::string& path, RowSource& source, bool single) {
  const auto sink = sink_for(path, source, single);
  transfer_rows(source, *sink);
}

void write_table(const std::string& path, const Table& table, bool single) {
  switch (output_format(path)) {
    case Format::mtx:
      write_mtx(path, *table.A);
      if (!table.b.empty()) write_mtx(rhs_path(path), *dense_view(table.b.view()));
      return;
    case Format::svm: return write_svm(path, *table.A, table.b);
    case Format::csv:
    case Format::npy:
    case Format::hdf5:  // not output formats: output_format has refused them
    case Format::mat:
    case Format::npz:
    case Format::tiff:
    case Format::petsc: break;
  }
  write_rows(path, *matrix_rows(*table.A, table.names, table.b), single);
}

}  // namespace internal::io

void write_text(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_array(const std::string& path, ConstView values,
                 const std::vector<std::string>& row_names) {
  const Format format = output_format(path);
  if (format == Format::csv && !row_names.empty()) return write_named(path, values, row_names);
  const MatrixPtr A = dense_view(values);
  if (format != Format::npy) return write_matrix(path, *A);
  const auto sink =
      npy_sink(path, {.cols = values.cols, .single = false, .one_dimension = values.cols == 1});
  transfer_rows(*matrix_rows(*A), *sink);
}

void write_matrix(const std::string& path, const RowMatrix& A,
                  const std::vector<std::string>& column_names) {
  write_table(path, {.A = non_owning(A), .b = {}, .names = column_names, .dropped_rows = 0}, false);
}

void convert(const std::string& in, const std::string& out, const ReadOptions& options) {
  const Format to = output_format(out);
  const Input input = open_input(in);
  OutputSet together;
  if (is_read_by_rows(input.format) && is_read_by_rows(to)) {
    const auto source = source_of(input, options);
    check_second_file(in, out, source->has_rhs());
    write_rows(out, *source, options.single);
  } else {
    const Table table = read_input(input, options);
    check_second_file(in, out, !table.b.empty());
    write_table(out, table, options.single);
  }
  together.commit();
}

}  // namespace polyak
