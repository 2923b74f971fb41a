#include <fmt/format.h>

#include <algorithm>

#include "bench/paper_problem.hpp"
#include "solve/engine.hpp"

// Many runs of one configuration: each by itself, or side by side in one sweep
// over the rows. One call is a step of all of them.

namespace polyak::bench {
namespace {

class Group {
 public:
  Group(Engine& engine, Index runs, bool shared) {
    const Index at_once = shared ? runs : 1;
    for (Index r = 0; r < runs; r += at_once)
      methods_.push_back(engine.start(static_cast<std::uint64_t>(r), at_once));
  }
  void step() {
    for (auto& method : methods_) method->advance(k_, k_ + 1);
    ++k_;
  }

 private:
  std::vector<std::unique_ptr<Method>> methods_;
  Index k_ = 0;
};

void one_batch(Session& session, const Problem& problem, Index batch, double part) {
  const Index runs = session.options().quick ? 5 : 100;
  Engine engine(problem, paper_options(session, "minibatch-hbm", batch));
  Race race("replicates", fmt::format("a step of {} replicates, B = {}", runs, batch));
  const double bytes = 8.0 * static_cast<double>(runs * batch * problem.cols());
  for (const bool shared : {false, true}) {
    const auto group = std::make_shared<Group>(engine, runs, shared);
    race.add({shared ? "block-shared" : "separate runs", bytes,
              repeated([](Index) {}, [group](Index) { group->step(); })});
  }
  session.run(race, part);
  race.faster("block-shared", "separate runs", "separate runs");
  session.keep(race);
}

}  // namespace

void measure_replicates(Session& session) {
  const Problem problem = paper_problem(session);
  const std::vector<Index> batches = session.batches({1000, 10'000, 100'000, 400'000});
  for (const Index batch : batches)
    one_batch(session, problem, batch, 1.0 / static_cast<double>(batches.size()));
}

}  // namespace polyak::bench
