#include "bench/machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#include "linalg/vendor.hpp"
#include "polyak/simd.hpp"
#include "polyak/version.hpp"

namespace polyak::bench {
namespace {

// What stands behind the first "KEY … :" or "KEY:" of a file of such lines.
std::string value_of(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const auto start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

std::string or_unknown(const std::string& text) { return text.empty() ? "unknown" : text; }

// "always [madvise] never": the word in brackets.
std::string huge_page_mode() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  const auto open = line.find('['), close = line.find(']');
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

Machine this_machine() {
  const BuildInfo& build = build_info();
  Machine out;
  out.cpu = or_unknown(value_of("/proc/cpuinfo", "model name"));
  out.simd = simd_target();
  out.blas = blas_name();
  out.build =
      fmt::format("polyak {}, {}, {}, {}", build.version, build.commit, build.compiler, build.type);
  out.date = now_utc();
  out.cores = std::thread::hardware_concurrency();
  out.memory_bytes = static_cast<Index>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  out.cache_bytes = last_cache_bytes();
  out.page_bytes = ::sysconf(_SC_PAGESIZE);
  out.huge_pages = or_unknown(huge_page_mode());
  return out;
}

Index last_cache_bytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  return std::max<Index>(0, ::sysconf(_SC_LEVEL3_CACHE_SIZE));
#else
  return 0;
#endif
}

Index huge_bytes_now() {
  return 1024 * std::atoll(value_of("/proc/self/smaps_rollup", "AnonHugePages").c_str());
}

}  // namespace polyak::bench
