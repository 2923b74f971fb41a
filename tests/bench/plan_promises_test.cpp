// What the plan promises, tried: on promises made up for it, and on a few small problems.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/contests.hpp"
#include "core/random.hpp"

namespace polyak::bench {
using namespace polyak::bench::internal;
using namespace polyak::internal;

namespace {

Promise promise(const std::string& kind, double promised, double measured) {
  Promise out{3, "a problem", "lsqr: iterations", kind, promised, measured};
  out.allowed = allowed_factor(kind);
  out.upper = kind == "bound" || kind == "proved";
  return out;
}

TEST(Promise, ThatIsABoundHoldsFromAboveOnly) {
  EXPECT_TRUE(promise("bound", 60, 60).kept());
  EXPECT_TRUE(promise("proved", 60, 1).kept());
  EXPECT_FALSE(promise("bound", 60, 61).kept());
  EXPECT_FALSE(promise("bound", 60, 438).kept());
}

TEST(Promise, ThatIsAModelMayBeOffByAFactorEitherWay) {
  EXPECT_TRUE(promise("model: Gaussian rows", 100, 199).kept());
  EXPECT_TRUE(promise("model: Gaussian rows", 100, 51).kept());
  EXPECT_FALSE(promise("model: Gaussian rows", 100, 201).kept());
  EXPECT_FALSE(promise("model: Gaussian rows", 100, 1).kept());
  EXPECT_FALSE(promise("exact", 19, 20).kept());
}

TEST(Promise, OfARunThatDidNotEndIsBroken) {
  Promise out = promise("model", 100, 90);
  out.unfinished = true;
  EXPECT_FALSE(out.kept());
  EXPECT_FALSE(promise("exact", 0.0, 1.0).kept());
}

TEST(PromiseText, HasTheCertainOnesFirst) {
  Results results;
  results.promises = {promise("model", 1, 1000), promise("bound", 60, 61), promise("bound", 9, 9)};
  const std::string text = to_text(results);
  EXPECT_NE(text.find("2 of 3 broken"), std::string::npos) << text;
  EXPECT_LT(text.find("bound"), text.find("model")) << text;
  const auto json = nlohmann::json::parse(to_json(results));
  EXPECT_EQ(json.at("promises").size(), 3u);
  EXPECT_EQ(json.at("promises").at(1).at("kept"), false);
  const auto goals = promise_verdict(results.promises);
  ASSERT_EQ(goals.size(), 2u);
  EXPECT_EQ(goals[0].what, "promises kept: bound");
  EXPECT_EQ(goals[0].measured.median, 50.0);
}

// Well-conditioned rows without noise: everything that is said to be certain of A holds, and
// so does every promise about what auto does.
TEST(Promises, AboutAWellConditionedProblemAreKept) {
  ThreadTeam team(1);
  const GeneratedProblem made = generate(GaussianProblem{2000, 12}, {.seed = 3, .threads = 1});
  SolveOptions options;
  options.threads = 1;
  const auto found = promises_of(0, "Gaussian", made, options, 1.0, team);
  EXPECT_GE(found.size(), 8u);
  for (const char* what : {"kappa of A'A", "rank", "auto converges", "auto takes normal"}) {
    const auto one =
        std::find_if(found.begin(), found.end(), [&](const Promise& p) { return p.what == what; });
    ASSERT_NE(one, found.end()) << what;
    EXPECT_TRUE(one->kept()) << what << ": " << one->promised << ", " << one->measured;
  }
  for (const Promise& one : found)
    if (one.kind.starts_with("model")) {
      EXPECT_TRUE(one.kept()) << one.what << ": " << one.promised << ", " << one.measured;
    }
}

// A column in another unit makes A no less regular: the rank to tell is the same.
TEST(Promises, AboutTheRankDoNotDependOnUnits) {
  constexpr Index n = 300, d = 4;
  std::vector<double> A(to_size(n * d)), b(to_size(n));
  Random(6, 0).normals(0, A.size(), A.data());
  Random(6, 0).normals(1, b.size(), b.data());
  for (Index i = 0; i < n; ++i) A[to_size(i * d)] *= 1e14;
  GeneratedProblem made;
  made.A = dense_matrix(std::move(A), n, d);
  made.b = Array(std::move(b), n);
  ThreadTeam team(1);
  SolveOptions options;
  options.threads = 1;
  for (const Promise& one : promises_of(0, "units", made, options, 1.0, team))
    if (one.what == "rank") {
      EXPECT_EQ(one.measured, 4.0);
    }
}

}  // namespace
}  // namespace polyak::bench
