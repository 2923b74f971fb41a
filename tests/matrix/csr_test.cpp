#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "polyak/error.hpp"
#include "storages.hpp"

namespace polyak::test {
namespace {

using Small = Csr<double, std::int32_t>;

// [ 1 . 2 ]
// [ . . . ]
// [ . 3 . ]
Small valid() {
  return {.row_start = {0, 2, 2, 3}, .columns = {0, 2, 1}, .values = {1.0, 2.0, 3.0}, .cols = 3};
}

std::string refusal(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_data);
    return e.what();
  }
  return "";
}

void expect_refused(const Small& csr, const std::string& what, const std::string& row) {
  const std::string owned = refusal([&] { csr_matrix(csr); });
  const std::string viewed = refusal(
      [&] { csr_view<double, std::int32_t>(csr.row_start, csr.columns, csr.values, csr.cols); });
  for (const std::string& line : {owned, viewed}) {
    EXPECT_NE(line.find(what), std::string::npos) << line;
    EXPECT_NE(line.find("row " + row), std::string::npos) << line;
  }
}

TEST(Csr, HoldsWhatItWasGiven) {
  const auto A = csr_matrix(valid());
  Matrix out(3, 3);
  A->copy_rows(0, 3, view(out));
  EXPECT_EQ(out, (Matrix(3, 3) << 1, 0, 2, 0, 0, 0, 0, 3, 0).finished());
  EXPECT_EQ(A->nonzeros(), 3);
  EXPECT_EQ(A->kind(), "csr, double, 32-bit columns");
}

TEST(Csr, MayBeEmptyInEveryWay) {
  EXPECT_EQ(csr_matrix(Small{.row_start = {0}, .columns = {}, .values = {}, .cols = 0})->rows(), 0);
  EXPECT_EQ(csr_matrix(Small{.row_start = {0}, .columns = {}, .values = {}, .cols = 4})->cols(), 4);
  EXPECT_EQ(
      csr_matrix(Small{.row_start = {0, 0, 0}, .columns = {}, .values = {}, .cols = 0})->rows(), 2);
}

TEST(Csr, RefusesRowStartsThatDoNotFit) {
  const std::string what = "the row starts do not fit the entries";
  Small csr = valid();
  csr.row_start = {};
  expect_refused(csr, what, "0");
  csr.row_start = {1, 2, 2, 3};
  expect_refused(csr, what, "0");
  csr.row_start = {0, 2, 2, 4};
  expect_refused(csr, what, "0");
  csr.row_start = {0, 2, 2, 2};
  expect_refused(csr, what, "0");
}

TEST(Csr, RefusesRowStartsThatDoNotAscend) {
  Small csr = valid();
  for (const std::vector<Index>& starts :
       {std::vector<Index>{0, 2, 99, 3}, {0, 2, -1, 3}, {0, 2, 1, 3}}) {
    csr.row_start = starts;
    expect_refused(csr, "the row starts do not ascend", "1");
  }
}

TEST(Csr, RefusesColumnsOutsideTheMatrixThatDoNotAscendOrRepeat) {
  Small csr = valid();
  csr.columns = {0, 3, 1};
  expect_refused(csr, "a column lies outside the matrix", "0");
  csr.columns = {-1, 2, 1};
  expect_refused(csr, "a column lies outside the matrix", "0");
  csr.columns = {0, 2, 7};
  expect_refused(csr, "a column lies outside the matrix", "2");
  csr.columns = {2, 0, 1};
  expect_refused(csr, "columns do not ascend", "0");
  csr.columns = {2, 2, 1};
  expect_refused(csr, "columns do not ascend", "0");
}

TEST(Csr, RefusesAnotherNumberOfColumnsThanValues) {
  Small csr = valid();
  csr.columns.push_back(2);
  expect_refused(csr, "the row starts do not fit the entries", "0");
  csr = valid();
  csr.values.push_back(2.0);
  expect_refused(csr, "the row starts do not fit the entries", "0");
  csr = valid();
  csr.cols = -1;
  expect_refused(csr, "the row starts do not fit the entries", "0");
}

