#include <algorithm>
#include <vector>

#include "cuda/problem.hpp"
#include "cuda/products/vectors.hpp"

namespace polyak::cuda {
namespace {

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

/// Compressed rows, and the same entries by columns, in double or float.
template <class Value>
class SparseProblem final : public CommonProblem {
 public:
  SparseProblem(int device, const device::Layout& layout)
      : CommonProblem(device, layout),
        starts_(size(layout.n + 1), "the starts of the rows of A"),
        columns_(size(layout.entries), "the columns of the entries of A"),
        values_(size(layout.entries), "the entries of A by rows"),
        shift_(size(layout.shifted ? layout.d : 0), "the centre of the rows of A"),
        scalars_(2, "sums"),
        processors_(processors(device)) {}

  const Failure* write_row_starts(const Index* starts) override {
    return call([&] {
      starts_on_host_.assign(starts, starts + layout_.n + 1);
      starts_.write(starts_on_host_);
    });
  }
  const Failure* write_entries(Index first, Index count, const std::int32_t* columns,
                               const void* values) override {
    return call([&] {
      put(columns_.data() + first, columns, size(count) * sizeof(std::int32_t));
      put(values_.data() + first, values, size(count) * sizeof(Value));
      copy_started(columns);
      if (first + count == layout_.entries) make_orders();
    });
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
  static void put(void* to, const void* from, std::size_t bytes) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice), "copy of A to the device");
  }

  void make_orders() {
    const CompressedRows<Value> rows{layout_.n,      layout_.stored_columns, layout_.entries,
                                     starts_.data(), columns_.data(),        values_.data()};
    by_columns_ = ByColumns<Value>(rows, starts_on_host_, staying_blocks(processors_));
    if (has_room_for_slices()) cut_into_slices();
    starts_on_host_ = {};
  }

  // By the memory of the device and not by what is free of it, so that the bits are the same.
  bool has_room_for_slices() const {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return 0.6 * static_cast<double>(total) >
           3.1 * static_cast<double>(layout_.entries) * (sizeof(Value) + sizeof(std::int32_t));
  }

  void cut_into_slices() {
    constexpr Index window = 8192;  // rows that are ordered by length
    std::vector<Index> windows;
    for (Index i = 0; i < layout_.n; i += window) windows.push_back(i);
    windows.push_back(layout_.n);
    by_rows_ = SliceSet<Value>({layout_.n, starts_.data(), 0},
                               {columns_.data(), values_.data(), nullptr, 0}, windows);
    std::vector<Index> rows;
    for (Index i = 0; i < layout_.n; ++i)
      if (starts_on_host_[size(i + 1)] - starts_on_host_[size(i)] > longest_list) rows.push_back(i);
    listed_rows_ = Buffer<Index>(rows, "long rows of A");
    listed_ = std::ssize(rows);
  }

  static Processors processors(int device) {
    int count = 0, bytes = 0;
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
          "number of multiprocessors");
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
          "size of the shared memory");
    return {count, size(bytes)};
  }

  SparseStorage<Value> storage() const {
    const Slices<Value> slices = by_rows_.view();
    return {layout_.n,
            layout_.d,
            layout_.stored_columns,
            layout_.entries,
            starts_.data(),
            columns_.data(),
            values_.data(),
            slices,
            slices.count > 0 ? listed_ : layout_.n,
            slices.count > 0 ? listed_rows_.data() : nullptr,
            &by_columns_,
            layout_.shifted ? shift_.data() : nullptr,
            processors_};
  }

  // A list may have more places than there are rows.
  SparseRoom make_room(Index places) {
    const Index longest = std::max({layout_.n, layout_.d, places});
    const Index parts = std::max(sparse_scratch(storage()), parts_of(longest));
    return {room(of_rows_, longest, "numbers of rows"),
            room(of_all_rows_, layout_.n, "numbers of rows"), room(parts_, parts, "partial sums"),
            scalars_.data()};
  }

  std::vector<Index> starts_on_host_;  // until the entries are there
  Buffer<Index> starts_;
  Buffer<std::int32_t> columns_;
  Buffer<Value> values_;
  SliceSet<Value> by_rows_;
  Buffer<Index> listed_rows_;  // too long for slices
  Index listed_ = 0;
  ByColumns<Value> by_columns_;
  Buffer<double> shift_, scalars_, of_rows_, of_all_rows_;
  Processors processors_;
};

}  // namespace

std::unique_ptr<CommonProblem> make_sparse(int device, const device::Layout& layout) {
  if (layout.single) return std::make_unique<SparseProblem<float>>(device, layout);
  return std::make_unique<SparseProblem<double>>(device, layout);
}

}  // namespace polyak::cuda
