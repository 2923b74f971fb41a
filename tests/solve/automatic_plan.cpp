// A plan of auto is what auto does.

#include "polyak/automatic_plan.hpp"

#include <cmath>

#include "polyak/memory.hpp"
#include "solve/auto/stages.hpp"
#include "support/problems.hpp"

namespace polyak::test::plans_of_auto {
namespace {

SolveOptions automatic() {
  SolveOptions options;
  options.threads = 1;
  return options;
}

ProblemShape dense(Index rows, Index cols) {
  ProblemShape shape;
  shape.rows = rows;
  shape.cols = cols;
  shape.nonzeros = rows * cols;
  shape.bytes = 8.0 * static_cast<double>(rows * cols);
  return shape;
}

std::string reason(const AutomaticPlan& plan, const std::string& method) {
  for (const auto& out : plan.ruled_out)
    if (out.method == method) return out.why;
  return {};
}
bool takes(const AutomaticPlan& plan, const std::string& method) {
  for (const auto& step : plan.steps)
    if (step.method == method) return true;
  return false;
}

TEST(automatic_plan, names_the_method_that_auto_then_takes) {
  const Rows noise = 0.1 * random(60000, 1, 1);
  for (Index cols : {8, 64}) {
    const Rows A = random(60000, cols, 2), x = random(cols, 1, 3);
    for (const Rows& b : {Rows(A * x + noise), Rows(A * x)}) {
      const Problem problem(data(A, b));
      const AutomaticPlan plan = automatic_plan(problem, automatic());
      const Report report = solve(problem, automatic());
      ASSERT_FALSE(plan.steps.empty());
      EXPECT_EQ(plan.steps[0].method, report.method);
      EXPECT_EQ(plan.look.has_value(), report.stages[0].method == "subset-direct");
      const Stage& taken = report.stages[plan.look ? 1 : 0];
      EXPECT_EQ(plan.steps[0].seconds, *taken.predicted_seconds);
    }
  }
}

std::vector<Candidate> candidates_of(const ProblemShape& shape) {
  const SolveOptions options;
  return AutoPlan(shape, options).choice().candidates;
}

// Four iterations tell, and cost little beside the next method.
TEST(automatic_plan, tries_cg_where_its_first_iterations_cost_little) {
  const ProblemShape shape = dense(100000, 2000);
  const auto list = candidates_of(shape);
  ASSERT_GE(list.size(), 3u);
  EXPECT_EQ(list[0].method, "cg");
  ASSERT_TRUE(list[0].passes && list[0].max_expected_iterations);
  EXPECT_LE(*list[0].max_expected_iterations * Costs(shape).pass(), 0.8 * list[1].seconds);
  EXPECT_LE(Costs(shape).krylov(5.0, 1.0), 0.4 * list[1].seconds);
  EXPECT_LT(list[0].seconds, list[1].seconds);
}

TEST(automatic_plan, looks_by_normal_equations_where_qr_of_some_rows_would_cost_too_much) {
  const SolveOptions options;
  const AutoPlan narrow(dense(1000000, 100), options), wide(dense(30000, 300), options);
  ASSERT_TRUE(narrow.look() && wide.look());
  EXPECT_FALSE(narrow.look()->by_gram);
  EXPECT_TRUE(wide.look()->by_gram);
  EXPECT_EQ(wide.look()->run.method, "subset-normal");
  for (const AutoPlan* plan : {&narrow, &wide})
    EXPECT_LE(plan->look()->run.seconds,
              0.25 * std::min(plan->costs().normal(), plan->costs().direct()));
  // Eight times as many rows are required.
  EXPECT_FALSE(AutoPlan(dense(3000, 300), options).look());
}

// With three columns the two reads of a check cost as much as AᵀA.
TEST(automatic_plan, solves_no_subset_where_its_check_costs_as_much_as_the_next_method) {
  SolveOptions options;
  const AutoPlan narrow(dense(2000000, 3), options);
  EXPECT_FALSE(narrow.look());
  EXPECT_FALSE(narrow.subset_cg());
  EXPECT_TRUE(AutoPlan(dense(2000000, 100), options).look());
  options.certify = "sampled";  // no check: only the subset is read
  EXPECT_TRUE(AutoPlan(dense(2000000, 3), options).look());
}

ProblemShape sparse(Index rows, Index cols, Index entries) {
  ProblemShape shape = dense(rows, cols);
  shape.nonzeros = rows * entries;
  shape.bytes = 12.0 * static_cast<double>(shape.nonzeros) + 8.0 * static_cast<double>(rows);
  return shape;
}

// Columns of a dozen entries differ in length: cg would take many iterations.
TEST(automatic_plan, of_few_entries_begins_with_the_normal_equations) {
  const auto list = candidates_of(sparse(1850, 712, 5));
  EXPECT_EQ(list[0].method, "normal");
  EXPECT_LT(Costs(sparse(1850, 712, 5)).gram(), 0.4 * Costs(dense(1850, 712)).gram());
}

TEST(automatic_plan,
     of_long_sparse_columns_begins_with_cg_and_may_go_on_with_the_normal_equations) {
  const auto list = candidates_of(sparse(90000, 4096, 60));
  EXPECT_EQ(list[0].method, "cg");
  EXPECT_TRUE(list[0].passes);
  EXPECT_EQ(list[1].method, "normal");
}

// Rows that differ in length, and those of a projector, which are made dense.
TEST(automatic_plan, counts_the_products_that_the_normal_equations_are_made_of) {
  ProblemShape shape = sparse(90000, 4096, 60);
  const double even = Costs(shape).gram();
  shape.products = 10.0 * shape.gram_products();
  EXPECT_GT(Costs(shape).gram(), 2.0 * even);
  shape.products = 90000.0 * 4096.0 * 4096.0;
  EXPECT_EQ(Costs(shape).gram(), Costs(dense(90000, 4096)).gram());
  ProblemShape sides = dense(100000, 10);
  sides.right_hand_sides = 100;  // more than columns: A is dense all the same
  EXPECT_GT(Costs(sides).gram(), 100000.0 * 110.0 * 110.0 / 1.5e11);
}

// Rates of about an H200 behind a bus of 50 GB/s.
constexpr DeviceRates fast_device{4e12, 5e10, 2.5e13, 2e-5};

TEST(automatic_plan, of_a_device_pays_for_the_copy_once_and_for_passes_at_its_rate) {
  const ProblemShape shape = dense(1000000, 100);
  const Costs cpu(shape), gpu(shape, fast_device);
  EXPECT_EQ(cpu.copy(), 0.0);
  EXPECT_GT(gpu.copy(), 8e8 / 5e10);
  EXPECT_LT(gpu.pass(), cpu.pass() / 50.0);
  EXPECT_LT(gpu.gram(), cpu.gram() / 50.0);
  EXPECT_TRUE(gpu.gram_on_device());
  EXPECT_FALSE(cpu.gram_on_device() ||
               Costs(sparse(90000, 4096, 60), fast_device).gram_on_device());
  // The copy is in every way to a solution, and in none twice.
  for (const double seconds :
       {gpu.normal(), gpu.direct(), gpu.krylov(10.0, 1.0), gpu.sketched(30.0)}) {
    EXPECT_GT(seconds, gpu.copy());
  }
  EXPECT_LT(gpu.normal(), 1.5 * gpu.copy());
  EXPECT_LT(gpu.krylov(10.0, 1.0), 1.5 * gpu.copy());
}

// A'A takes as long as a few passes at 100 columns, and as many at 1000.
TEST(automatic_plan, of_a_device_prefers_cg_at_many_columns_and_few_iterations) {
  const Costs narrow(dense(1000000, 100), fast_device), wide(dense(300000, 1000), fast_device);
  EXPECT_LT(narrow.normal(), narrow.krylov(39.0, 1.0));
  EXPECT_LT(wide.krylov(5.0, 1.0), wide.normal());
  EXPECT_LT(wide.normal(), wide.direct());
}

ProblemShape on_disk(ProblemShape shape, double sweep_bytes, double single_rows) {
  shape.disk = DiskRates{.sweep_bytes = sweep_bytes, .single_rows = single_rows};
  return shape;
}

TEST(automatic_plan, of_rows_on_a_disk_pays_for_every_pass_at_its_rate) {
  const ProblemShape shape = dense(1000000, 100);
  const Costs memory(shape), disk(on_disk(shape, 1e9, 5e4));
  EXPECT_DOUBLE_EQ(disk.pass(), 0.8);
  EXPECT_NEAR(disk.krylov(10.0, 1.0) - memory.krylov(10.0, 1.0), 13.0 * (0.8 - memory.pass()),
              1e-9);
  EXPECT_NEAR(disk.normal(), 1.6, 0.1);
  EXPECT_NEAR(disk.subset_by_qr(1000.0) - memory.subset_by_qr(1000.0), 0.02, 1e-12);
  EXPECT_GE(disk.kaczmarz_steps(1.0), 20.0);
  // A disk that is faster than the memory changes nothing but single rows.
  const Costs fast(on_disk(shape, 1e12, 5e4));
  EXPECT_EQ(fast.pass(), memory.pass());
  EXPECT_EQ(fast.normal(), memory.normal());
  EXPECT_EQ(fast.direct(), memory.direct());
}

// In memory the iterations of cg take less than AᵀA, from a disk more.
TEST(automatic_plan, of_rows_on_a_slow_disk_reads_them_less_often) {
  const ProblemShape shape = dense(100000, 2000);
  EXPECT_EQ(candidates_of(shape)[0].method, "cg");
  EXPECT_EQ(candidates_of(on_disk(shape, 3e8, 5e4))[0].method, "normal");
  for (const Candidate& one : candidates_of(on_disk(shape, 3e8, 5e4))) {
    EXPECT_GE(one.seconds, 0.5 * one.reads * shape.bytes / 3e8) << one.method;
  }
}

// A long read does not make AᵀA expensive beside other methods, which read as much.
TEST(automatic_plan, of_a_very_large_file_does_not_rule_out_the_normal_equations) {
  const auto list = candidates_of(on_disk(dense(4000000000, 50), 3e8, 5e4));
  EXPECT_EQ(list[0].method, "normal");
}

TEST(automatic_plan, of_a_disk_that_turns_looks_at_rows_only_where_a_pass_takes_longer) {
  SolveOptions options;
  options.certify = "sampled";
  EXPECT_FALSE(AutoPlan(on_disk(dense(30000, 100), 1.5e8, 200.0), options).look());
  EXPECT_TRUE(AutoPlan(on_disk(dense(3000000, 100), 1.5e8, 200.0), options).look());
  EXPECT_TRUE(AutoPlan(on_disk(dense(30000, 100), 1.5e8, 5e4), options).look());
  // The check of every row reads as much as the normal equations do.
  options.certify = "full";
  EXPECT_FALSE(AutoPlan(on_disk(dense(3000000, 100), 1.5e8, 200.0), options).look());
}

// A named method has the bits of a matrix in memory: what it allocates, too, is the same.
TEST(automatic_plan, of_a_disk_leaves_the_rows_of_a_sketch_as_they_are) {
  SolveOptions options;
  options.method = "sketch-hbm";
  for (const Index cols : {20, 300})
    EXPECT_EQ(working_bytes(dense(1000000, cols), options.method, options),
              working_bytes(on_disk(dense(1000000, cols), 1e7, 100.0), options.method, options));
}

TEST(automatic_plan, rules_out_the_normal_equations_where_their_square_is_too_large) {
  const AutomaticPlan plan = automatic_plan(sparse(1000000, 20000, 20), automatic());
  EXPECT_NE(reason(plan, "normal").find("GB"), std::string::npos) << reason(plan, "normal");
}

TEST(automatic_plan, begins_with_cg_on_some_rows_where_these_are_too_many_to_factor) {
  const AutomaticPlan plan = automatic_plan(sparse(1000000, 10000, 20), automatic());
  EXPECT_EQ(plan.rows_to_look_at, 0);
  EXPECT_EQ(plan.steps[0].method, "subset-cg");
  EXPECT_LT(plan.steps[0].seconds, 0.5 * plan.steps[1].seconds);
  EXPECT_GT(plan.steps[0].memory_bytes, 40000 * 20 * 12);
  EXPECT_EQ(plan.steps[1].method, "cg");
  EXPECT_NE(reason(plan, "rk").find("taken instead"), std::string::npos);
}

// Rows of a projector are not copied, so that no part of them can be tried.
ProblemShape projector(Index rows) {
  ProblemShape shape = sparse(rows, 3000, 60);
  shape.products = static_cast<double>(rows) * 3000.0 * 3000.0;
  return shape;
}

TEST(automatic_plan, tries_kaczmarz_where_it_costs_little_beside_the_next_method) {
  const auto many = candidates_of(projector(900000));
  EXPECT_EQ(many[0].method, "rk");
  EXPECT_TRUE(many[0].may_continue);
  EXPECT_LT(Costs(projector(900000)).kaczmarz_steps(*many[0].passes), 0.3 * many[1].seconds);
  EXPECT_NE(candidates_of(projector(90000))[0].method, "rk");
}

TEST(automatic_plan, tries_no_kaczmarz_where_each_row_moves_all_of_x) {
  ProblemShape ridge = projector(900000);
  EXPECT_EQ(automatic_plan(ridge, automatic()).steps[0].method, "rk");
  ridge.ridge = true;
  EXPECT_NE(reason(automatic_plan(ridge, automatic()), "rk").find("ridge"), std::string::npos);
}

TEST(automatic_plan, tries_no_kaczmarz_that_could_not_end_in_time) {
  EXPECT_NE(
      reason(automatic_plan(sparse(20000, 2000, 20), automatic()), "rk").find("passes or more"),
      std::string::npos);
}

TEST(automatic_plan, of_a_shape_is_that_of_the_problem_where_no_row_is_looked_at) {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{500, 20}, {900, 500}, {40, 4000}}) {
    const Problem problem(data(random(rows, cols, 4), random(rows, 1, 5)));
    const AutomaticPlan one = automatic_plan(problem, automatic());
    const AutomaticPlan other = automatic_plan(shape_of(problem), automatic());
    EXPECT_EQ(to_json(one), to_json(other)) << rows << " x " << cols;
    EXPECT_EQ(other.rows_to_look_at, 0);
  }
}

