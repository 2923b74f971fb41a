#include "bench/session.hpp"

#include <algorithm>

#include "bench/machine.hpp"

namespace polyak::bench {
namespace {

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
      wash_(options_.quick ? Index{1} << 16 : std::max<Index>(last_cache_bytes(), 64 << 20),
            team_) {
  if (peer_ && !peer_->ready()) note("without NumPy and SciPy: " + peer_->why_not());
}

const Dense& Session::dense() {
  if (!dense_) {
    tell("making a matrix");
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

Pace Session::pace_for(double part, Index least_rounds) {
  Pace pace;
  pace.seconds = options_.seconds * part;
  pace.least_rounds = least_rounds;
  pace.before_each = std::ref(wash_);
  pace.settle_s = options_.quick ? 0.0 : 0.03;
  if (options_.quick) {
    pace.short_run_s = 1e-4;
    pace.least_rounds = 3;
  }
  return pace;
}

void Session::run(Race& race, double part, Index least_rounds) {
  tell(race.title());
  race.run(pace_for(part, least_rounds));
}

void Session::run_single_calls(Race& race, double part, Index least_rounds) {
  tell(race.title());
  Pace pace = pace_for(part, least_rounds);
  pace.single_calls = true;
  race.run(pace);
}

void Session::keep(const Race& race) {
  tables.push_back(race.table());
  huge_bytes = std::max(huge_bytes, huge_bytes_now());
}

}  // namespace polyak::bench
