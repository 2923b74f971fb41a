#include "io/mtx/mtx.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "io/csr.hpp"
#include "io/format.hpp"
#include "io/rows.hpp"
#include "io/text/text.hpp"

namespace polyak::internal::io {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  const char* end = line.data() + line.size();
  for (const char* p = skip_blanks(line.data(), end); p != end; p = skip_blanks(p, end)) {
    const char* stop = token_end(p, end);
    words.emplace_back(p, stop);
    for (char& c : words.back()) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    p = stop;
  }
  return words;
}

MtxField field_of(const std::string& word, const Lines& lines) {
  if (word == "real" || word == "double") return MtxField::real;
  if (word == "integer" || word == "unsigned-integer") return MtxField::integer;
  if (word == "pattern") return MtxField::pattern;
  lines.fail(word == "complex" ? "the matrix is complex" : "the field of the matrix is unknown",
             excerpt(word), "real, integer or pattern");
}

MtxSymmetry symmetry_of(const std::string& word, const Lines& lines) {
  if (word == "general") return MtxSymmetry::general;
  if (word == "symmetric") return MtxSymmetry::symmetric;
  if (word == "skew-symmetric") return MtxSymmetry::skew;
  lines.fail(word == "hermitian" ? "the matrix is complex (hermitian)"
                                 : "the symmetry of the matrix is unknown",
             excerpt(word), "general, symmetric or skew-symmetric");
}

MtxHeader parse_banner(Lines& lines) {
  std::string_view line;
  if (!lines.next_any(line)) lines.fail("the file is empty", {}, "%%MatrixMarket");
  const auto words = words_of(line);
  if (words.empty() || words[0] != "%%matrixmarket")
    lines.fail("the file does not begin like a Matrix Market file", excerpt(line),
               "%%MatrixMarket matrix ...");
  if (words.size() != 5 || words[1] != "matrix")
    lines.fail("the kind of matrix in the first line is unknown", excerpt(line.substr(14)),
               "'matrix coordinate real general' or similar");
  MtxHeader header;
  header.coordinate = words[2] == "coordinate";
  if (!header.coordinate && words[2] != "array")
    lines.fail("the layout of the matrix is unknown", excerpt(words[2]), "coordinate or array");
  header.field = field_of(words[3], lines);
  header.symmetry = symmetry_of(words[4], lines);
  if (!header.coordinate && header.field == MtxField::pattern)
    lines.fail("an array cannot be a pattern");
  return header;
}

void parse_sizes(Lines& lines, MtxHeader& header) {
  std::string_view line;
  if (!lines.next(line)) lines.fail("the file ends before its line of sizes");
  std::array<Index, 3> sizes{};
  const std::size_t count = header.coordinate ? 3 : 2;
  const char* end = line.data() + line.size();
  const char* p = line.data();
  for (std::size_t i = 0; i < count; ++i) {
    p = parse_index(skip_blanks(p, end), end, sizes[i]);
    if (p == nullptr || (p != end && *p != ' ' && *p != '\t') || sizes[i] < 0)
      lines.fail("the line of sizes is wrong", excerpt(line),
                 header.coordinate ? "rows, columns and entries" : "rows and columns");
  }
  if (skip_blanks(p, end) != end)
    lines.fail("the line of sizes holds too many numbers", excerpt(line));
  header.rows = sizes[0];
  header.cols = sizes[1];
  header.stored = sizes[2];
}

// A symmetric array stores the lower triangle, by columns; skew-symmetric without the diagonal.
Index array_entries(const MtxHeader& header, const std::string& name) {
  const Index all = checked_product(header.rows, header.cols, name);
  if (header.symmetry == MtxSymmetry::general) return all;
  const Index diagonal = header.symmetry == MtxSymmetry::skew ? 0 : header.rows;
  return (all - header.rows) / 2 + diagonal;
}

// The shortest entry is "1 1", "1 1 1" or "1" and a newline, which the last line may lack.
void check_entry_count(const Lines& lines, const MtxHeader& header) {
  const Index shortest = header.coordinate ? (header.field == MtxField::pattern ? 4 : 6) : 2;
  const Index possible = (static_cast<Index>(lines.left()) + 1) / shortest;
  if (header.stored > possible)
    lines.fail("the file is too short for the number of entries in its header",
               std::to_string(lines.left()) + " bytes",
               std::to_string(header.stored) + " entries of at least " + std::to_string(shortest) +
                   " bytes");
}

void write_sizes(TextWriter& out, std::initializer_list<Index> sizes) {
  bool first = true;
  for (Index size : sizes) {
    if (!first) out.put(' ');
    out.integer(size);
    first = false;
  }
  out.end_line();
}

// The header needs the number of entries: count the nonzeros if A is not sparse.
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

// The file is ordered by columns and A is read by rows: one pass over A for every 64 MB of output
// keeps the memory bounded.
void write_dense(TextWriter& out, const RowMatrix& A) {
  constexpr Index max_values = 1 << 23;
  out.text("%%MatrixMarket matrix array real general\n");
  write_sizes(out, {A.rows(), A.cols()});
  const Index step = std::max<Index>(1, max_values / std::max<Index>(1, A.rows()));
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

MtxHeader parse_mtx_header(Lines& lines, Index bytes, const std::string& name) {
  MtxHeader header = parse_banner(lines);
  parse_sizes(lines, header);
  if (header.symmetry != MtxSymmetry::general && header.rows != header.cols)
    lines.fail("a symmetric matrix is not square",
               std::to_string(header.rows) + " x " + std::to_string(header.cols));
  if (bytes > 0) check_dimensions(header.rows, header.cols, bytes, name);
  if (!header.coordinate) header.stored = array_entries(header, name);
  if (bytes > 0) check_entry_count(lines, header);
  return header;
}

FileInfo inspect_mtx(const MappedFile& file, bool whole) {
  Lines lines(file, '%');
  const MtxHeader header = parse_mtx_header(lines, whole ? file.size() : 0, file.name());
  constexpr std::array fields{"real", "integer", "pattern"};
  constexpr std::array symmetries{"", "symmetric", "skew-symmetric"};
  FileInfo info;
  info.format = std::string("Matrix Market, ") + (header.coordinate ? "coordinate" : "array");
  info.value_type = fields[static_cast<std::size_t>(header.field)];
  info.rows = header.rows;
  info.cols = header.cols;
  info.nonzeros = header.stored;
  info.note = symmetries[static_cast<std::size_t>(header.symmetry)];
  return info;
}

void write_mtx(const std::string& path, const RowMatrix& A) {
  TextWriter out(open_output(path));
  const double all = static_cast<double>(A.rows()) * static_cast<double>(A.cols());
  const bool sparse = is_csr(A) || static_cast<double>(A.nonzeros()) < all;
  sparse ? write_coordinate(out, A) : write_dense(out, A);
  out.commit();
}

}  // namespace polyak::internal::io