// Whatever the numbers are: an error, or a matrix that can be read.
RC_GTEST_PROP(Csr, IsRefusedOrReadableWhateverItsStructure, ()) {
  const auto small = rc::gen::inRange<Index>(-1, 5);
  Csr<double, Index> csr;
  csr.row_start = *rc::gen::container<std::vector<Index>>(small);
  csr.columns = *rc::gen::container<std::vector<Index>>(small);
  csr.values.assign(csr.columns.size(), 1.0);
  csr.cols = *small;
  MatrixPtr A;
  try {
    A = csr_matrix(csr);
  } catch (const Error& e) {
    RC_ASSERT(e.code() == ErrorCode::bad_data);
    return;
  }
  std::vector<double> out(to_size(A->rows() * A->cols()));
  A->copy_rows(0, A->rows(), {out.data(), A->rows(), A->cols(), A->cols()});
  RC_ASSERT(std::count(out.begin(), out.end(), 1.0) == A->nonzeros());
}

TEST(Csr, KeepsTheOwnerOfAViewAliveAsLongAsItself) {
  auto owner = std::make_shared<const Small>(valid());
  const std::weak_ptr<const Small> watch = owner;
  auto A = csr_view<double, std::int32_t>(owner->row_start, owner->columns, owner->values,
                                          owner->cols, owner);
  owner.reset();
  EXPECT_FALSE(watch.expired());
  A.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Dense, KeepsTheOwnerOfAViewAliveAsLongAsItself) {
  auto owner = std::make_shared<const std::vector<double>>(6, 1.0);
  const std::weak_ptr<const void> watch = owner;
  auto A = dense_view(MatrixView<const double>{owner->data(), 2, 3, 3}, owner);
  owner.reset();
  EXPECT_FALSE(watch.expired());
  A.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Dense, RefusesASizeItDoesNotHave) {
  const std::vector<double> six(6, 1.0);
  EXPECT_NO_THROW(dense_matrix(six, 2, 3));
  constexpr Index huge = Index{1} << 62;
  const std::pair<Index, Index> wrong[] = {{2, 2},    {3, 3},    {-2, -3},     {7, 1}, {6, 0},
                                           {huge, 4}, {4, huge}, {huge, huge}, {0, 6}};
  for (const auto& size : wrong)
    EXPECT_NE(refusal([&] { dense_matrix(six, size.first, size.second); }), "")
        << size.first << " x " << size.second;
}

TEST(Dense, RefusesAViewThatNoMemoryCanHold) {
  const std::vector<double> six(6, 1.0);
  constexpr Index huge = Index{1} << 40;
  const MatrixView<const double> wrong[] = {{six.data(), -1, 3, 3},
                                            {six.data(), 2, -3, 3},
                                            {six.data(), 2, 3, 2},
                                            {six.data(), 2, 3, -3},
                                            {six.data(), huge, huge, huge},
                                            {six.data(), huge, 1, huge},
                                            {nullptr, 2, 3, 3},
                                            {six.data(), Index{1} << 61, 1, 1}};
  for (const auto& v : wrong)
    EXPECT_NE(refusal([&] { dense_view(v); }), "") << v.rows << " x " << v.cols;
}

TEST(Dense, MayBeEmptyInEveryWay) {
  EXPECT_EQ(dense_matrix(std::vector<double>{}, 0, 0)->rows(), 0);
  EXPECT_EQ(dense_matrix(std::vector<double>{}, 0, 9)->cols(), 9);
  EXPECT_EQ(dense_matrix(std::vector<float>{}, 9, 0)->rows(), 9);
  EXPECT_EQ(dense_view(MatrixView<const double>{nullptr, 3, 0, 0})->nonzeros(), 0);
}

}  // namespace
}  // namespace polyak::test
