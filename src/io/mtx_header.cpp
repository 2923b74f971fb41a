#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "io/mtx.hpp"
#include "io/rows.hpp"

namespace polyak::io {
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
    lines.fail("the first line is not that of a Matrix Market file", excerpt(line),
               "%%MatrixMarket matrix ...");
  if (words.size() != 5 || words[1] != "matrix")
    lines.fail("the first line does not name a matrix of known kind", excerpt(line.substr(14)),
               "'matrix coordinate real general' or the like");
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
    lines.fail("the line of sizes holds more than sizes", excerpt(line));
  header.rows = sizes[0];
  header.cols = sizes[1];
  header.stored = sizes[2];
}

// An array stores what its symmetry leaves: the lower triangle by columns.
Index array_entries(const MtxHeader& header, const std::string& name) {
  const Index all = checked_product(header.rows, header.cols, name);
  if (header.symmetry == MtxSymmetry::general) return all;
  const Index diagonal = header.symmetry == MtxSymmetry::skew ? 0 : header.rows;
  return (all - header.rows) / 2 + diagonal;
}

// The shortest entry is "1 1" or "1" and a newline, which the last may lack.
void check_claim(const Lines& lines, const MtxHeader& header) {
  const Index shortest = header.coordinate ? (header.field == MtxField::pattern ? 4 : 6) : 2;
  const Index possible = (static_cast<Index>(lines.left()) + 1) / shortest;
  if (header.stored > possible)
    lines.fail("the file is too short for the entries it claims",
               std::to_string(lines.left()) + " bytes",
               std::to_string(header.stored) + " entries of at least " + std::to_string(shortest) +
                   " bytes");
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
  if (bytes > 0) check_claim(lines, header);
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

}  // namespace polyak::io
