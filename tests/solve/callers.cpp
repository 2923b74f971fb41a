// Programs that have other things going on as well: threads, processes, another user of BLAS.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "linalg/vendor.hpp"
#include "polyak/error.hpp"
#include "polyak/solve.hpp"
#include "support/problems.hpp"
#include "support/sanitized.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
const char* const methods[] = {"auto", "direct", "normal", "minibatch-hbm", "lsqr", "sketch-hbm"};

// Made once and in one thread: the generator of random matrices belongs to the process.
const Problem& problem_of(unsigned seed) {
  static const std::vector<Problem> all = [] {
    std::vector<Problem> out;
    for (unsigned k = 0; k < 3; ++k) {
      const Rows A = random(3000, 40, 3 + k);
      out.emplace_back(data(A, A * random(40, 1, 4) + 0.1 * random(3000, 1, 5)));
    }
    return out;
  }();
  return all[seed];
}

Report report_of(const std::string& method, unsigned seed) {
  SolveOptions options = with_method(method);
  options.seed = seed;
  options.threads = 3;
  options.max_passes = 20.0;
  return solve(problem_of(seed), options);
}

bool same_bits(const Array& a, const Array& b) {
  return a.view().size() == b.view().size() &&
         std::equal(a.view().data, a.view().data + a.view().size(), b.view().data);
}

TEST(callers, several_threads_solve_at_once_and_each_gets_its_own_bits) {
  for (const char* method : methods) {
    const Report alone[] = {report_of(method, 0), report_of(method, 1), report_of(method, 2)};
    Report together[3];
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < 3; ++k)
      threads.emplace_back([&, k] { together[k] = report_of(method, k); });
    for (std::thread& thread : threads) thread.join();
    for (int k = 0; k < 3; ++k) {
      EXPECT_TRUE(same_bits(alone[k].x, together[k].x)) << method << " " << k;
      EXPECT_EQ(alone[k].iterations, together[k].iterations) << method;
    }
  }
}

// One after the other, in turn: what is shared would show.
TEST(callers, two_solvers_go_on_in_turn) {
  const auto problem = std::make_shared<const Problem>(consistent());
  SolveOptions options = with_method("minibatch-hbm");
  options.tol = 0.0;
  const auto run_to = [](Solver& solver, Index k) {
    solver.set_limits(k, std::nullopt);
    return solver.run();
  };
  Solver whole(problem, options), one(problem, options), other(problem, options);
  const Report expected = run_to(whole, 60);
  for (Index k : {10, 20, 40}) {
    (void)run_to(one, k);
    (void)run_to(other, k + 7);
  }
  EXPECT_TRUE(same_bits(run_to(one, 60).x, expected.x));
  EXPECT_TRUE(same_bits(run_to(other, 60).x, expected.x));
}

