#include "polyak/ranks.hpp"
#include "storages.hpp"

namespace polyak::test {
using namespace polyak::internal;

namespace {

TEST(listed_rows, are_those_of_the_list_stored_as_before) {
  const Matrix A = sparse_normal(20, 7, 3);
  const Index list[] = {0, 4, 4, 9, 10, 19};
  for (const Stored& stored : storages(A)) {
    const MatrixPtr part = listed_rows(*stored.A, list);
    ASSERT_NE(part, nullptr) << stored.name;
    EXPECT_EQ(part->kind(), stored.A->kind());
    ASSERT_EQ(part->rows(), 6);
    Matrix copy(6, 7);
    part->copy_rows(0, 6, {copy.data(), 6, 7, 7});
    for (Index t = 0; t < 6; ++t) EXPECT_EQ(copy.row(t), A.row(list[t])) << stored.name;
    EXPECT_EQ(listed_rows(*stored.A, {})->rows(), 0) << stored.name;
  }
}

TEST(listed_rows, of_a_distributed_matrix_are_not_copied) {
  const MatrixPtr own = dense_matrix(std::vector<double>(6, 1.0), 3, 2);
  const Index list[] = {1};
  EXPECT_EQ(listed_rows(*rank_rows(own, 0, 3, {own, &Communicator::single()}), list), nullptr);
}

}  // namespace
}  // namespace polyak::test