TEST(automatic_plan, takes_or_rules_out_every_method_with_a_reason) {
  ProblemShape bounded = dense(100000, 50), ridge = dense(100000, 50);
  bounded.bounds = true;
  ridge.ridge = true;
  for (const ProblemShape& shape : {dense(1000000, 100), dense(5000, 4000), dense(2000000, 5000),
                                    dense(100, 100000), dense(30, 5), bounded, ridge}) {
    const AutomaticPlan plan = automatic_plan(shape, automatic());
    for (const char* method : {"direct", "normal", "sketch-hbm", "cg"})
      EXPECT_NE(takes(plan, method), !reason(plan, method).empty()) << method << " " << shape.cols;
    for (const auto& step : plan.steps) {
      EXPECT_FALSE(step.why.empty());
      EXPECT_GT(step.memory_bytes, 0.0);
    }
  }
  EXPECT_EQ(automatic_plan(bounded, automatic()).steps[0].method, "active-set");
  bounded = dense(100000, 4000);
  bounded.bounds = true;
  EXPECT_EQ(automatic_plan(bounded, automatic()).steps[0].method, "bounded-cg");
  EXPECT_NE(reason(automatic_plan(bounded, automatic()), "active-set").find("3000"),
            std::string::npos);
  bounded = dense(1000000, 1000);  // a minute exactly: conjugate gradients are tried first
  bounded.bounds = true;
  EXPECT_EQ(automatic_plan(bounded, automatic()).steps[0].method, "bounded-cg");
  EXPECT_EQ(automatic_plan(bounded, automatic()).steps[1].method, "active-set");
  EXPECT_EQ(automatic_plan(ridge, automatic()).rows_to_look_at, 0);
  EXPECT_NE(reason(automatic_plan(dense(2000000, 5000), automatic()), "direct").find("3000"),
            std::string::npos);
}

