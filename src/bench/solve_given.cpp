#include <algorithm>
#include <filesystem>
#include <optional>

#include "bench/solve_cases.hpp"
#include "bench/solve_problems.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"

// Cases from files: those of a collection, which nobody here may pass on.

namespace polyak::bench {
namespace {

namespace fs = std::filesystem;

// "well1033" of "well1033.mtx.gz"; nothing for another kind of file.
std::optional<std::string> stem_of(const fs::path& path) {
  std::string name = path.filename().string();
  for (const char* ending : {".mtx.gz", ".mtx"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - std::string(ending).size());
  return std::nullopt;
}

bool is_right_hand_side(const std::string& stem) {
  return stem.ends_with("_rhs1") || stem.ends_with("_b");
}

std::optional<std::string> right_hand_side(const fs::path& folder, const std::string& stem) {
  for (const char* more : {"_rhs1", "_b"})
    for (const char* ending : {".mtx", ".mtx.gz"}) {
      const fs::path path = folder / (stem + more + ending);
      if (fs::exists(path)) return path.string();
    }
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& what, const std::string& folder) {
  throw Error(ErrorCode::no_input, {.what = what,
                                    .where = "--data " + folder,
                                    .found = {},
                                    .expected = "a folder with NAME.mtx and NAME_rhs1.mtx",
                                    .hint = {}});
}

}  // namespace

std::vector<SolveCase> given_cases(const std::string& folder, int threads,
                                   const std::function<void(const std::string&)>& note) {
  if (!fs::is_directory(folder)) refuse("there is no such folder", folder);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<SolveCase> out;
  for (const fs::path& path : paths) {
    const auto stem = stem_of(path);
    if (!stem || is_right_hand_side(*stem)) continue;
    const auto b = right_hand_side(folder, *stem);
    if (!b) {
      note(path.string() + ": left out, there is no " + *stem + "_rhs1.mtx or _b.mtx beside it");
      continue;
    }
    out.push_back({*stem,
                   [=] { return with_reference(read_table(path.string()).A, read_array(*b), threads); },
                   {"normal", "direct", "cg", "lsqr"},
                   {"sparse_lsqr", "sparse_lsmr", "dense_lstsq"}});
  }
  if (out.empty()) refuse("it holds no matrix with a right-hand side", folder);
  return out;
}

}  // namespace polyak::bench
