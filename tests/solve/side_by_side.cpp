// Replicates in one sweep over A have the bits that each has alone.

#include <cstring>

#include "solve/run/setup.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

class SideBySide : public testing::TestWithParam<const char*> {};

TEST_P(SideBySide, runs_have_the_bits_of_runs_alone) {
  const Rows A = random(900, 17, 3), b = random(900, 2, 4);
  const Problem problem(data(A, b));
  SolveOptions options;
  options.method = GetParam();
  options.batch_size = 700;
  constexpr Index runs = 5, steps = 12;
  for (Index threads : {1, 3}) {
    options.threads = threads;
    SolveSetup setup(problem, options);
    ASSERT_EQ(setup.side_by_side(runs), runs);
    const auto together = setup.start(40, runs);
    together->advance(0, 5);
    together->advance(5, steps);
    EXPECT_EQ(together->row_products(), runs * steps * 700);
    std::vector<double> alone;
    for (std::uint64_t r = 0; r < runs; ++r) {
      const auto one = setup.start(40 + r);
      one->advance(0, steps);
      const auto x = setup.backend().host_copy(one->x());
      alone.insert(alone.end(), x.begin(), x.end());
    }
    const auto x = setup.backend().host_copy(together->x());
    ASSERT_EQ(x.size(), alone.size());
    EXPECT_EQ(std::memcmp(x.data(), alone.data(), 8 * x.size()), 0) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(methods, SideBySide,
                         testing::Values("minibatch-sgd", "minibatch-hbm", "minibatch-nag"));

TEST(side_by_side, pays_only_where_batches_cover_the_rows) {
  const Problem problem(consistent());  // 300 rows
  SolveOptions options;
  options.method = "minibatch-hbm";
  options.batch_size = 10;
  EXPECT_EQ(SolveSetup(problem, options).side_by_side(20), 1);
  EXPECT_EQ(SolveSetup(problem, options).side_by_side(50), 50);
  options.batch_size = std::nullopt;
  options.method = "rk";
  EXPECT_EQ(SolveSetup(problem, options).side_by_side(1000), 1);
  options.method = "hbm";
  EXPECT_EQ(SolveSetup(problem, options).side_by_side(1000), 1);
}

}  // namespace
}  // namespace polyak::test
