#include "polyak/table_stream.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "io/format.hpp"
#include "io/stream/joined_rows.hpp"
#include "io/stream/text_input.hpp"
#include "polyak/error.hpp"
#include "polyak/files.hpp"

namespace polyak {
namespace {

using namespace io;

std::unique_ptr<ByteSource> open_table_bytes(const std::string& path) {
  Decompressed out = decompressed(open_bytes(path));
  check_compression(path, out.from);
  return std::move(out.bytes);
}

// The reader of one file, for all of its parts.
struct OpenTable {
  std::string name;
  CsvRowReader reader;
};

class TextPiece final : public RowPiece {
 public:
  void add(TextPart part, std::shared_ptr<const OpenTable> table) {
    rows_ += part.rows;
    parts_.push_back({std::move(part), std::move(table)});
  }
  Index rows() const override { return rows_; }
  void copy(View A, std::span<double> b) override {
    Index first = 0;
    for (auto& [part, table] : parts_) {
      const View rows{A.row(first), part.rows, A.cols, A.stride};
      const bool has_rhs = table->reader.has_rhs();
      read_part_rows(part, table->reader, table->name, rows,
                     has_rhs ? b.subspan(to_size(first), to_size(part.rows)) : b.first(0));
      first += part.rows;
      part.text = TextBuffer();
    }
  }

 private:
  struct Part {
    TextPart part;
    std::shared_ptr<const OpenTable> table;
  };
  std::vector<Part> parts_;
  Index rows_ = 0;
};

// Files one after the other; a piece may have rows of several.
class TextTables final : public TableStream {
 public:
  // `first`: what has been read of the first path already, with its source.
  TextTables(std::vector<std::string> paths, const ReadOptions& options,
             std::unique_ptr<ByteSource> first)
      : paths_(std::move(paths)), options_(options), bytes_(sizes_of(paths_)) {
    options_.keep_nonfinite = options.drop_nonfinite_rows || options.keep_nonfinite;
    options_.drop_nonfinite_rows = false;
    open(std::move(first));
  }

  Index cols() const override { return first_->reader.cols(); }
  bool has_rhs() const override { return first_->reader.has_rhs(); }
  std::vector<std::string> names() const override { return first_->reader.names(); }
  Index inputs() const override { return std::ssize(paths_); }
  double text_bytes() const override { return text_bytes_; }
  std::string unended_input() const override { return unended_; }
  std::optional<double> share_read() const override {
    if (!bytes_) return std::nullopt;
    return std::min(1.0, static_cast<double>(position_) / std::max(1.0, *bytes_));
  }

  std::unique_ptr<RowPiece> next(Index rows) override {
    auto out = std::make_unique<TextPiece>();
    while (out->rows() < rows && input_) {
      TextPart part = input_->next(rows - out->rows());
      if (part.rows == 0) {
        close();
        continue;
      }
      text_bytes_ += static_cast<double>(part.text.text().size());
      rows_ += part.rows;
      out->add(std::move(part), table_);
    }
    position_ = finished_ + (input_ ? input_->source().position() : 0);
    if (out->rows() > 0) return out;
    if (rows_ == 0)
      throw Error(ErrorCode::bad_data, {.what = "the file has a header line but no rows",
                                        .where = table_->name + ":" + std::to_string(last_line_)});
    return nullptr;
  }

