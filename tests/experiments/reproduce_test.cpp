// The whole way, small: same bytes for any threads, interruption and going on.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/lab.hpp"
#include "files.hpp"
#include "polyak/error.hpp"
#include "polyak/experiments.hpp"

namespace polyak::experiments {
using namespace polyak::experiments::internal;

namespace {

namespace fs = std::filesystem;

// Stops after so many calls.
class Impatient final : public Watcher {
 public:
  explicit Impatient(int patience) : patience_(patience) {}
  bool stop_requested() override { return --patience_ < 0; }

 private:
  int patience_;
};

class Reproduce : public testing::Test {
 protected:
  Reproduce() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("polyak-reproduce-") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(spec()) << R"(
name = "mine"
trials = 5
iterations = 20
residuals = true
[[panel]]
title = "p"
problem = { kind = "spectrum", rows = 600, cols = 12, kappa = 20, decay = "algebraic", noise = 0.1 }
[[series]]
label = "HBM"
method = "hbm"
[[series]]
label = "B = {B}"
method = "minibatch-hbm"
batches = [40, 300]
[[series]]
label = "RK"
method = "rk"
iterations = 200
every = 20
[[claim]]
text = "a hundred rows do better than one"
check = "better"
series = "B = 300"
than = "RK"
)";
  }
  ~Reproduce() override { fs::remove_all(folder_); }

  std::string spec() const { return (folder_ / "mine.toml").string(); }
  Options into(const std::string& name, Index threads) const {
    Options out;
    out.out = (folder_ / name).string();
    out.threads = threads;
    return out;
  }
  Outcome run(const Options& options, int patience = 1 << 30) const {
    Impatient watcher(patience);
    return reproduce(spec(), options, watcher);
  }
  std::string csv(const std::string& name) const { return contents(folder_ / name / "mine.csv"); }

  fs::path folder_;
};

TEST_F(Reproduce, the_same_bytes_for_any_number_of_threads) {
  for (const auto& [name, threads] : {std::pair{"one", 1}, {"three", 3}}) {
    const Outcome outcome = run(into(name, threads));
    EXPECT_FALSE(outcome.interrupted);
    EXPECT_EQ(outcome.runs_made, 4);
    EXPECT_EQ(outcome.claims.size(), 1u);
  }
  EXPECT_GT(csv("one").size(), 2000u);
  EXPECT_EQ(csv("one"), csv("three"));
}

TEST_F(Reproduce, goes_on_where_it_was_interrupted) {
  static_cast<void>(run(into("whole", 1)));
  const Outcome stopped = run(into("parts", 1), 45);
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_GT(stopped.runs_made, 0);
  EXPECT_LT(stopped.runs_made, 4);
  EXPECT_FALSE(fs::exists(folder_ / "parts" / "index.html"));
  const Outcome rest = run(into("parts", 1));
  EXPECT_EQ(rest.runs_kept, stopped.runs_made);
  EXPECT_EQ(rest.runs_made + rest.runs_kept, 4);
  EXPECT_EQ(csv("parts"), csv("whole"));
  EXPECT_TRUE(fs::exists(folder_ / "parts" / "index.html"));
}

TEST_F(Reproduce, finished_runs_are_repeated_only_when_asked) {
  static_cast<void>(run(into("out", 1)));
  EXPECT_EQ(run(into("out", 1)).runs_made, 0);
  Options again = into("out", 1);
  again.force = true;
  EXPECT_EQ(run(again).runs_made, 4);
  Options other = into("out", 1);
  other.seed = 99;
  EXPECT_EQ(run(other).runs_made, 4);
}

TEST_F(Reproduce, a_torn_result_counts_as_none) {
  static_cast<void>(run(into("out", 1)));
  for (const auto& file : fs::directory_iterator(folder_ / "out" / ".runs"))
    fs::resize_file(file.path(), 40);
  EXPECT_EQ(run(into("out", 1)).runs_made, 4);
}

TEST(workbench, residual_norms_are_those_of_a_pass_over_the_rows) {
  ProblemSpec spec;
  spec.rows = 400;
  spec.cols = 9;
  spec.kappa = 30;
  spec.noise = 0.5;
  const Workbench bench(spec, 1);
  const Problem& problem = bench.problem();
  for (double scale : {0.0, 0.7, 1.0, 3.0}) {
    std::vector<double> x(problem.reference().data, problem.reference().data + 9);
    for (double& value : x) value *= scale;
    x[2] += 0.1;
    const ConstView view{x.data(), 1, 9, 9};
    std::vector<double> y(400);
    problem.A().multiply(0, 400, view, {y.data(), 400, 1, 1});
    double sum = 0.0;
    for (Index i = 0; i < 400; ++i) {
      const double r = y[to_size(i)] - problem.b()(i, 0);
      sum += r * r;
    }
    EXPECT_NEAR(bench.residual_norm(view), std::sqrt(sum), 1e-12 * std::sqrt(sum));
  }
}

}  // namespace
}  // namespace polyak::experiments
