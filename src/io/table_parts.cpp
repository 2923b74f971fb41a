#include "polyak/table_parts.hpp"

#include "io/csv.hpp"
#include "io/format.hpp"
#include "io/petsc.hpp"
#include "io/read.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
namespace {

using namespace io;

// Which rows are dropped is known only to who has read them all.
bool goes_by_parts(const Input& input, const ReadOptions& options) {
  return !options.drop_nonfinite_rows &&
         (input.format == Format::csv || input.format == Format::petsc);
}

void check_unchanged(const std::string& name, Index found, Index expected) {
  if (found == expected) return;
  throw Error(ErrorCode::bad_data, {.what = "the file changed while it was read",
                                    .where = name,
                                    .found = std::to_string(found) + " rows",
                                    .expected = std::to_string(expected) + " rows"});
}

// One part, and what lies before and all around it.
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
  return collect(csv_rows(input.file, options, piece), options, input.file->name());
}

Table petsc_part(const Input& input, const ReadOptions& options, const Place& at) {
  const PetscLayout layout = parse_petsc(*input.file);
  const std::string& name = input.file->name();
  check_unchanged(name, layout.rows, at.all.rows);
  if (at.all.entries != layout.stored) refuse_petsc_sum(name, at.all.entries, layout.stored);
  return read_petsc_rows(input.file, layout, even_share(layout.rows, at.part, at.parts),
                         at.before.entries, options);
}

}  // namespace

std::optional<PartCounts> count_part(const std::string& path, const ReadOptions& options,
                                     Index part, Index parts) {
  const Input input = open_input(path, true);
  if (!goes_by_parts(input, options)) return std::nullopt;
  check_options(input, options);
  if (input.format == Format::csv) {
    const CsvCounts counts = count_csv(*input.file, part, parts);
    return PartCounts{
        .rows = counts.rows, .lines = counts.lines, .entries = 0, .bytes = input.bytes};
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
  Table out =
      input.format == Format::csv ? csv_part(input, options, at) : petsc_part(input, options, at);
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
