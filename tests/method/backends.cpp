// Every method works through the backend alone: with memory apart from the host's it has
// the same bits, and iterations without measurements transfer nothing.

#include <cstring>

#include "polyak/methods.hpp"
#include "solve/run/setup.hpp"
#include "support/apart_backend.hpp"
#include "support/problems.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

class MemoryApart : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { register_apart_backend(); }

  SolveOptions options(const std::string& device, Index iterations) const {
    SolveOptions o = ample(GetParam());
    o.device = device;
    o.tol = 0.0;
    o.max_iterations = iterations;
    return o;
  }
  bool heeds(unsigned trait) const { return (find_method(GetParam())->traits & trait) != 0; }

  void expect_same(const ProblemData& data) const {
    const Report cpu = solve(Problem(data), options("cpu", 9));
    const Report apart = solve(Problem(data), options("apart", 9));
    EXPECT_EQ(cpu.used.device, "cpu");
    EXPECT_EQ(apart.used.device, "apart");
    EXPECT_EQ(solution(cpu), solution(apart));
    EXPECT_EQ(cpu.residual_norm, apart.residual_norm);
    EXPECT_EQ(cpu.row_products, apart.row_products);
    EXPECT_EQ(cpu.history.size(), apart.history.size());
  }
};

TEST_P(MemoryApart, has_the_bits_of_the_cpu) {
  expect_same(consistent(300, 8));
  const Rows A = random(120, 6, 3), b = random(120, 2, 4);
  expect_same(data(A, b));
  ProblemData more = data(A, b);
  more.weights = std::vector<double>(120, 0.5);
  if (heeds(trait::ridge)) more.ridge = 0.3;
  if (heeds(trait::bounds)) {
    more.lower = std::vector<double>(6, -0.05);
    more.upper = std::vector<double>(6, 0.05);
  }
  expect_same(more);
}

TEST_P(MemoryApart, is_saved_and_restored) {
  const auto problem = std::make_shared<const Problem>(consistent(300, 8));
  Solver straight(problem, options("apart", 8)), stopped(problem, options("apart", 3)),
      on_cpu(problem, options("cpu", 8));
  (void)straight.run();
  (void)stopped.run();
  on_cpu.restore(stopped.state());
  (void)on_cpu.run();
  EXPECT_EQ(straight.state().vectors, on_cpu.state().vectors);
}

TEST_P(MemoryApart, transfers_nothing_in_further_iterations) {
  const std::string& name = GetParam();
  // Case distinctions and triangular solves on the host, each iteration, by their nature.
  const bool on_host =
      name == "bounded-cg" || name == "normal" || name == "sketch-hbm" || name == "direct";
  const Problem problem(consistent(300, 8));
  SolveSetup setup(problem, options("apart", 50));
  const auto method = setup.start(0);
  method->advance(0, 1);
  transfers().clear();
  method->advance(1, 4);
  if (!on_host) {
    EXPECT_EQ(transfers().reads, 0);
    EXPECT_EQ(transfers().writes, 0);
  }
  // No vector as long as there are equations, and a few d-long ones an iteration.
  EXPECT_LE(transfers().numbers_read, 3 * 6 * 8);
  EXPECT_LE(transfers().numbers_written, 3 * 6 * 8);
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const MethodInfo& info : method_table()) out.push_back(info.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Methods, MemoryApart, testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// A device that implements gd by itself: x = 7 after one iteration.
class Sevens final : public Method {
 public:
  explicit Sevens(const Setting& setting) : Method(setting) {}
  void advance(Index, Index last) override {
    write_x(std::vector<double>(to_size(vectors_ * d_), 7.0));
    counters_.iteration = last;
  }
};

TEST(a_device, is_asked_first_for_its_own_implementation_of_a_method) {
  register_device("sevens", [](const BackendProblem& problem) -> std::unique_ptr<Backend> {
    class Device final : public HostBackend {
     public:
      using HostBackend::HostBackend;
      std::string device() const override { return "sevens"; }
    };
    return std::make_unique<Device>(problem);
  });
  register_device_method("sevens", "gd", [](const Setting& setting) -> std::unique_ptr<Method> {
    return std::make_unique<Sevens>(setting);
  });
  register_device_method("sevens", "hbm", [](const Setting&) { return std::unique_ptr<Method>(); });
  const Problem problem(consistent(50, 3));
  SolveOptions options = ample("gd");
  options.device = "sevens";
  SolveSetup setup(problem, options);
  const auto method = setup.start(0);
  method->advance(0, 1);
  EXPECT_EQ(setup.backend().host_copy(method->x()), std::vector<double>(3, 7.0));
  // One that refuses a setting leaves the method to the general implementation.
  options.method = "hbm";
  EXPECT_EQ(solve(problem, options).status, Status::converged);
}

}  // namespace
}  // namespace polyak::test
