#include "bench/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#include "core/large_arrays.hpp"
#include "linalg/vendor.hpp"
#include "polyak/simd.hpp"
#include "polyak/version.hpp"

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

// The value of the first line "KEY : VALUE" of a file.
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

constexpr Index quick_rows = 20'000, quick_cols = 20;

Options resolved(Options options) {
  if (!options.quick) return options;
  options.rows = std::min(options.rows, quick_rows);
  options.cols = std::min(options.cols, quick_cols);
  options.seconds = 0.0;
  return options;
}

std::unique_ptr<ScriptPeer> start_peer(const Options& options) {
  if (!options.peers) return nullptr;
  const int threads = static_cast<int>(options.threads);
  return std::make_unique<ScriptPeer>(*options.peers, options,
                                      threads > 0 ? threads : ThreadTeam(0).size());
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
  out.memory_bytes = static_cast<Index>(physical_memory_bytes());
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

Dense::Dense(Index rows, Index cols, std::uint64_t seed, ThreadTeam& team)
    : values(random_values(rows * cols, seed, team)),
      b(random_values(rows, seed + 1, team)),
      x(random_values(cols, seed + 2, team)),
      weights(random_values(rows, seed + 3, team)),
      matrix(dense_view(ConstView{values.data(), rows, cols, cols})) {}

Session::Session(const Options& options, std::function<void(const std::string&)> progress)
    : options_(resolved(options)),
      progress_(std::move(progress)),
      peer_(start_peer(options_)),
      team_(static_cast<int>(options_.threads)),
      single_(1),
      flush_(options_.quick ? Index{1} << 16 : std::max<Index>(last_cache_bytes(), 64 << 20),
             team_) {
  if (peer_ && !peer_->ready()) note("without NumPy and SciPy: " + peer_->why_not());
}

const Dense& Session::dense() {
  if (!dense_) {
    show_step("making a matrix");
    dense_ = std::make_unique<Dense>(options_.rows, options_.cols, options_.seed, team_);
    huge_bytes = std::max(huge_bytes, huge_bytes_now());
  }
  return *dense_;
}

std::vector<Index> Session::batches(std::vector<Index> all) const {
  std::erase_if(all, [&](Index batch) { return batch > options_.rows; });
  return all;
}

void Session::add_peer(Race& race, const std::string& name, const std::string& request) {
  if (ScriptPeer* script = peer())
    race.add({name, 0.0, [=](Index calls) { return script->measure(request, calls); }});
}

Pace Session::pace_for(double fraction, Index min_rounds) {
  Pace pace;
  pace.seconds = options_.seconds * fraction;
  pace.least_rounds = min_rounds;
  pace.before_each = std::ref(flush_);
  pace.settle_s = options_.quick ? 0.0 : 0.03;
  if (options_.quick) {
    pace.short_run_s = 1e-4;
    pace.least_rounds = 3;
  }
  return pace;
}

void Session::run(Race& race, double fraction, Index min_rounds) {
  show_step(race.title());
  race.run(pace_for(fraction, min_rounds));
}

void Session::run_single_calls(Race& race, double fraction, Index min_rounds) {
  show_step(race.title());
  Pace pace = pace_for(fraction, min_rounds);
  pace.single_calls = true;
  race.run(pace);
}

void Session::keep(const Race& race) {
  tables.push_back(race.table());
  huge_bytes = std::max(huge_bytes, huge_bytes_now());
}

}  // namespace polyak::bench::internal