TEST(automatic_plan, rules_out_the_normal_equations_where_the_look_finds_bad_conditioning) {
  Rows A = random(60000, 64, 6);
  A.col(63) = A.col(0) + 1e-9 * A.col(63);
  const AutomaticPlan plan = automatic_plan(Problem(data(A, random(60000, 1, 7))), automatic());
  ASSERT_TRUE(plan.look.has_value());
  EXPECT_GT(plan.look->condition, 1e8);
  EXPECT_NE(reason(plan, "normal").find("does not resolve a condition of"), std::string::npos);
  A.col(63) = A.col(0);
  const AutomaticPlan dependent =
      automatic_plan(Problem(data(A, random(60000, 1, 7))), automatic());
  EXPECT_EQ(dependent.look->rank, 63);
  EXPECT_EQ(reason(dependent, "normal"), "columns depend on each other: rank 63 of 64");
  // What A sees is well conditioned, and cg from 0 never leaves it.
  EXPECT_TRUE(takes(dependent, "cg"));
  EXPECT_TRUE(takes(dependent, "direct"));
}

TEST(automatic_plan, without_b_tells_of_the_matrix_alone) {
  const Problem problem(data(random(60000, 64, 8), Rows::Zero(60000, 1)));
  EXPECT_EQ(automatic_plan(problem, automatic()).steps[0].method, "subset-direct");
  const AutomaticPlan plan = automatic_plan_without_b(problem, automatic());
  EXPECT_NE(plan.steps[0].method, "subset-direct");
  EXPECT_EQ(plan.look->rank, 64);
  EXPECT_FALSE(plan.look->relative_residual.has_value());
}

