#include <algorithm>
#include <vector>

#include "cuda/problem.hpp"
#include "cuda/products/vectors.hpp"

namespace polyak::cuda {
using namespace polyak::internal;

namespace {

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

/// Compressed rows, and the same entries by columns, in double or float.
template <class Value>
class SparseProblem final : public CommonProblem {
 public:
  SparseProblem(int device, const device::Layout& layout)
      : CommonProblem(device, layout),
        starts_(size(layout.n + 1), "the starts of the rows of A"),
        column_starts_(size(layout.stored_columns + 1), "the starts of the columns of A"),
        piece_starts_(size(layout.stored_columns + 1), "pieces of the columns of A"),
        columns_(size(layout.entries), "the columns of the entries of A"),
        rows_(size(layout.entries), "the rows of the entries of A"),
        values_(size(layout.entries), "the entries of A by rows"),
        transposed_(size(layout.entries), "the entries of A by columns"),
        shift_(size(layout.shifted ? layout.d : 0), "the centre of the rows of A"),
        scalars_(2, "sums") {}

  const Failure* write_row_starts(const Index* starts) override {
    return call([&] { starts_.write({starts, starts_.size()}); });
  }
  // Columns are cut into pieces here, each for one warp.
  const Failure* write_column_starts(const Index* starts) override {
    return call([&] {
      column_starts_.write({starts, column_starts_.size()});
      std::vector<Index> first{0};
      std::vector<std::int32_t> column_of;
      for (Index j = 0; j < layout_.stored_columns; ++j) {
        const Index pieces = (starts[j + 1] - starts[j] + piece_entries - 1) / piece_entries;
        column_of.insert(column_of.end(), size(pieces), static_cast<std::int32_t>(j));
        first.push_back(first.back() + pieces);
      }
      piece_starts_.write(first);
      piece_column_ = Buffer<std::int32_t>(column_of, "pieces of the columns of A");
    });
  }
  const Failure* write_entries(Index first, Index count, const std::int32_t* columns,
                               const void* values) override {
    return call([&] { put(first, count, columns, values, columns_, values_); });
  }
  const Failure* write_transposed(Index first, Index count, const std::int32_t* rows,
                                  const void* values) override {
    return call([&] { put(first, count, rows, values, rows_, transposed_); });
  }
  const Failure* write_shift(const double* shift) override {
    return call([&] { shift_.write({shift, shift_.size()}); });
  }

 protected:
  void sum_gradient(const Terms& terms, double* g, double* residual2) override {
    cuda::gradient(storage(), terms, make_room(terms.count), g, residual2);
  }
  void compute_product(const double* x, double* y) override {
    cuda::multiply(storage(), x, layout_.weighted ? weights_.data() : nullptr, layout_.scale_a,
                   make_room(0), y);
  }
  void sum_rows(const double* y, double* g) override {
    cuda::add_rows(storage(), y, make_room(0), g);
  }
  void take_steps(const RowSteps& run) override { cuda::row_steps(storage(), run); }

 private:
  static void put(Index first, Index count, const std::int32_t* numbers, const void* values,
                  Buffer<std::int32_t>& to_numbers, Buffer<Value>& to_values) {
    check(cudaMemcpy(to_numbers.data() + first, numbers, size(count) * sizeof(std::int32_t),
                     cudaMemcpyHostToDevice),
          "copy of A to the device");
    check(cudaMemcpy(to_values.data() + first, values, size(count) * sizeof(Value),
                     cudaMemcpyHostToDevice),
          "copy of A to the device");
  }

  SparseStorage<Value> storage() const {
    return {layout_.n,
            layout_.d,
            layout_.stored_columns,
            layout_.entries,
            starts_.data(),
            columns_.data(),
            values_.data(),
            column_starts_.data(),
            rows_.data(),
            transposed_.data(),
            piece_starts_.data(),
            piece_column_.data(),
            static_cast<Index>(piece_column_.size()),
            layout_.shifted ? shift_.data() : nullptr};
  }

  // A list may have more places than there are rows.
  SparseRoom make_room(Index places) {
    const Index longest = std::max({layout_.n, layout_.d, places});
    const Index parts = std::max(sparse_scratch(storage()), parts_of(longest));
    return {room(of_rows_, longest, "numbers of rows"),
            room(of_squares_, longest, "squares of rows"), room(parts_, parts, "partial sums"),
            scalars_.data()};
  }

  Buffer<Index> starts_, column_starts_, piece_starts_;
  Buffer<std::int32_t> columns_, rows_, piece_column_;
  Buffer<Value> values_, transposed_;
  Buffer<double> shift_, scalars_, of_rows_, of_squares_;
};

}  // namespace

std::unique_ptr<CommonProblem> make_sparse(int device, const device::Layout& layout) {
  if (layout.single) return std::make_unique<SparseProblem<float>>(device, layout);
  return std::make_unique<SparseProblem<double>>(device, layout);
}

}  // namespace polyak::cuda
