// Parameters of our own choosing that prove too bold are taken back.

#include "support/keeper.hpp"
#include "support/problems.hpp"

namespace polyak::test {
namespace {

// lambda_max claimed far below the truth: every step planned from it is too long.
SolveOptions misled(const std::string& method, double claim) {
  SolveOptions options = ample(method);
  options.lambda_min = 0.5;
  options.lambda_max = claim;
  options.max_passes = 4000.0;
  return options;
}

bool warned(const Report& report) {
  for (const std::string& warning : report.warnings)
    if (warning.starts_with("the run grew")) return true;
  return false;
}

class Misled : public testing::TestWithParam<std::string> {};

TEST_P(Misled, a_run_that_grows_goes_on_more_gently_and_converges) {
  const Report report = solve(Problem(consistent()), misled(GetParam(), 1.0));
  EXPECT_EQ(report.status, Status::converged) << report.reason;
  EXPECT_TRUE(warned(report));
  EXPECT_FALSE(report.used.predicted_rate);
  EXPECT_LE(*report.error, 1e-6);
}

TEST_P(Misled, parameters_that_were_given_are_left_alone) {
  SolveOptions options = misled(GetParam(), 1.0);
  options.lambda_min = options.lambda_max = std::nullopt;
  options.step_size = 5.0;
  if (find_method(GetParam())->traits & trait::momentum) options.momentum = 0.5;
  const Report report = solve(Problem(consistent()), options);
  EXPECT_EQ(report.status, Status::diverged);
  EXPECT_FALSE(warned(report));
  EXPECT_EQ(report.used.step_size, 5.0);
}

TEST_P(Misled, resumed_after_a_retreat_it_has_the_same_bits) {
  const Problem problem(consistent(3000, 8));
  SolveOptions options = misled(GetParam(), 1.0);
  options.measure_every = 3.0;
  Keeper keeper;
  const Report straight = solve(problem, options, &keeper);
  ASSERT_TRUE(warned(straight));
  std::size_t after = 0;
  for (std::size_t i = 0; i < keeper.kept.size();
       i += std::max<std::size_t>(1, keeper.kept.size() / 8)) {
    after += keeper.kept[i].run.retreats.size();
    const Report resumed = solve(problem, options, nullptr, &keeper.kept[i]);
    EXPECT_EQ(solution(straight), solution(resumed));
    EXPECT_EQ(straight.iterations, resumed.iterations);
    EXPECT_EQ(straight.warnings, resumed.warnings);
  }
  EXPECT_GT(after, 0u);
}

INSTANTIATE_TEST_SUITE_P(Some, Misled,
                         testing::Values("gd", "hbm", "nag", "minibatch-hbm", "minibatch-nag"),
                         [](const auto& which) {
                           std::string name = which.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(Guard, what_was_never_needed_is_never_told) {
  EXPECT_FALSE(warned(solve(Problem(consistent()), ample("minibatch-hbm"))));
}

}  // namespace
}  // namespace polyak::test
