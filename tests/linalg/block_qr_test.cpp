#include "linalg/block_qr.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/thread_team.hpp"
#include "eigen_views.hpp"

namespace polyak::test {
namespace {

// Rows [first, last) of A, as they are added.
struct Cut {
  const Matrix& A;
  Index block_rows;

  Index blocks() const { return (A.rows() + block_rows - 1) / block_rows; }
  ConstView block(Index number) const {
    const Index first = number * block_rows, last = std::min<Index>(A.rows(), first + block_rows);
    return {A.data() + first * A.cols(), last - first, A.cols(), A.cols()};
  }
};

// Threads take the next block, as those of a stream do; some of them are slow.
BlockQr::Result factor(const Matrix& A, int threads, Index block_rows = 0) {
  BlockQr qr(A.cols(), 2);
  const Cut cut{A, block_rows > 0 ? block_rows : qr.shape().rows};
  std::atomic<Index> next = 0;
  ThreadTeam team(threads);
  team.run(team.size(), [&](Index worker) {
    for (Index k = next++; k < cut.blocks(); k = next++) {
      if ((k + worker) % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
      const double sums[] = {1.0, 1.0 / static_cast<double>(k + 3)};
      qr.add(k, cut.block(k), sums);
    }
  });
  return qr.finish();
}

// The largest |(RᵀR − AᵀA)_jk|/(‖a_j‖‖a_k‖), in long doubles.
double distance(const Matrix& A, const Buffer& r) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Long exact = A.cast<long double>().transpose() * A.cast<long double>();
  const Matrix R = matrix(r.view());
  const Long found = R.cast<long double>().transpose() * R.cast<long double>();
  double largest = 0.0;
  for (Index j = 0; j < A.cols(); ++j)
    for (Index k = 0; k < A.cols(); ++k) {
      const long double size = std::sqrt(exact(j, j) * exact(k, k));
      if (size > 0.0L)
        largest =
            std::max(largest, static_cast<double>(std::abs(found(j, k) - exact(j, k)) / size));
    }
  return largest;
}

bool same_bits(const BlockQr::Result& a, const BlockQr::Result& b) {
  return std::equal(a.r.data(), a.r.data() + a.r.rows() * a.r.cols(), b.r.data()) &&
         a.sums == b.sums && a.rounding == b.rounding;
}

TEST(BlockQr, FactorsRowsOfAnyNumberWithinItsBound) {
  for (const Index rows : {1, 7, 700, 9000, 70000}) {
    const Matrix A = normal(rows, 9, 3);
    const BlockQr::Result found = factor(A, 1);
    EXPECT_LE(distance(A, found.r), 2.0 * found.rounding + 1e-18) << rows;
    EXPECT_LT(found.rounding, 1e-10) << rows;
    EXPECT_EQ(found.sums[0], static_cast<double>(Cut{A, BlockShape::of(9).rows}.blocks()));
  }
}

// Groups of 16 lanes with several blocks each are merged several times here.
TEST(BlockQr, ManyGroupsOfColumnsOfVeryDifferentSize) {
  Matrix A = normal(200000, 24, 5);
  for (Index j = 0; j < A.cols(); ++j) A.col(j) *= std::ldexp(1.0, static_cast<int>(20 * j - 240));
  A.col(7) = A.col(3) + 1e-9 * A.col(7);
  const BlockQr::Result found = factor(A, 2);
  EXPECT_LE(distance(A, found.r), 2.0 * found.rounding);
  EXPECT_LT(distance(A, found.r), 1e-13);  // the bound is for the worst case
}

TEST(BlockQr, TheBitsDoNotDependOnThreads) {
  const Matrix A = normal(60000, 33, 2);
  const BlockQr::Result one = factor(A, 1);
  for (const int threads : {2, 3, 8})
    for (int repeat = 0; repeat < 3; ++repeat)
      EXPECT_TRUE(same_bits(one, factor(A, threads))) << threads << " threads";
}

// Where rows were dropped.
TEST(BlockQr, BlocksMayHaveFewerRowsOrNone) {
  const Matrix A = normal(3000, 5, 4);
  const BlockQr::Result found = factor(A, 3, 37);
  EXPECT_LE(distance(A, found.r), 2.0 * found.rounding);
  BlockQr qr(5, 0);
  qr.add(0, ConstView{nullptr, 0, 5, 5}, {});
  qr.add(1, {A.data(), 40, 5, 5}, {});
  EXPECT_LT(distance(A.topRows(40), qr.finish().r), 1e-14);
  EXPECT_EQ(BlockQr(5, 1).finish().r.view()(2, 2), 0.0);
}

TEST(BlockQr, ZeroColumnsStayZero) {
  Matrix A = normal(5000, 6, 8);
  A.col(2).setZero();
  const BlockQr::Result found = factor(A, 2);
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(found.r.view()(i, 2), 0.0) << i;
}

// The block before this one never comes.
TEST(BlockQr, AbandonedBlocksDoNotWait) {
  const Matrix A = normal(512, 200, 1);
  BlockQr qr(200, 0);
  ASSERT_GT(qr.shape().lane_blocks, 1);
  std::atomic<bool> ended = false;
  std::thread waiting([&] {
    qr.add(qr.shape().lanes, {A.data(), 512, 200, 200}, {});
    ended = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(ended);
  qr.abandon();
  waiting.join();
  EXPECT_TRUE(ended);
}

TEST(BlockQr, MemoryGrowsWithTheLogarithmOfTheRows) {
  const double small = BlockQr::bytes(100, 1e6, 2), large = BlockQr::bytes(100, 1e12, 2);
  EXPECT_LT(large, 2.5 * small);
  EXPECT_LT(BlockQr::bytes(100, 1e12, 2), 4e7);
  for (const Index cols : {1, 3, 30, 300, 3000, 30000}) {
    const BlockShape shape = BlockShape::of(cols);
    EXPECT_EQ(shape.rows % 512, 0) << cols;
    EXPECT_GE(shape.rows * shape.lane_blocks, 8 * cols) << cols;
    EXPECT_GE(shape.lanes, 1) << cols;
  }
}

}  // namespace
}  // namespace polyak::test
