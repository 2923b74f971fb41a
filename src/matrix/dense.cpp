#include <limits>
#include <string>
#include <utility>

#include "matrix/storage.hpp"
#include "matrix/typed_matrix.hpp"
#include "polyak/error.hpp"
#include "polyak/matrices.hpp"

namespace polyak {
namespace {

template <class Value>
MatrixPtr view_matrix(MatrixView<const Value> view, std::shared_ptr<const void> keep_alive,
                      ReadBytes read = {}) {
  const std::string shape = std::to_string(view.rows) + " x " + std::to_string(view.cols) +
                            ", stride " + std::to_string(view.stride);
  if (view.rows < 0 || view.cols < 0 || view.stride < view.cols) {
    throw Error(ErrorCode::bad_data,
                {.what = "a dense matrix needs sizes of at least 0 and a stride of at least its "
                         "columns",
                 .found = shape});
  }
  constexpr Index most = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(Value));
  if (view.rows > 0 && view.stride > most / view.rows) {
    throw Error(ErrorCode::bad_data,
                {.what = "a dense matrix is larger than any memory", .found = shape});
  }
  if (view.data == nullptr && view.size() > 0) {
    throw Error(ErrorCode::bad_data,
                {.what = "a dense matrix has no data", .found = "nothing", .expected = shape});
  }
  return std::make_shared<TypedMatrix<DenseRows<Value>>>(
      DenseRows<Value>{view, std::move(keep_alive), std::move(read)});
}

template <class Value>
MatrixPtr own_matrix(std::vector<Value> values, Index rows, Index cols) {
  if (rows < 0 || cols < 0 || (cols > 0 && ssize(values) / cols != rows) ||
      ssize(values) != rows * cols) {
    throw Error(ErrorCode::bad_data,
                {.what = "a dense matrix does not have the size it claims",
                 .found = std::to_string(values.size()) + " values",
                 .expected = std::to_string(rows) + " x " + std::to_string(cols)});
  }
  auto owner = std::make_shared<const std::vector<Value>>(std::move(values));
  return view_matrix(MatrixView<const Value>{owner->data(), rows, cols, cols}, owner);
}

}  // namespace

MatrixPtr dense_matrix(std::vector<double> values, Index rows, Index cols) {
  return own_matrix(std::move(values), rows, cols);
}
MatrixPtr dense_matrix(std::vector<float> values, Index rows, Index cols) {
  return own_matrix(std::move(values), rows, cols);
}
MatrixPtr dense_view(MatrixView<const double> view, std::shared_ptr<const void> keep_alive) {
  return view_matrix(view, std::move(keep_alive));
}
MatrixPtr dense_view(MatrixView<const double> view, std::shared_ptr<const void> keep_alive,
                     ReadBytes read) {
  return view_matrix(view, std::move(keep_alive), std::move(read));
}
MatrixPtr dense_view(MatrixView<const float> view, std::shared_ptr<const void> keep_alive) {
  return view_matrix(view, std::move(keep_alive));
}

}  // namespace polyak
