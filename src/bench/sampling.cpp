#include <fmt/format.h>

#include "bench/plain_samplers.hpp"
#include "bench/session.hpp"
#include "sampling/batch_drawer.hpp"

// Sorted batches by row norms, with their weights; ns per draw.

namespace polyak::bench {
namespace {

class SamplingRace {
 public:
  SamplingRace(Session& session, std::span<const double> weights, const Sampler& sampler,
               Index batch)
      : session_(session),
        sampler_(sampler),
        search_(weights),
        alias_(weights),
        random_(session.options().seed, stream::sampling),
        rows_(to_size(batch)),
        race_("sampling", fmt::format("one draw of a sorted batch, B = {}", batch)) {}

  void run(double part) {
    add_drawer("polyak", session_.team());
    add_drawer("polyak, 1 thread", session_.single());
    add("alias table, std::sort", [this](Index) { alias_.draw(generator_, rows_); });
    add("binary search, std::sort", [this](Index) { search_.draw(generator_, rows_); });
    add("polyak, in the order drawn", [this](Index) {
      sampler_.draw_sequence(random_, k_, rows_);
      k_ += std::ssize(rows_);
    });
    session_.run(race_, part);
    race_.faster("polyak", "alias table, std::sort", "alias");
    race_.faster("polyak", "binary search, std::sort", "binary search");
    race_.faster("polyak", "polyak, 1 thread", "1 thread");
    session_.keep(race_);
  }

 private:
  template <class Call>
  void add(const std::string& name, Call call) {
    const Index batch = std::ssize(rows_);
    const auto run = repeated([](Index) {}, call);
    race_.add({name, 0.0, [run, batch](Index draws) {
                 return run((draws + batch - 1) / batch) / static_cast<double>(batch);
               }});
  }

  void add_drawer(const std::string& name, ThreadTeam& team) {
    const auto drawer =
        std::make_shared<BatchDrawer>(sampler_, std::ssize(rows_), std::span<const double>{}, team);
    add(name, [this, drawer](Index) { drawer->draw(random_, k_++); });
  }

  Session& session_;
  const Sampler& sampler_;
  SearchSampler search_;
  AliasSampler alias_;
  Random random_;
  std::mt19937_64 generator_{1};
  std::vector<Index> rows_;
  Race race_;
  Index k_ = 0;
};

}  // namespace

void measure_sampling(Session& session) {
  // As uneven as the squared norms of uniform rows: between 0 and 1.
  std::vector<double> weights = random_values(session.options().rows, 21, session.team());
  for (double& w : weights) w = w * w + 1e-3;
  const Sampler sampler(weights);
  const std::vector<Index> batches = session.batches({100, 1000, 10'000, 100'000});
  for (const Index batch : batches)
    SamplingRace(session, weights, sampler, batch).run(1.0 / static_cast<double>(batches.size()));
}

}  // namespace polyak::bench
