#include <algorithm>

#include "io/entries.hpp"
#include "io/format.hpp"
#include "io/mtx.hpp"
#include "io/text_writer.hpp"

namespace polyak::io {
namespace {

void write_sizes(TextWriter& out, std::initializer_list<Index> sizes) {
  bool first = true;
  for (Index size : sizes) {
    if (!first) out.put(' ');
    out.integer(size);
    first = false;
  }
  out.end_line();
}

// The number of entries stands before them: count what will be written.
Index count_entries(const RowMatrix& A) {
  if (is_csr(A)) return A.nonzeros();
  Index count = 0;
  for_each_row(A, [&](Index, auto columns, auto) { count += ssize(columns); });
  return count;
}

void write_coordinate(TextWriter& out, const RowMatrix& A) {
  out.text("%%MatrixMarket matrix coordinate real general\n");
  write_sizes(out, {A.rows(), A.cols(), count_entries(A)});
  for_each_row(A, [&](Index i, auto columns, auto values) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      out.integer(i + 1);
      out.put(' ');
      out.integer(static_cast<Index>(columns[k]) + 1);
      out.put(' ');
      out.number(static_cast<double>(values[k]));
      out.end_line();
    }
  });
}

// Columns [first, last) of A into `out`, one after the other.
void copy_columns(const RowMatrix& A, Index first, Index last, std::vector<double>& out) {
  const Index rows = rows_per_block(A.cols());
  std::vector<double> block(to_size(rows * A.cols()));
  out.resize(to_size((last - first) * A.rows()));
  for (Index top = 0; top < A.rows(); top += rows) {
    const Index bottom = std::min(A.rows(), top + rows);
    const View view{block.data(), bottom - top, A.cols(), A.cols()};
    A.copy_rows(top, bottom, view);
    for (Index j = first; j < last; ++j)
      for (Index i = top; i < bottom; ++i)
        out[to_size((j - first) * A.rows() + i)] = view(i - top, j);
  }
}

// An array goes by columns and A by rows, so A is passed over once for every
// 64 MB of it: bounded memory is bought with passes.
void write_dense(TextWriter& out, const RowMatrix& A) {
  constexpr Index values = 1 << 23;
  out.text("%%MatrixMarket matrix array real general\n");
  write_sizes(out, {A.rows(), A.cols()});
  const Index step = std::max<Index>(1, values / std::max<Index>(1, A.rows()));
  std::vector<double> columns;
  for (Index first = 0; first < A.cols(); first += step) {
    copy_columns(A, first, std::min(A.cols(), first + step), columns);
    for (double value : columns) {
      out.number(value);
      out.end_line();
    }
  }
}

}  // namespace

void write_mtx(const std::string& path, const RowMatrix& A) {
  TextWriter out(open_output(path));
  const double all = static_cast<double>(A.rows()) * static_cast<double>(A.cols());
  const bool sparse = is_csr(A) || static_cast<double>(A.nonzeros()) < all;
  sparse ? write_coordinate(out, A) : write_dense(out, A);
  out.commit();
}

}  // namespace polyak::io
