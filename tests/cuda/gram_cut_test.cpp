// How the Gram matrix of a device is divided into tiles and parts of rows.

#include "cuda/products/gram_cut.hpp"

#include <gtest/gtest.h>

#include "polyak/types.hpp"

namespace polyak::test {
namespace {

using cuda::GramCut;

void expect_all_rows_once(Index n, Index parts, Index rows) {
  EXPECT_EQ(rows % GramCut::row_step, 0);
  EXPECT_GE(parts * rows, n);
  EXPECT_TRUE(parts == 1 || (parts - 1) * rows < n) << "an empty part";
}

TEST(CudaGramCut, HasEveryRowInOnePart) {
  for (const Index n : {1, 63, 64, 65, 511, 512, 1024, 20011, 1000000})
    for (const Index width : {1, 100, 112, 113, 128, 129, 1001, 3000})
      for (const int processors : {1, 80, 132}) {
        const GramCut cut = GramCut::of(n, width, processors);
        EXPECT_EQ(cut.tiles, (width + 127) / 128);
        expect_all_rows_once(n, cut.diagonal_parts, cut.diagonal_rows);
        if (cut.tiles > 1) expect_all_rows_once(n, cut.square_parts, cut.square_rows);
      }
}

TEST(CudaGramCut, NeedsLessThanHalfTheRoomOfA) {
  for (const Index width : {100, 200, 1001, 3000}) {
    const Index n = 1000 * width;
    EXPECT_LE(GramCut::of(n, width, 132).scratch(), n * width / 2) << width;
  }
}

TEST(CudaGramCut, FillsTheDevice) {
  const GramCut one = GramCut::of(1000000, 101, 132), many = GramCut::of(300000, 1001, 132);
  EXPECT_GT(one.diagonal_parts, 250);
  const Index blocks = many.tiles * (many.tiles - 1) / 2 * many.square_parts;
  EXPECT_GT(static_cast<double>(blocks) / static_cast<double>((blocks + 131) / 132 * 132), 0.9);
}

}  // namespace
}  // namespace polyak::test
