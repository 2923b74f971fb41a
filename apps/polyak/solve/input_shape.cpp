#include "solve/input_shape.hpp"

#include <algorithm>
#include <filesystem>

#include "polyak/disk_rows.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

struct Sizes {
  Index rows = 0, cols = 0, nonzeros = 0;
};

FileInfo inspected(const std::string& path) {
  if (path != "-") return inspect(path);
  throw Error(ErrorCode::usage,
              {.what = "standard input can be read only once, and a dry run would use it up",
               .where = "--dry-run",
               .hint = "give a file"});
}

Sizes sizes_of(const ArrayInfo& array) {
  const Index rows = array.shape.empty() ? 1 : array.shape[0];
  const Index cols = array.shape.size() < 2 ? 1 : array.shape[1];
  return {rows, cols, array.sparse ? array.stored : rows * cols};
}

const ArrayInfo* find(const FileInfo& info, const std::string& name) {
  for (const ArrayInfo& array : info.arrays)
    if (array.name == name || array.name == "/" + name) return &array;
  return nullptr;
}

[[noreturn]] void refuse_unnamed(const std::string& path) {
  throw Error(ErrorCode::bad_data, {.what = "the file does not hold one array, nor A and b",
                                    .where = path,
                                    .hint = "name one after a colon; polyak info lists them"});
}

Sizes matrix_sizes(const FileInfo& info, const SolveRequest& request) {
  Sizes out{info.rows, info.cols, info.nonzeros};
  if (info.arrays.size() > 1) {
    const ArrayInfo* A = find(info, "A");
    if (!A) refuse_unnamed(request.A);
    out = sizes_of(*A);
  }
  const bool dense = out.nonzeros == out.rows * out.cols;
  if (info.note.find("symmetric") != std::string::npos && !dense)
    out.nonzeros *= 2;  // an upper bound
  const bool chosen = !request.data.columns.empty() || !request.data.drop.empty();
  if (chosen) {
    out.cols = columns_read(request.A, info, request.data.read_options());
    out.nonzeros = out.rows * out.cols;
  }
  const Index more =
      Index{request.data.intercept} - Index{!chosen && request.data.rhs_column.has_value()};
  out.cols += more;
  out.nonzeros = dense ? out.rows * out.cols : out.nonzeros + request.data.intercept * out.rows;
  return out;
}

bool single(const FileInfo& info, const SolveRequest& request) {
  return request.data.precision == "single" || info.value_type == "float";
}

// True if the .npy reader maps the file instead of copying it.
bool stays_in_file(const FileInfo& info, const SolveRequest& request) {
  const bool same = info.value_type == "float" ||
                    (info.value_type == "double" && request.data.precision == "double");
  return info.format == "NumPy array" && same && info.note != "Fortran order" &&
         !request.data.drop_nonfinite_rows;
}

void describe(const FileInfo& info, const SolveRequest& request, InputShape& out) {
  ProblemShape& p = out.problem;
  const Sizes sizes = matrix_sizes(info, request);
  p.rows = sizes.rows, p.cols = sizes.cols, p.nonzeros = sizes.nonzeros;
  const double value = single(info, request) ? 4.0 : 8.0;
  const bool dense = info.format != "SVMlight" && p.dense();
  p.bytes = static_cast<double>(p.nonzeros) * (dense ? value : value + 4.0) +
            (dense ? 0.0 : 8.0 * static_cast<double>(p.rows + 1));
  out.mapped = stays_in_file(info, request);
  out.kind = std::string(dense ? "dense, " : "csr, ") + (value == 4.0 ? "single" : "double") +
             (out.mapped ? ", mapped" : "");
  constexpr double text_per_byte = 4.0;  // compression factor of gzip on numbers
  if (info.note.find("compressed") != std::string::npos)
    out.reading_bytes = text_per_byte * info.file_bytes;
  if (request.data.drop_nonfinite_rows) out.reading_bytes += p.bytes;  // a copy of the rows kept
}

// Bytes in memory of an array with a number or more for each row. Where the rows of A stay on
// the disk, an .npy of doubles is mapped, and its pages are dropped behind their use.
double resident_bytes(const FileInfo& info, double numbers, bool on_disk) {
  constexpr double most_pages = 1e8;
  const bool mapped = info.format == "NumPy array" && info.value_type == "double";
  return on_disk && mapped ? std::min(most_pages, 8.0 * numbers) : 8.0 * numbers;
}

// The sizes of b; a single row counts as a column.
Sizes rhs_sizes(const FileInfo& A, const InputShape& shape, const SolveRequest& request) {
  const Sizes one{shape.problem.rows, 1, 0};
  if (!request.b) {
    const ArrayInfo* b = A.arrays.size() > 1 ? find(A, "b") : nullptr;
    return b ? sizes_of(*b) : one;
  }
  const FileInfo info = inspected(*request.b);
  if (info.format == "SVMlight") return {info.rows, 1, 0};
  if (info.rows == 1 && info.cols > 1) return {info.cols, 1, 0};
  return {info.rows, info.cols, 0};
}

void check_rows(const ProblemShape& A, const Sizes& b) {
  if (b.rows == A.rows) return;
  throw Error(ErrorCode::bad_data,
              {.what = "A and b do not have the same number of rows",
               .where = "b",
               .found = "A " + std::to_string(A.rows) + " x " + std::to_string(A.cols) + " and b " +
                        std::to_string(b.rows) + " x " + std::to_string(b.cols),
               .expected = std::to_string(A.rows) + " rows in b"});
}

// Of several files the first, with the rows of all.
FileInfo inspected_table(const SolveRequest& request) {
  FileInfo out = inspected(request.files.front());
  for (std::size_t k = 1; k < request.files.size(); ++k) {
    const FileInfo more = inspected(request.files[k]);
    out.rows += more.rows;
    out.nonzeros += more.nonzeros;
    out.file_bytes += more.file_bytes;
  }
  return out;
}

}  // namespace

bool stays_in_file(const SolveRequest& request) {
  std::error_code ignored;  // a pipe is no regular file and can be read only once
  return request.A.ends_with(".npy") && std::filesystem::is_regular_file(request.A, ignored) &&
         stays_in_file(inspect(request.A), request);
}

InputShape input_shape(const SolveRequest& request) {
  const FileInfo info = inspected_table(request);
  InputShape out;
  describe(info, request, out);
  const Sizes b = rhs_sizes(info, out, request);
  check_rows(out.problem, b);
  out.problem.right_hand_sides = b.cols;
  out.problem.weighted = request.problem.weights.has_value();
  out.problem.shared_weights = !request.data.drop_nonfinite_rows;
  out.problem.ridge = request.problem.ridge > 0.0;
  out.problem.bounds = request.problem.lower.has_value() || request.problem.upper.has_value();
  if (out.mapped) {
    if (const auto disk = disk_use(*read_table(request.A, read_options_of(request)).A)) {
      out.kind.replace(out.kind.rfind("mapped"), std::string::npos, "on disk");
      out.buffer_bytes = disk->buffer_bytes;
      out.problem.disk = disk->rates;
    }
  }
  const bool on_disk = out.buffer_bytes > 0.0;
  const double n = static_cast<double>(out.problem.rows);
  out.rhs_bytes = resident_bytes(request.b ? inspected(*request.b) : info,
                                 n * static_cast<double>(b.cols), on_disk);
  if (out.problem.weighted)
    out.rhs_bytes += resident_bytes(inspected(*request.problem.weights), n, on_disk);
  return out;
}

}  // namespace polyak::cli
