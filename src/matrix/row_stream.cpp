#include "polyak/row_stream.hpp"

#include <algorithm>
#include <utility>

namespace polyak {
namespace {

class MatrixPiece final : public RowPiece {
 public:
  MatrixPiece(MatrixPtr A, Array b, Index first, Index last)
      : A_(std::move(A)), b_(std::move(b)), first_(first), last_(last) {}
  Index rows() const override { return last_ - first_; }
  void copy(View A, std::span<double> b) override {
    A_->copy_rows(first_, last_, A);
    for (Index i = first_; !b_.empty() && i < last_; ++i) b[to_size(i - first_)] = b_(i);
  }

 private:
  MatrixPtr A_;
  Array b_;
  Index first_, last_;
};

class MatrixStream final : public RowStream {
 public:
  MatrixStream(MatrixPtr A, Array b) : A_(std::move(A)), b_(std::move(b)) {}
  Index cols() const override { return A_->cols(); }
  bool has_rhs() const override { return !b_.empty(); }
  std::unique_ptr<RowPiece> next(Index rows) override {
    const Index first = std::exchange(next_, std::min(A_->rows(), next_ + rows));
    if (first == next_) return nullptr;
    return std::make_unique<MatrixPiece>(A_, b_, first, next_);
  }

 private:
  MatrixPtr A_;
  Array b_;
  Index next_ = 0;
};

}  // namespace

std::unique_ptr<RowStream> row_stream(MatrixPtr A, Array b) {
  return std::make_unique<MatrixStream>(std::move(A), std::move(b));
}

}  // namespace polyak
