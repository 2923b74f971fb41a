// A run that was saved, read back and resumed is the run that never stopped.

#include <cmath>
#include <filesystem>

#include "polyak/checkpoint.hpp"
#include "solve/auto/runs.hpp"
#include "support/keeper.hpp"
#include "support/problems.hpp"

namespace polyak::test {
namespace {

/// A file of its own for each test, gone with it.
class Place {
 public:
  Place() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "." + test->name();
    for (char& c : name)
      if (c == '/') c = '_';
    folder_ = std::filesystem::temp_directory_path() / ("polyak-" + name);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  ~Place() { std::filesystem::remove_all(folder_); }
  std::string file() const { return (folder_ / "run.ckpt").string(); }

 private:
  std::filesystem::path folder_;
};

void expect_same_run(const Report& a, const Report& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.row_products, b.row_products);
  EXPECT_EQ(a.measured_row_products, b.measured_row_products);
  EXPECT_EQ(a.backward_error, b.backward_error);
  EXPECT_EQ(solution(a), solution(b));
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_EQ(a.history[i].iteration, b.history[i].iteration);
    EXPECT_EQ(a.history[i].residual_norm, b.history[i].residual_norm);
    EXPECT_EQ(a.history[i].gradient_norm, b.history[i].gradient_norm);
    EXPECT_EQ(a.history[i].error, b.history[i].error);
  }
}

Snapshot through_a_file(const Problem& problem, const SolveOptions& options,
                        const Snapshot& snapshot) {
  const Place place;
  const CheckpointFile file(place.file(), fingerprint(problem, options));
  file.save(snapshot);
  return file.load()->snapshot;
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const MethodInfo& info : method_table()) out.push_back(info.name);
  return out;
}

class Resumed : public testing::TestWithParam<std::string> {
 protected:
  // Inconsistent, with a ridge where the method has one, three right-hand sides.
  Problem problem() const {
    ProblemData out = consistent(3000, 8);
    const bool ridge = (find_method(GetParam())->traits & trait::ridge) != 0;
    Rows b = Eigen::Map<const Rows>(out.b.view().data, 3000, 1).replicate(1, 3);
    b += 0.1 * random(3000, 3, 5);
    out.b = array(b);
    out.reference = {};
    if (ridge) out.ridge = 0.1;
    return Problem(out);
  }
  SolveOptions options() const {
    SolveOptions o = ample(GetParam());
    o.tol = 1e-13;
    o.max_passes = 40.0;
    o.measure_every = 2.5;
    return o;
  }
};

TEST_P(Resumed, from_any_snapshot_it_ends_as_the_run_that_never_stopped) {
  const Problem problem = this->problem();
  Keeper keeper;
  const Report straight = solve(problem, options(), &keeper);
  if (GetParam() != "direct" && GetParam() != "active-set" && GetParam() != "normal") {
    ASSERT_GE(keeper.kept.size(), 2u);
  }
  const std::size_t step = std::max<std::size_t>(1, keeper.kept.size() / 5);
  for (std::size_t i = 0; i < keeper.kept.size(); i += step) {
    SCOPED_TRACE(keeper.kept[i].run.method.iteration);
    const Snapshot from = through_a_file(problem, options(), keeper.kept[i]);
    SolveOptions other = options();
    other.threads = 2;
    expect_same_run(straight, solve(problem, other, nullptr, &from));
  }
}

TEST_P(Resumed, after_a_stop_between_measurements_it_ends_the_same) {
  const Problem problem = this->problem();
  const Report straight = solve(problem, options());
  for (int calls : {0, 3, 8}) {
    Keeper keeper;
    keeper.stop_after = calls;
    const Report stopped = solve(problem, options(), &keeper);
    if (stopped.status != Status::interrupted) continue;  // it was done before
    ASSERT_FALSE(keeper.kept.empty());
    expect_same_run(straight, solve(problem, options(), nullptr, &keeper.kept.back()));
  }
}

TEST_P(Resumed, after_a_limit_it_goes_on_with_a_larger_one) {
  const Problem problem = this->problem();
  const Report straight = solve(problem, options());
  SolveOptions shorter = options();
  shorter.max_passes = 7.3;
  Keeper keeper;
  const Report first = solve(problem, shorter, &keeper);
  if (first.status != Status::limit) return;  // it was done before
  ASSERT_FALSE(keeper.kept.empty());
  expect_same_run(straight, solve(problem, options(), nullptr, &keeper.kept.back()));
}

INSTANTIATE_TEST_SUITE_P(All, Resumed, testing::ValuesIn(names()), [](const auto& which) {
  std::string name = which.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

// Too many columns for a look at the rows: cg is tried, then the normal equations take over.
TEST(ResumedAutomatic, goes_through_the_same_methods) {
  const Index n = 16000, d = 2600;
  std::vector<Triplet> entries;
  std::srand(3);
  for (Index i = 0; i < n; ++i)
    for (int t = 0; t < 12; ++t) {
      const Index j = std::rand() % d;
      const double size = std::pow(1e-3, static_cast<double>(j) / static_cast<double>(d));
      entries.push_back({i, j, size * (1.0 + 0.001 * static_cast<double>(std::rand() % 1000))});
    }
  ProblemData parts;
  parts.A = csr_from_triplets(std::move(entries), n, d);
  parts.b = array(random(n, 1, 5));
  const Problem problem(std::move(parts));
  SolveOptions options = with_method("auto");
  options.column_scaling = "none";  // else cg converges
  Keeper keeper;
  const Report straight = solve(problem, options, &keeper);
  ASSERT_FALSE(keeper.kept.empty());
  std::size_t finished = 0;
  const std::size_t step = std::max<std::size_t>(1, keeper.kept.size() / 6);
  for (std::size_t back = 1; back <= keeper.kept.size(); back += step) {
    const std::size_t i = keeper.kept.size() - back;  // the last one is of the last method
    finished = std::max(finished, keeper.kept[i].finished.size());
    const Snapshot from = through_a_file(problem, options, keeper.kept[i]);
    const Report resumed = solve(problem, options, nullptr, &from);
    expect_same_run(straight, resumed);
    ASSERT_EQ(straight.stages.size(), resumed.stages.size());
    for (std::size_t s = 0; s < straight.stages.size(); ++s)
      EXPECT_EQ(straight.stages[s].outcome, resumed.stages[s].outcome);
  }
  EXPECT_GE(finished, 1u) << "no snapshot was taken in a later method";
}

// The disk of the next process may be another one, or be busy.
TEST(ResumedAutomatic, chooses_by_the_disk_of_the_first_process) {
  const DiskRates slow{.sweep_bytes = 1e8, .single_rows = 200.0};
  Snapshot from;
  from.disk = slow;
  Runs first(nullptr, nullptr), resumed(nullptr, &from);
  EXPECT_EQ(first.rates(slow)->sweep_bytes, 1e8);
  EXPECT_EQ(resumed.rates(std::nullopt)->single_rows, 200.0);
  EXPECT_EQ(resumed.rates(DiskRates{1e10, 1e6})->sweep_bytes, 1e8);
  from.disk.reset();  // it was in memory
  EXPECT_FALSE(Runs(nullptr, &from).rates(slow));
  Keeper keeper;
  Runs saving(&keeper, nullptr);
  saving.rates(slow);
  saving.snapshot({});
  ASSERT_EQ(keeper.kept.size(), 1u);
  ASSERT_TRUE(keeper.kept[0].disk);
  EXPECT_EQ(keeper.kept[0].disk->sweep_bytes, 1e8);
}

}  // namespace
}  // namespace polyak::test
