// The judge of `bench auto`, and what is said of a contest, on problems and times made up for it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/contests.hpp"
#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/error.hpp"

namespace polyak::bench {
using namespace polyak::bench::internal;
using namespace polyak::internal;

namespace {

using Seeds = std::vector<std::uint64_t>;

TEST(Seeds, AreARangeAndAParity) {
  EXPECT_EQ(seeds_of("3:6", "all"), (Seeds{3, 4, 5, 6}));
  EXPECT_EQ(seeds_of("3:6", "even"), (Seeds{4, 6}));
  EXPECT_EQ(seeds_of("3:6", "odd"), (Seeds{3, 5}));
  EXPECT_EQ(seeds_of("7", "all"), (Seeds{7}));
}

TEST(Seeds, ThatAreNoneAreRefused) {
  for (const char* range : {"", ":", "3:", ":3", "5:3", "a:b", "1:2:3", "-1:3", "0:999999999"}) {
    try {
      seeds_of(range, "all");
      ADD_FAILURE() << "'" << range << "' was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(std::string(error.what()).find("--seeds"), std::string::npos);
    }
  }
  EXPECT_THROW(seeds_of("0:9", "some"), Error);
  EXPECT_THROW(seeds_of("8", "odd"), Error);
}

// 200 × 3 normal numbers, the last column times `unit`, the first two equal if `repeated`.
Problem problem(double unit, bool repeated) {
  constexpr Index n = 200, d = 3;
  std::vector<double> A(to_size(n * d)), b(to_size(n));
  Random(4, 0).normals(0, A.size(), A.data());
  Random(4, 0).normals(1, b.size(), b.data());
  for (Index i = 0; i < n; ++i) {
    if (repeated) A[to_size(i * d + 1)] = A[to_size(i * d)];
    b[to_size(i)] += A[to_size(i * d)] + 3.0 * A[to_size(i * d + 2)];
    A[to_size(i * d + 2)] *= unit;
  }
  ProblemData parts;
  parts.A = dense_matrix(std::move(A), n, d);
  parts.b = Array(std::move(b), n);
  return Problem(std::move(parts));
}

std::vector<double> best_of(const Problem& p) {
  ThreadTeam team(1);
  return refined_least_squares(p.A(), p.b(), team).x;
}

bool good(const QualityJudge& judge, std::vector<double> x) {
  return judge.good({x.data(), std::ssize(x), 1, 1});
}

// The same relative change of a coefficient counts alike in any unit.
TEST(QualityJudge, DoesNotDependOnTheUnitsOfColumns) {
  ThreadTeam team(1);
  for (const double unit : {1.0, 1e12, 1e-9}) {
    const Problem p = problem(unit, false);
    const QualityJudge judge(p, team);
    ASSERT_TRUE(judge.unique());
    EXPECT_EQ(judge.allowed(), 1e-6);
    std::vector<double> x = best_of(p);
    EXPECT_TRUE(good(judge, x));
    x[2] *= 1.0 + 1e-7;
    EXPECT_TRUE(good(judge, x));
    x[2] *= 1.0 + 1e-5;
    EXPECT_FALSE(good(judge, x)) << "unit " << unit;
    x = best_of(p);
    x[0] *= 1.0 + 1e-4;  // the small part of x, where the unit of the other is huge
    EXPECT_FALSE(good(judge, x)) << "unit " << unit;
  }
}

TEST(QualityJudge, TakesAnyNormWhereTheSolutionIsNotUnique) {
  ThreadTeam team(1);
  const Problem p = problem(100.0, true);
  const QualityJudge judge(p, team);
  EXPECT_FALSE(judge.unique());
  const std::vector<double> x = best_of(p);
  EXPECT_TRUE(good(judge, x));
  EXPECT_FALSE(good(judge, {x[0] + 10.0, x[1] - 10.0, x[2]})) << "fits, but is not of least norm";
  EXPECT_FALSE(good(judge, {x[0] + 1e-3, x[1], x[2]})) << "does not fit";
  EXPECT_FALSE(good(judge, {0.0, 0.0, 0.0}));
}

// Ill-conditioned: QR's own error is what is allowed, times ten.
TEST(QualityJudge, AllowsWhatQrCannotDoBetter) {
  ThreadTeam team(1);
  constexpr Index n = 300, d = 12;
  std::vector<double> A, b(to_size(n));
  for (Index i = 0; i < n; ++i) {
    double power = 1.0;
    for (Index j = 0; j < d; ++j, power *= static_cast<double>(i) / n) A.push_back(power);
  }
  Random(5, 0).normals(0, b.size(), b.data());
  ProblemData parts;
  parts.A = dense_matrix(std::move(A), n, d);
  parts.b = Array(std::move(b), n);
  const Problem p(std::move(parts));
  const QualityJudge judge(p, team);
  ASSERT_TRUE(judge.unique());
  EXPECT_GE(judge.allowed(), 1e-6);
  EXPECT_LE(judge.allowed(), 1.0);
  EXPECT_TRUE(good(judge, best_of(p)));
}

VariedCase measured(double times, bool good, double predicted = 1.0) {
  VariedCase out;
  out.seed = 3;
  out.kind = "banded";
  out.text = "banded, 9 x 3";
  out.good = good;
  out.stages = {"direct (1 s), because QR: converged"};
  out.solved.seconds = 1.0;
  out.solved.predicted_seconds = predicted;
  out.solved.method = "direct";
  if (times > 0.0) out.solved.best_fixed = Rival{"normal", {times, times, times}};
  out.trials = {{"normal", "converged", 0.5, 1e-12, true, true}};
  return out;
}

double value_of(const std::vector<Goal>& goals, const std::string& text) {
  for (const Goal& goal : goals)
    if (goal.what.find(text) != std::string::npos) return goal.measured.median;
  ADD_FAILURE() << "no goal about " << text;
  return 0.0;
}

TEST(VariedVerdict, CountsProblems) {
  const auto goals = varied_verdict({measured(0.5, true), measured(1.25, true, 1.9),
                                     measured(2.0, true, 2.1), measured(24.0, true, 0.4)});
  EXPECT_EQ(value_of(goals, "as good as QR"), 100.0);
  EXPECT_EQ(value_of(goals, "within 1.25"), 50.0);
  EXPECT_EQ(value_of(goals, "within 2 of"), 75.0);
  EXPECT_EQ(value_of(goals, "worst"), 24.0);
  EXPECT_EQ(value_of(goals, "predicted"), 50.0);
}

TEST(VariedVerdict, DoesNotCountAFastWrongAnswerAsNear) {
  const auto goals = varied_verdict({measured(0.5, false), measured(1.0, true)});
  EXPECT_EQ(value_of(goals, "as good as QR"), 50.0);
  EXPECT_EQ(value_of(goals, "within 1.25"), 50.0);
  EXPECT_FALSE(times_of_best(measured(0.5, false)).has_value());
}

TEST(VariedVerdict, TakesAutoForTheBestWhereNoMethodByNameIsGood) {
  EXPECT_EQ(value_of(varied_verdict({measured(0.0, true)}), "within 1.25"), 100.0);
}

TEST(VariedResults, AreTextAndJson) {
  Results results;
  results.varied = {measured(24.0, true), measured(1.0, false)};
  const auto json = nlohmann::json::parse(to_json(results));
  const auto& one = json.at("varied").at(0);
  EXPECT_EQ(one.at("auto").at("best_fixed").at("name"), "normal");
  EXPECT_EQ(one.at("trials").at(0).at("good"), true);
  EXPECT_EQ(one.at("stages").size(), 1u);
  const std::string text = to_text(results);
  EXPECT_NE(text.find("24.00 times normal"), std::string::npos) << text;
  EXPECT_NE(text.find("x is not good"), std::string::npos);
}

}  // namespace
}  // namespace polyak::bench
