#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/files.hpp"
#include "cli/memory.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "polyak/devices.hpp"
#include "polyak/disk_rows.hpp"
#include "polyak/io.hpp"
#include "program.hpp"
#include "solve/request.hpp"
#include "solve/steps.hpp"

namespace polyak::cli {
namespace {

struct InfoOptions {
  std::string path;
  bool devices = false;
  bool json = false;
};

const std::vector<OptionRecord<InfoOptions>>& info_options() {
  static const std::vector<OptionRecord<InfoOptions>> table = {
      {.name = "devices",
       .field = &InfoOptions::devices,
       .value = "",
       .sentence = "List the devices that --device can name; FILE is left out."},
      {.name = "json",
       .field = &InfoOptions::json,
       .value = "",
       .sentence = "Print one JSON object."},
  };
  return table;
}

// FILE is required unless devices are asked for.
Usage info_usage(const Words& words) {
  const bool devices = std::find(words.begin(), words.end(), "--devices") != words.end();
  return {.command = "info",
          .positionals = {"FILE"},
          .required = devices ? 0u : 1u,
          .text = R"(Show what a file holds; reads no more of it than necessary.

Usage: polyak info FILE [options]
       polyak info --devices

FILE is .mtx, .npy, .npz, .csv, .tsv, .svm (also compressed: .mtx.gz, .csv.gz,
.svm.gz), .parquet, .h5, .hdf5, .nxs, .mat, .petsc or .tif, or - for standard input.
Of .npz, .h5 and .mat files every array is listed; add its name after a colon to see
one. Open .h5 and .mat only from sources you trust: the libraries that read them are
not safe against malicious files.
)",
          .ending = R"(
Examples:
  polyak info A.mtx
  polyak info houses.csv --json
  polyak info houses.parquet
  polyak info scan.h5
  polyak info scan.h5:/exchange/data
  polyak info --devices
)"};
}

// How solve would read the rows of this file; nothing if it has no rows that could stay there.
std::optional<DiskUse> disk_use_of(const std::string& path, const FileInfo& info) {
  const bool plain = info.format == "NumPy array" && info.note.empty() && info.nonzeros > 0 &&
                     (info.value_type == "double" || info.value_type == "float");
  if (!plain || !std::filesystem::is_regular_file(path)) return std::nullopt;
  return disk_use(*read_table(path, DataOptions().read_options()).A);
}

std::string as_text(const DiskUse& use) {
  return fmt::format("stay on the disk, read by {}{}, {} at a time, buffers of {}", use.reader,
                     use.direct_io ? " past the page cache" : "", use.depth,
                     bytes_text(use.buffer_bytes));
}

std::string as_text(const DiskRates& rates) {
  return fmt::format("about {}/s in order, {:.2g} single rows per second",
                     bytes_text(rates.sweep_bytes), rates.single_rows);
}

std::string as_text(const std::string& path, const FileInfo& info,
                    const std::optional<DiskUse>& disk) {
  std::string out = fmt::format("{}: {}\n", path, info.format);
  const auto row = [&](const char* label, const std::string& text) {
    out += fmt::format("  {:<10} {}\n", label, text);
  };
  if (info.arrays.size() > 1) {
    for (const ArrayInfo& array : info.arrays) out += "  " + described(array) + "\n";
    row("size", bytes_text(info.file_bytes));
    return out;
  }
  if (info.arrays.size() == 1 && !info.arrays[0].name.empty()) row("array", info.arrays[0].name);
  row("shape", fmt::format("{} x {}", info.rows, info.cols));
  row("values", info.value_type);
  row("entries", std::to_string(info.nonzeros));
  row("size", bytes_text(info.file_bytes));
  if (disk) row("rows", as_text(*disk));
  if (disk && disk->rates) row("disk", as_text(*disk->rates));
  if (!info.note.empty()) row("note", info.note);
  if (!info.names.empty()) row("columns", listed(info.names));
  return out;
}

std::string as_json(const std::string& path, const FileInfo& info,
                    const std::optional<DiskUse>& disk) {
  using Json = nlohmann::ordered_json;
  Json out{{"file", path},
           {"format", info.format},
           {"value_type", info.value_type},
           {"rows", info.rows},
           {"cols", info.cols},
           {"nonzeros", info.nonzeros},
           {"file_bytes", info.file_bytes},
           {"names", info.names}};
  if (!info.note.empty()) out["note"] = info.note;
  if (disk)
    out["disk"] = {{"reader", disk->reader},
                   {"direct_io", disk->direct_io},
                   {"depth", disk->depth},
                   {"buffer_bytes", disk->buffer_bytes}};
  if (disk && disk->rates)
    out["disk"]["rates"] = {{"sweep_bytes", disk->rates->sweep_bytes},
                            {"single_rows", disk->rates->single_rows}};
  for (const ArrayInfo& array : info.arrays)
    out["arrays"].push_back({{"name", array.name},
                             {"shape", array.shape},
                             {"value_type", array.value_type},
                             {"sparse", array.sparse}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string as_text(const DeviceList& list) {
  std::string out;
  for (const DeviceInfo& device : list.devices) {
    const std::string capability = device.compute_capability.empty()
                                       ? ""
                                       : ", compute capability " + device.compute_capability;
    out += fmt::format("{}: {}, {} of memory, {} free{}\n", device.name, device.description,
                       bytes_text(static_cast<double>(device.memory_bytes)),
                       bytes_text(static_cast<double>(device.free_bytes)), capability);
  }
  if (!list.no_cuda.empty()) out += "no cuda: " + list.no_cuda + "\n";
  return out;
}

std::string as_json(const DeviceList& list) {
  nlohmann::ordered_json out{{"devices", nlohmann::ordered_json::array()}};
  for (const DeviceInfo& device : list.devices) {
    out["devices"].push_back({{"name", device.name},
                              {"description", device.description},
                              {"memory_bytes", device.memory_bytes},
                              {"free_bytes", device.free_bytes}});
    if (!device.compute_capability.empty())
      out["devices"].back()["compute_capability"] = device.compute_capability;
  }
  if (!list.no_cuda.empty()) out["no_cuda"] = list.no_cuda;
  return out.dump(2) + "\n";
}

Usage convert_usage() {
  return {.command = "convert",
          .positionals = {"IN", "OUT"},
          .required = 2,
          .text = R"(Write a matrix in another format, given by the ending of the file name.

Usage: polyak convert IN OUT [options]

IN and OUT are .mtx, .npy, .csv or .svm (.mtx.gz, .csv.gz, .svm.gz: compressed), or -
for standard input or output; IN may also be .tsv, .parquet, .npz (file.npz:name),
.h5 (file.h5:/dataset), .mat (file.mat:variable), .petsc or .tif.
The labels of an .svm become the last column of a .csv, and otherwise a second
file: with OUT = A.npy that is A_b.npy.
)",
          .ending = R"(
Examples:
  polyak convert A.mtx A.npy
  polyak convert A.npy A.mtx.gz --precision single
  polyak convert data.h5:/A A.npy
  polyak convert table.csv table.svm --drop-nonfinite-rows
)",
          .written = {"OUT"}};
}

}  // namespace

int info_command(const Words& words, Messages& messages) {
  InfoOptions asked;
  MessageOptions message;
  OptionSet options;
  options.add("Output", info_options(), asked);
  options.add("Messages", message_options(), message);
  const Usage usage = info_usage(words);
  const Parsed parsed = parse(words, options, usage);
  if (parsed.help) return print(help_text(usage, options)), 0;
  messages.configure(message);
  if (asked.devices) {
    const DeviceList list = list_devices();
    return print(asked.json ? as_json(list) : as_text(list)), 0;
  }
  asked.path = parsed.positionals[0];
  const FileInfo info = with_memory_for(asked.path, [&] { return inspect(asked.path); });
  const auto disk = with_memory_for(asked.path, [&] { return disk_use_of(asked.path, info); });
  print(asked.json ? as_json(asked.path, info, disk) : as_text(asked.path, info, disk));
  return 0;
}

int convert_command(const Words& words, Messages& messages) {
  DataOptions data;
  MessageOptions message;
  OptionSet options;
  options.add("Data", reading_options(), data);
  options.add("Messages", message_options(), message);
  const Parsed parsed = parse(words, options, convert_usage());
  if (parsed.help) return print(help_text(convert_usage(), options)), 0;
  messages.configure(message);
  const std::string& in = parsed.positionals[0];
  const std::string& out = parsed.positionals[1];
  check_output("OUT", out, {".npy", ".mtx", ".mtx.gz", ".csv", ".csv.gz", ".svm", ".svm.gz"});
  messages.status("converting " + in);
  with_memory_for(in, [&] { convert(in, out, data.read_options()); });
  messages.status("");
  if (out != "-" && !messages.quiet() && !messages.json()) print_summary("Wrote " + out + "\n");
  return 0;
}

}  // namespace polyak::cli
