// The cases of `bench solve` are what they are said to be.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "bench/contests.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"

namespace polyak::bench {
using namespace polyak::bench::internal;
using namespace polyak::internal;

namespace {

namespace fs = std::filesystem;

Options small() {
  Options out;
  out.rows = 4000;
  out.seed = 3;
  out.threads = 1;
  return out;
}

std::vector<std::string> names(const std::vector<SolveCase>& cases) {
  std::vector<std::string> out;
  for (const SolveCase& one : cases) out.push_back(one.name);
  return out;
}

TEST(SolveCases, HaveDifferentNamesWithoutCommas) {
  const auto all = names(solve_cases(small()));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  for (const std::string& name : all) EXPECT_EQ(name.find(','), std::string::npos) << name;
}

TEST(SolveCases, HoldThePapersTwelveAndAskForSpeedOnFourOfThem) {
  Index from_file = 0, fast = 0;
  for (const SolveCase& one : solve_cases(small())) {
    from_file += one.from_file;
    fast += one.sampling_wins;
    EXPECT_TRUE(one.consistent || !one.from_file) << one.name;
  }
  EXPECT_EQ(from_file, 12);
  EXPECT_EQ(fast, 4);
}

// What rounding leaves of ‖Aᵀr‖/(‖A‖_F‖r‖): r = Ax − b carries an error of some
// eps(‖A‖_F‖x‖+‖b‖), and its own norm may be far smaller.
double rounding_of(const Problem& problem) {
  const Index n = problem.rows(), d = problem.cols();
  std::vector<double> Ax(to_size(n)), norms2(to_size(n));
  problem.A().multiply(0, n, problem.reference(), {Ax.data(), n, 1, 1});
  problem.A().norms(0, n, 1.0, norms2, {});
  double r2 = 0.0, b2 = 0.0, x2 = 0.0, A2 = 0.0;
  for (Index i = 0; i < n; ++i) {
    r2 += std::pow(Ax[to_size(i)] - problem.b()(i, 0), 2);
    b2 += std::pow(problem.b()(i, 0), 2);
    A2 += norms2[to_size(i)];
  }
  for (Index j = 0; j < d; ++j) x2 += std::pow(problem.reference()(0, j), 2);
  return 4.0 * 0x1p-52 * (std::sqrt(A2 * x2) + std::sqrt(b2)) / std::sqrt(r2);
}

// The reference makes the gradient vanish, and the residual where it is said to.
TEST(SolveCases, ComeWithTheirLeastSquaresSolution) {
  ThreadTeam team(1);
  for (const SolveCase& one : solve_cases(small())) {
    const Problem problem = one.make();
    const Judge judge(problem, team);
    const Array best = transposed(problem.reference());
    const double rounding = one.consistent ? 0.0 : rounding_of(problem);
    EXPECT_LE(judge.backward_error(best.view()), 1e-13 + rounding) << one.name;
    EXPECT_LE(rounding, 1e-5) << one.name << ": the bound says nothing";
    EXPECT_LE(judge.error(best.view()), 1e-17) << one.name;
    std::vector<double> zeros(to_size(problem.cols()), 0.0);
    EXPECT_DOUBLE_EQ(judge.error({zeros.data(), problem.cols(), 1, 1}), 1.0) << one.name;
  }
}

TEST(SolveCases, AreChosenByAPartOfTheirNames) {
  const auto all = solve_cases(small());
  EXPECT_EQ(names(chosen_cases(all, "wide")), std::vector<std::string>{"wide"});
  EXPECT_EQ(chosen_cases(all, "kappa=30").size(), 4u);
  EXPECT_EQ(chosen_cases(all, "wide,kappa=30,wide").size(), 5u);
}

TEST(SolveCases, AreTakenAloneWhereTheNameIsWhole) {
  const auto all = solve_cases(small());
  EXPECT_EQ(names(chosen_cases(all, "algebraic rho=1 kappa=10")),
            std::vector<std::string>{"algebraic rho=1 kappa=10"});
  EXPECT_EQ(chosen_cases(all, "rho=1 kappa=10").size(), 3u);  // 10, 100, and 100 with noise
}

TEST(SolveCases, ThatAreNoneAreRefused) {
  for (const char* text : {"nothing", "wide,nothing", "", ","}) {
    try {
      chosen_cases(solve_cases(small()), text);
      ADD_FAILURE() << "'" << text << "' was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(std::string(error.what()).find("wide"), std::string::npos);
    }
  }
}

class GivenCases : public ::testing::Test {
 protected:
  Exchange folder_;
  std::vector<std::string> notes_;

  std::vector<SolveCase> read() {
    return given_cases(folder_.path(), 1, [&](const std::string& text) { notes_.push_back(text); });
  }
  void put(const std::string& name, const std::string& b_name) {
    write_matrix(folder_.file(name), *csr_from_triplets({{0, 0, 2}, {1, 1, 4}, {2, 1, 3}}, 3, 2));
    if (!b_name.empty()) write_array(folder_.file(b_name), Array({2, 4, 3}, 3).view());
  }
};

TEST_F(GivenCases, AreMatricesWithTheirRightHandSides) {
  put("first.mtx", "first_rhs1.mtx");
  put("second.mtx.gz", "second_b.mtx.gz");
  const auto cases = read();
  EXPECT_EQ(names(cases), (std::vector<std::string>{"first", "second"}));
  for (const SolveCase& one : cases) {
    const Problem problem = one.make();
    EXPECT_NEAR(problem.reference()(0, 0), 1.0, 1e-15);
    EXPECT_NEAR(problem.reference()(0, 1), 1.0, 1e-15);
  }
  EXPECT_TRUE(notes_.empty());
}

TEST_F(GivenCases, WithoutARightHandSideAreLeftOutAndTold) {
  put("alone.mtx", "");
  put("first.mtx", "first_b.mtx");
  EXPECT_EQ(names(read()), std::vector<std::string>{"first"});
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find("alone.mtx"), std::string::npos);
}

TEST_F(GivenCases, OfAFolderWithNoneAreRefused) {
  EXPECT_THROW(read(), Error);
  EXPECT_THROW(given_cases(folder_.file("nowhere"), 1, [](const std::string&) {}), Error);
}

TEST(Exchange, LeavesNothingBehind) {
  std::string path;
  {
    const Exchange exchange;
    path = exchange.path();
    exchange.put(Problems{4000, 1, 1}.wide());
    EXPECT_TRUE(fs::exists(exchange.file("A.npy")));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(Child, IsTimedAndHeard) {
  const Exchange exchange;
  const Child child = run_child({"sh", "-c", "sleep 0.05; echo $POLYAK_WORD"},
                                {"POLYAK_WORD=heard", "PATH=/bin:/usr/bin"}, exchange.file("out"));
  EXPECT_EQ(child.output, "heard\n");
  EXPECT_GE(child.seconds, 0.05);
}

TEST(Child, ThatFailsIsAnError) {
  const Exchange exchange;
  EXPECT_THROW(run_child({"sh", "-c", "exit 3"}, {}, exchange.file("out")), Error);
  EXPECT_THROW(run_child({"/nowhere/at/all"}, {}, exchange.file("out")), Error);
}

}  // namespace
}  // namespace polyak::bench
