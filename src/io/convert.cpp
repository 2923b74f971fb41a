// Converting is reading joined to writing.

#include <filesystem>
#include <utility>

#include "io/csv.hpp"
#include "io/format.hpp"
#include "io/mtx.hpp"
#include "io/npy.hpp"
#include "io/read.hpp"
#include "io/svm.hpp"
#include "io/write.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

using namespace io;

bool goes_by_rows(Format format) { return format == Format::csv || format == Format::npy; }

std::unique_ptr<RowSource> source_of(const Input& input, const ReadOptions& options) {
  check_options(input, options);
  auto source = input.format == Format::npy ? npy_rows(input.file) : csv_rows(input.file, options);
  return options.drop_nonfinite_rows ? finite_rows(std::move(source)) : std::move(source);
}

// b goes to a second file where the format has no place for it.
void check_second_file(const std::string& in, const std::string& out, bool has_rhs) {
  std::error_code ignored;
  const std::string second = rhs_path(out);
  if (!has_rhs || !std::filesystem::equivalent(second, in, ignored)) return;
  throw Error(ErrorCode::usage, {.what = "the right-hand side would replace the input",
                                 .where = second,
                                 .hint = "name another output"});
}

}  // namespace

void convert(const std::string& in, const std::string& out, const ReadOptions& options) {
  const Format to = output_format(out);
  const Input input = open_input(in);
  if (goes_by_rows(input.format) && goes_by_rows(to)) {
    const auto source = source_of(input, options);
    check_second_file(in, out, source->has_rhs());
    return write_rows(out, *source, options.single);
  }
  const Table table = read_input(input, options);
  check_second_file(in, out, !table.b.empty());
  write_table(out, table, options.single);
}

}  // namespace polyak
