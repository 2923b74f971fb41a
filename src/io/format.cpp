#include "io/format.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "io/file.hpp"
#include "io/parquet/parquet.hpp"
#include "io/petsc/petsc.hpp"
#include "polyak/error.hpp"
#include "polyak/files.hpp"
#include "polyak/table_stream.hpp"

namespace polyak::io {
namespace {

struct Ending {
  std::string_view text;
  Format format;
  bool written = false;  ///< also an output format
};
constexpr std::array endings{
    Ending{".mtx", Format::mtx, true},    Ending{".mtx.gz", Format::mtx, true},
    Ending{".npy", Format::npy, true},    Ending{".npz", Format::npz},
    Ending{".csv", Format::csv, true},    Ending{".csv.gz", Format::csv, true},
    Ending{".tsv", Format::csv},          Ending{".svm", Format::svm, true},
    Ending{".svm.gz", Format::svm, true}, Ending{".csv.zst", Format::csv},
    Ending{".tsv.gz", Format::csv},       Ending{".tsv.zst", Format::csv},
    Ending{".h5", Format::hdf5},          Ending{".hdf5", Format::hdf5},
    Ending{".nxs", Format::hdf5},         Ending{".mat", Format::mat},
    Ending{".tif", Format::tiff},         Ending{".tiff", Format::tiff},
    Ending{".petsc", Format::petsc},      Ending{".parquet", Format::parquet}};

constexpr std::size_t header_bytes = 1u << 20;  // header and comments of a .mtx file

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

const Ending* find_ending(const std::string& path) {
  const std::string name = lower_case(path);
  const auto found = std::find_if(endings.begin(), endings.end(),
                                  [&](const Ending& e) { return name.ends_with(e.text); });
  return found == endings.end() ? nullptr : &*found;
}

// Arrow files are not read; one line of Python makes a file that is.
std::string arrow_hint(const std::string& path) {
  const std::string name = lower_case(path);
  for (const std::string_view ending : {".feather", ".arrow", ".ipc"})
    if (name.ends_with(ending))
      return "convert it first: python3 -c \"import pyarrow.feather as f, pyarrow.parquet as p; "
             "p.write_table(f.read_table('" +
             path + "'), '" + path.substr(0, path.size() - ending.size()) + ".parquet')\"";
  return {};
}

[[noreturn]] void refuse_ending(const std::string& path, bool output) {
  std::string known;
  for (const Ending& e : endings)
    if (!output || e.written) known += (known.empty() ? "" : ", ") + std::string(e.text);
  const auto base = path.substr(path.rfind('/') + 1);
  const auto dot = base.rfind('.');
  throw Error(ErrorCode::usage, {.what = "the ending does not tell the format of the file",
                                 .where = path,
                                 .found = dot == std::string::npos ? "none" : base.substr(dot),
                                 .expected = known,
                                 .hint = output ? "" : arrow_hint(path)});
}

// The libraries of these formats open the file by its name, and read it in any order.
bool needs_any_order(Format format) {
  return format == Format::hdf5 || format == Format::mat || format == Format::tiff;
}

void refuse_pipe(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return;
  throw Error(ErrorCode::no_input, {.what = "this format cannot be read from a pipe or device",
                                    .where = path,
                                    .expected = "a file",
                                    .hint = "save it to a file, or send .npy, .csv or .mtx"});
}

bool holds_several(Format format) {
  return format == Format::hdf5 || format == Format::mat || format == Format::npz;
}

// "scan.h5:/exchange/data" is a file and an array in it. A colon that does not follow .h5, .mat or
// .npz is part of the file name.
std::pair<std::string, std::string> split_array(const std::string& path) {
  for (auto colon = path.find(':'); colon != std::string::npos; colon = path.find(':', colon + 1)) {
    const Ending* ending = find_ending(path.substr(0, colon));
    if (ending != nullptr && holds_several(ending->format))
      return {path.substr(0, colon), path.substr(colon + 1)};
  }
  return {path, ""};
}

// SVMlight is the only text format whose first data line contains "number:".
bool looks_like_svm(std::string_view bytes) {
  while (bytes.starts_with('#') || bytes.starts_with('\n') || bytes.starts_with('\r'))
    bytes.remove_prefix(std::min(bytes.size(), bytes.find('\n') + 1));
  const auto line = bytes.substr(0, bytes.find('\n'));
  const auto colon = line.find(':');
  return colon != std::string_view::npos && line.find_first_of(",;\"") > colon;
}

Format by_content(std::string_view bytes) {
  if (bytes.starts_with("\x93NUMPY")) return Format::npy;
  if (bytes.starts_with("%%MatrixMarket")) return Format::mtx;
  if (looks_like_petsc(bytes)) return Format::petsc;
  if (looks_like_parquet(bytes)) return Format::parquet;
  return looks_like_svm(bytes) ? Format::svm : Format::csv;
}

}  // namespace

std::string ending_of(const std::string& path) {
  const Ending* ending = find_ending(path);
  return ending != nullptr ? path.substr(path.size() - ending->text.size()) : "";
}

Format output_format(const std::string& path) {
  const Ending* ending = find_ending(path);
  if (ending == nullptr && is_stream(path)) return Format::csv;
  if (ending == nullptr || !ending->written) refuse_ending(path, true);
  return ending->format;
}

std::unique_ptr<ByteSink> open_output(const std::string& path) {
  auto file = std::make_unique<OutputFile>(path);
  if (!lower_case(path).ends_with(".gz")) return file;
  return gzip_sink(std::move(file));
}

Input open_input(const std::string& asked, bool header_only, double most_bytes) {
  const auto [path, array] = split_array(asked);
  // The ending is checked first: a wrong ending is an error even if the file does not exist.
  const Ending* ending = find_ending(path);
  if (ending == nullptr && !is_stream(path)) refuse_ending(path, false);
  if (ending != nullptr && needs_any_order(ending->format)) refuse_pipe(path);
  const auto file = MappedFile::open(path, most_bytes);
  const bool first = header_only && ending != nullptr && ending->format == Format::mtx;
  Input input = input_of(path, file, first ? header_bytes : 0);
  input.array = array;
  return input;
}

Input input_of(const std::string& path, std::shared_ptr<const MappedFile> file,
               std::size_t at_most) {
  const Compression compression = compression_of(file->bytes());
  check_compression(path, compression);
  Input input{.format = Format::csv, .file = std::move(file)};
  input.bytes = input.file->size();
  input.compressed = compression != Compression::none;
  if (input.compressed) {
    input.file = decompress(*input.file, at_most);
    input.partial = at_most > 0 && input.file->bytes().size() == at_most;
  }
  input.format = format_of(path, input.file->bytes());
  return input;
}

Format format_of(const std::string& path, std::string_view bytes) {
  const Ending* ending = find_ending(path);
  return ending != nullptr ? ending->format : by_content(bytes);
}

void check_compression(const std::string& path, Compression found) {
  const std::string name = lower_case(path);
  const auto refuse = [&](const char* what, const char* ending) {
    throw Error(ErrorCode::bad_data,
                {.what = std::string("the file is not compressed by ") + what,
                 .where = path,
                 .hint = std::string("the name of a plain file does not end in ") + ending});
  };
  if (name.ends_with(".gz") && found == Compression::none) refuse("gzip", ".gz");
  if (name.ends_with(".zst") && found == Compression::none) refuse("zstd", ".zst");
}

}  // namespace polyak::io

namespace polyak {

bool is_text_table(const std::string& path) {
  const io::Ending* ending = io::find_ending(path);
  return ending != nullptr && ending->format == io::Format::csv;
}

}  // namespace polyak