TEST(memory, of_a_method_follows_what_it_keeps) {
  SolveOptions options = automatic();
  const double squares = 8.0 * 2000.0 * 2000.0, vector = 8.0 * 1e7;
  const ProblemShape many_columns = dense(100000, 2000), many_rows = dense(10000000, 5);
  EXPECT_GE(working_bytes(many_columns, "direct", options), 3.0 * squares);
  EXPECT_GE(working_bytes(many_columns, "sketch-hbm", options), 4.0 * squares);
  EXPECT_LE(working_bytes(many_columns, "lsqr", options), squares);
  EXPECT_GE(working_bytes(many_rows, "lsqr", options), 3.0 * vector);
  EXPECT_LE(working_bytes(many_rows, "normal", options), 1.1 * vector);
  options.method = "lsqr";
  EXPECT_EQ(solve_bytes(many_columns, options), working_bytes(many_columns, "lsqr", options));
  options.statistics = true;
  EXPECT_GE(solve_bytes(many_columns, options), 2.0 * squares);
}

TEST(memory, of_many_rows_does_not_grow_with_them_unless_each_has_a_number) {
  const ProblemShape many = dense(1'000'000'000, 2), fewer = dense(8'000'000, 2);
  const double vector = 8e9;
  SolveOptions options;
  options.threads = 2;
  options.batch_size = 1000;
  for (const char* method : {"gd", "hbm", "nag", "cg", "normal"}) {
    EXPECT_LE(working_bytes(many, method, options), 0.1 * vector) << method;
    options.method = method;
    EXPECT_FALSE(with_uniform_sampling(options)) << method;
  }
  for (const char* method :
       {"sgd", "minibatch-sgd", "minibatch-hbm", "minibatch-nag", "rk", "ark"}) {
    options.method = method;
    EXPECT_GE(solve_bytes(many, options), 3.0 * vector) << method;
    const auto uniform = with_uniform_sampling(options);
    ASSERT_TRUE(uniform) << method;
    EXPECT_LE(solve_bytes(many, *uniform), 0.1 * vector) << method;
    EXPECT_FALSE(with_uniform_sampling(*uniform)) << method;
    EXPECT_GE(solve_bytes(fewer, *uniform), 6e7) << method;  // norms of few rows are kept
    ProblemShape shared = many;
    shared.ranks = 4;  // each keeps the norms of its own rows
    EXPECT_GE(solve_bytes(shared, *uniform), 0.25 * vector) << method;
  }
}

}  // namespace
}  // namespace polyak::test::plans_of_auto