#if !POLYAK_THREAD_SANITIZER
// The child has the parent's solver, but none of its threads.
TEST(callers, a_forked_process_solves_with_what_it_was_given_and_ends) {
  const auto problem = std::make_shared<const Problem>(consistent());
  SolveOptions options = with_method("minibatch-hbm");
  options.threads = 4;
  options.tol = 0.0;
  options.max_iterations = 40;
  auto solver = std::make_unique<Solver>(problem, options);
  const Report expected = solve(*problem, options), direct = report_of("direct", 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    bool same = same_bits(solver->run().x, expected.x);
    solver.reset();
    same = same && same_bits(report_of("direct", 0).x, direct.x);
    ::_exit(same ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(same_bits(solver->run().x, expected.x)) << "of the parent";
}
#endif

TEST(callers, find_their_blas_threads_as_they_were) {
  auto* get = reinterpret_cast<int (*)()>(blas_symbol("openblas_get_num_threads"));
  auto* set = reinterpret_cast<void (*)(int)>(blas_symbol("openblas_set_num_threads"));
  if (get == nullptr || set == nullptr) GTEST_SKIP() << "this BLAS is not OpenBLAS";
  const int before = get();
  set(2);
  const int wanted = get();  // an OpenBLAS without threads stays at 1
  const Report with_two = report_of("direct", 0);
  std::thread second([] { (void)report_of("normal", 1); });
  (void)report_of("direct", 1);
  second.join();
  EXPECT_EQ(get(), wanted);
  set(1);
  EXPECT_TRUE(same_bits(report_of("direct", 0).x, with_two.x));
  set(before);
}

#ifdef _OPENMP
TEST(callers, solve_inside_an_openmp_region) {
  Report alone[4], inside[4];
  for (int k = 0; k < 4; ++k) alone[k] = report_of(methods[k], 1);
#pragma omp parallel for num_threads(4)
  for (int k = 0; k < 4; ++k) inside[k] = report_of(methods[k], 1);
  for (int k = 0; k < 4; ++k) EXPECT_TRUE(same_bits(alone[k].x, inside[k].x)) << methods[k];
}
#endif

// The program refuses these as text; whoever sets them by himself hears the same.
TEST(callers, get_the_checks_that_the_program_makes) {
  const Problem problem(consistent());
  const auto refused = [&](const char* what, auto set) {
    for (const char* method : {"auto", "minibatch-hbm", "direct"}) {
      SolveOptions options = with_method(method);
      set(options);
      try {
        (void)solve(problem, options);
        ADD_FAILURE() << what << " passed with " << method;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
      }
    }
  };
  refused("tol above 1", [](SolveOptions& o) { o.tol = 2.0; });
  refused("tol below 0", [](SolveOptions& o) { o.tol = -1.0; });
  refused("tol NaN", [](SolveOptions& o) { o.tol = nan; });
  refused("iterations below 0", [](SolveOptions& o) { o.max_iterations = -1; });
  refused("passes NaN", [](SolveOptions& o) { o.max_passes = nan; });
  refused("passes without end", [](SolveOptions& o) { o.max_passes = inf; });
  refused("time below 0", [](SolveOptions& o) { o.time_limit_s = -1.0; });
  refused("threads below 0", [](SolveOptions& o) { o.threads = -2; });
  refused("threads", [](SolveOptions& o) { o.threads = 1 << 20; });
  refused("no measurement", [](SolveOptions& o) { o.measure_every = 0.0; });
  refused("a method", [](SolveOptions& o) { o.method = "hbn"; });
  refused("a spectrum", [](SolveOptions& o) { o.spectrum = "exakt"; });
  refused("a scaling", [](SolveOptions& o) { o.column_scaling = "yes"; });
  refused("a certificate", [](SolveOptions& o) { o.certify = "half"; });
  refused("a batch", [](SolveOptions& o) { o.batch_size = 0; });
  refused("a step", [](SolveOptions& o) { o.step_size = -1.0; });
  refused("a momentum", [](SolveOptions& o) { o.momentum = 1.0; });
}

TEST(callers, whose_sizes_do_not_fit_their_storage_are_told) {
  EXPECT_THROW(dense_matrix(std::vector<double>(11), 4, 3), Error);
  EXPECT_THROW(dense_matrix(std::vector<double>(12), -4, -3), Error);
  EXPECT_THROW(dense_matrix(std::vector<double>(0), Index{1} << 40, Index{1} << 40), Error);
  EXPECT_THROW((csr_matrix<double, std::int32_t>({{0, 2}, {0}, {1.0}, 3})), Error);
  EXPECT_THROW((csr_matrix<double, std::int32_t>({{}, {}, {}, 3})), Error);
  EXPECT_THROW((csr_matrix<double, std::int32_t>({{0, 1}, {7}, {1.0}, 3})), Error);
  EXPECT_THROW((csr_matrix<double, std::int32_t>({{0, 1, 0}, {0}, {1.0}, 3})), Error);
}

}  // namespace
}  // namespace polyak::test
