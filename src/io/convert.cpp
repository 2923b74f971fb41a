// Converting is reading joined to writing.

#include <utility>

#include "io/csv.hpp"
#include "io/format.hpp"
#include "io/mtx.hpp"
#include "io/npy.hpp"
#include "io/read.hpp"
#include "io/svm.hpp"
#include "io/write.hpp"

namespace polyak {
namespace {

using namespace io;

bool goes_by_rows(Format format) { return format == Format::csv || format == Format::npy; }

std::unique_ptr<RowSource> source_of(const Input& input, const ReadOptions& options) {
  check_options(input, options);
  auto source = input.format == Format::npy ? npy_rows(input.file) : csv_rows(input.file, options);
  return options.drop_nonfinite_rows ? finite_rows(std::move(source)) : std::move(source);
}

}  // namespace

void convert(const std::string& in, const std::string& out, const ReadOptions& options) {
  const Format to = output_format(out);
  const Input input = open_input(in);
  if (goes_by_rows(input.format) && goes_by_rows(to))
    return write_rows(out, *source_of(input, options), options.single);
  write_table(out, read_input(input, options), options.single);
}

}  // namespace polyak