 private:
  // The sum of the sizes of all files; nothing if one of them is no regular file.
  static std::optional<double> sizes_of(const std::vector<std::string>& paths) {
    double sum = 0.0;
    for (const std::string& path : paths) {
      struct stat info {};
      if (path == "-" || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
        return std::nullopt;
      sum += static_cast<double>(info.st_size);
    }
    return sum;
  }

  void open(std::unique_ptr<ByteSource> source) {
    input_.emplace(std::move(source));
    table_ = std::make_shared<const OpenTable>(
        OpenTable{input_->name(), CsvRowReader(input_->layout(), options_, input_->name())});
    if (!first_) first_ = table_;
    check_same_columns(first_->reader.layout(), first_->name, table_->reader.layout(),
                       table_->name);
  }

  void close() {
    finished_ += input_->source().position();
    last_line_ = input_->lines();
    if (input_->unended() && unended_.empty()) unended_ = input_->name();
    input_.reset();
    if (++next_path_ < paths_.size()) open(open_table_bytes(paths_[next_path_]));
  }

  std::vector<std::string> paths_;
  ReadOptions options_;
  std::optional<double> bytes_;
  std::size_t next_path_ = 0;  // of the open file
  std::optional<TextInput> input_;
  std::shared_ptr<const OpenTable> table_, first_;
  Index rows_ = 0, last_line_ = 0;
  Index finished_ = 0, position_ = 0;  // bytes of files
  double text_bytes_ = 0.0;
  std::string unended_;
};

[[noreturn]] void refuse_format(const std::string& path) {
  throw Error(ErrorCode::usage,
              {.what = "only text tables can be read as a stream, or several as one",
               .where = path,
               .expected = ".csv or .tsv, also with .gz or .zst"});
}

// The text of a pipe, up to the threshold.
class HeldText {
 public:
  explicit HeldText(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // False if there is more than this.
  bool read(std::size_t most) {
    while (!ended_ && used_ <= most) {
      if (text_.size() < used_ + read_bytes) text_.resize(used_ + read_bytes);
      const std::size_t got = source_->read({text_.data() + used_, read_bytes});
      used_ += got;
      ended_ = got == 0;
    }
    return ended_;
  }
  std::string_view text() const { return std::string_view(text_).substr(0, used_); }
  std::string take() {
    text_.resize(used_);
    return std::move(text_);
  }
  std::unique_ptr<ByteSource> rest() { return std::move(source_); }

 private:
  static constexpr std::size_t read_bytes = std::size_t{1} << 18;
  std::unique_ptr<ByteSource> source_;
  std::string text_;
  std::size_t used_ = 0;
  bool ended_ = false;
};

void check_options_of(const std::string& name, const ReadOptions& options) {
  check_options(Input{.format = Format::csv, .file = MappedFile::from_memory(name, "")}, options);
}

OpenedTable stream_of(const std::vector<std::string>& paths, const ReadOptions& options,
                      std::unique_ptr<ByteSource> first) {
  check_options_of(first->name(), options);
  OpenedTable out;
  out.stream = std::make_unique<TextTables>(paths, options, std::move(first));
  return out;
}

// What is no text has no lines, or zeros in the first of them.
bool has_text_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  return end != std::string_view::npos && bytes.substr(0, end).find('\0') == std::string_view::npos;
}

// A pipe, or standard input: in memory if it ends before the threshold, or is no text table.
OpenedTable open_pipe(const std::string& path, const ReadOptions& options) {
  HeldText held(open_table_bytes(path));
  const std::string name = path == "-" ? "standard input" : path;
  const double held_bytes = options.held_bytes.value_or(stream_threshold(options.memory_bytes));
  const auto most = static_cast<std::size_t>(std::max(0.0, std::min(held_bytes, most_of_memory())));
  bool whole = held.read(most);
  if (!whole && format_of(path, held.text()) == Format::csv && has_text_line(held.text()))
    return stream_of({path}, options, with_beginning(held.take(), held.rest()));
  if (!whole) {
    const double memory = std::min(options.memory_bytes, most_of_memory());
    if (!held.read(static_cast<std::size_t>(std::max(1.0, memory))))
      refuse_large_input(name, memory);
  }
  const auto file = MappedFile::from_memory(name, held.take());
  Input input{.format = format_of(path, file->bytes()), .file = file};
  input.bytes = file->size();
  OpenedTable out;
  out.table = read_input(input, options);
  return out;
}

bool holds_pipe(const std::string& path) {
  return is_stream(path) && (ending_of(path).empty() || is_text_table(path));
}

}  // namespace

double stream_threshold(double memory_bytes) {
  constexpr double most = 0x1p26;
  return std::min(most, memory_bytes / 16.0);
}

OpenedTable open_table(const std::vector<std::string>& paths, const ReadOptions& options) {
  const std::string& path = paths.front();
  const bool several = paths.size() > 1;
  if (several || options.storage == Storage::stream)
    for (const std::string& one : paths)
      if (!is_text_table(one) && (several || !is_stream(one))) refuse_format(one);
  if (options.storage == Storage::stream) {
    auto bytes = open_table_bytes(path);
    return stream_of(paths, options, std::move(bytes));
  }
  OpenedTable out;
  if (several)
    out.table = load_rows(joined_rows(paths, options), options, path);
  else if (options.storage == Storage::automatic && holds_pipe(path))
    return open_pipe(path, options);
  else
    out.table = read_table(path, options);
  return out;
}

// Rows of the same length as those of the first megabytes; a compressed file expands as its
// beginning does.
TableEstimate estimate_table(const std::vector<std::string>& paths) {
  constexpr std::size_t sample = std::size_t{1} << 22;
  constexpr Index many_rows = Index{1} << 40;
  TableEstimate out;
  double file_bytes = 0.0;
  for (const std::string& path : paths) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) file_bytes += static_cast<double>(info.st_size);
  }
  auto source = open_table_bytes(paths.front());
  HeldText held(std::move(source));
  held.read(sample);
  const auto rest = held.rest();
  const double taken = static_cast<double>(std::max<Index>(1, rest->position()));
  const double growth = static_cast<double>(held.text().size()) / taken;
  out.text_bytes = growth * file_bytes;
  const double of_sample = static_cast<double>(held.text().size());
  const std::string text = held.take();
  TextInput input(bytes_of(paths.front(), text));
  out.cells = input.layout().cells;
  const double rows = static_cast<double>(std::max<Index>(1, input.next(many_rows).rows));
  out.rows = rows * out.text_bytes / std::max(1.0, of_sample);
  return out;
}

}  // namespace polyak
