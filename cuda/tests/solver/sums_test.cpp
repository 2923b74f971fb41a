// Norms and Gram matrices on the device. Norms have the bits of the cpu; Gram matrices agree with
// plain loops in long double within the roundings of their terms.

#include "operations.hpp"
#include "spectrum/facts.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

class Sums : public Operations {};

// Only the rows are on the device, in the user's units; the norms are of the units in use.
TEST_P(Sums, norms_have_the_bits_of_the_cpu) {
  const MatrixPtr inner = stored(GetParam(), n), shown = in_variables(GetParam(), inner);
  for (const bool weighted : {false, true}) {
    ProblemData data;
    data.A = shown;
    data.b = Array({b.data(), n, rhs, rhs}, {});
    if (weighted) data.weights = weights;
    const Problem problem(data);
    const BackendProblem raw{*inner, problem.b(), problem.weights(), {}, {}, {}, team};
    const auto copied = copied_rows("cuda", raw);
    ASSERT_EQ(copied != nullptr, !GetParam().sparse);
    const MatrixFacts expected = gather_facts(problem, team),
                      found = gather_facts(problem, team, copied.get());
    EXPECT_EQ(expected.norms2, found.norms2);
    EXPECT_EQ(expected.column_norms, found.column_norms);
  }
}

// A backend that takes rows copied before has the bits of one that copies them itself.
TEST_P(Sums, rows_copied_before_are_those_copied_now) {
  const MatrixPtr inner = stored(GetParam(), n), shown = in_variables(GetParam(), inner);
  const BackendProblem raw{*inner, {b.data(), n, rhs, rhs}, weights, {}, lower, upper, team};
  const auto copied = copied_rows("cuda", raw);
  const auto again =
      make_backend("cuda", {*shown, raw.b, weights, GetParam().scale, lower, upper, team, copied});
  const Rows x = random(rhs, d, 8);
  std::vector<double> squares(to_size(rhs)), same(to_size(rhs));
  const Block g = gpu->make(Block::Kind::unknowns, rhs),
              h = again->make(Block::Kind::unknowns, rhs);
  gpu->full_gradient(unknowns(*gpu, x), g, squares, nullptr);
  again->full_gradient(unknowns(*again, x), h, same, nullptr);
  EXPECT_EQ(get(*gpu, g), get(*again, h));
  EXPECT_EQ(squares, same);
}

TEST_P(Sums, gram_matrices_are_near_plain_sums) {
  if (GetParam().sparse) {
    EXPECT_FALSE(gpu->row_sums()->gram(*A, 1.0, {}, false));
    return;
  }
  std::vector<double> own(to_size(n));
  for (Index i = 0; i < n; ++i) own[to_size(i)] = 0.5 + static_cast<double>(i % 3);
  const double scale = GetParam().scale.a;
  for (const bool with_b : {false, true})
    for (const std::vector<double>& w : {std::vector<double>(), own}) {
      const auto found = gpu->row_sums()->gram(*A, scale, w, with_b);
      ASSERT_TRUE(found);
      const Index width = d + (with_b ? rhs : 0);
      Long rows(n, width);
      for (Index i = 0; i < n; ++i) {
        const double weight = w.empty() ? weights[to_size(i)] : w[to_size(i)];
        const long double f = static_cast<long double>(scale) * sqrtl(weight);
        for (Index j = 0; j < width; ++j) rows(i, j) = f * (j < d ? dense(i, j) : b(i, j - d));
      }
      const Eigen::Map<const Rows> H(found->H.data(), width, width);
      EXPECT_EQ(H, H.transpose());
      // Each factor is rounded twice, each product and sum once. A few columns: long double is
      // slow.
      const long double bound = static_cast<long double>(found->additions + 5.0) * u;
      for (const Index j : {Index{0}, width / 2, d - 1, width - 1}) {
        const Long exact = rows.transpose() * rows.col(j),
                   size = rows.cwiseAbs().transpose() * rows.col(j).cwiseAbs();
        for (Index i = 0; i < width; ++i)
          ASSERT_LE(std::abs(H(i, j) - exact(i, 0)), bound * size(i, 0)) << i << ", " << j;
      }
      EXPECT_EQ(found->H, gpu->row_sums()->gram(*A, scale, w, with_b)->H);
    }
}

INSTANTIATE_TEST_SUITE_P(Gpu, Sums, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

// Several parts of the rows and several tiles, rows and columns that fill none of them.
TEST(GpuGram, of_many_rows_is_near_the_plain_sum) {
  for (const Index width : {33, 64, 65, 81, 101, 113, 129, 300}) {
    const Index n = 20011;
    const Rows A = random(n, width - 1, 7), b = random(n, 1, 8);
    const MatrixPtr matrix_of_A = matrix(A);
    ThreadTeam team(1);
    const auto gpu =
        make_backend("cuda", {*matrix_of_A, {b.data(), n, 1, 1}, {}, {}, {}, {}, team});
    const auto found = gpu->row_sums()->gram(*matrix_of_A, 1.0, {}, true);
    ASSERT_TRUE(found);
    Rows all(n, width);
    all << A, b;
    const Rows near = all.transpose() * all, size = all.cwiseAbs().transpose() * all.cwiseAbs();
    const Eigen::Map<const Rows> H(found->H.data(), width, width);
    const double bound = (found->additions + static_cast<double>(n) + 5.0) * u;
    EXPECT_LE(((H - near).cwiseAbs() - bound * size).maxCoeff(), 0.0) << width;
    for (int repeat = 0; repeat < 20; ++repeat)
      ASSERT_EQ(found->H, gpu->row_sums()->gram(*matrix_of_A, 1.0, {}, true)->H);
  }
}

}  // namespace
}  // namespace polyak::test
