#include "io/disk/disk_matrix.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <utility>

#include "core/file_pages.hpp"
#include "core/large_arrays.hpp"
#include "io/disk/disk_rates.hpp"
#include "io/disk/row_cache.hpp"
#include "io/disk/row_streams.hpp"
#include "kernels/dense.hpp"
#include "matrix/disk_rows.hpp"
#include "matrix/row_lists.hpp"

namespace polyak::io {
namespace {

// A file of rows, and the buffers that all matrices of it share. The threads that read belong to
// the process that opened it: a forked process has none of them, and finds locks as they were by
// chance.
class RowStore {
 public:
  RowStore(const std::string& path, const RowLayout& layout, const DiskOptions& options)
      : file_(path),
        queue_(make_read_queue(file_, options.reader)),
        cache_(file_, layout, *queue_, 0.75 * options.buffer_bytes / 1.25),
        streams_(file_, layout, *queue_, 0.25 * options.buffer_bytes, threads(options)),
        rates_(rates(layout, options)) {}

  // Reads that have not begun are dropped.
  ~RowStore() { queue_.reset(); }
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  /// In a forked process it stays in memory: its end would wait for threads that are not there.
  static std::shared_ptr<RowStore> open(const std::string& path, const RowLayout& layout,
                                        const DiskOptions& options) {
    return {new RowStore(path, layout, options), [](RowStore* store) {
              if (store->is_of_this_process()) delete store;
            }};
  }

  const DiskFile& file() const { return file_; }
  RowCache& cache() { return check_process(), cache_; }
  RowStreams& streams() { return check_process(), streams_; }

  DiskUse use() const {
    const ReadCounts counts = queue_->counts();
    return {.reader = queue_->name(),
            .direct_io = file_.direct(),
            .depth = queue_->depth(),
            .buffer_bytes = cache_.bytes() + streams_.bytes(),
            .reads = counts.reads,
            .bytes = counts.bytes,
            .sweeps = streams_.sweeps(),
            .rates = rates_};
  }

 private:
  static Index threads(const DiskOptions& options) {
    if (options.threads > 0) return options.threads;
    return std::max<Index>(1, static_cast<Index>(std::thread::hardware_concurrency()));
  }

  // Both are given, or those that are not given are measured, where that is possible.
  std::optional<DiskRates> rates(const RowLayout& layout, const DiskOptions& options) {
    std::optional<DiskRates> out;
    if (options.sweep_bytes && options.single_rows)
      out.emplace();
    else if (options.measure_rates)
      out = measured_rates(file_, layout, *queue_);
    if (out && options.sweep_bytes) out->sweep_bytes = *options.sweep_bytes;
    if (out && options.single_rows) out->single_rows = *options.single_rows;
    return out;
  }

  bool is_of_this_process() const { return ::getpid() == process_; }
  void check_process() const {
    if (!is_of_this_process())
      throw Error(ErrorCode::io, {.what = "rows on the disk cannot be read by a forked process",
                                  .where = file_.name(),
                                  .hint = "open the file after the fork"});
  }

  const pid_t process_ = ::getpid();
  DiskFile file_;
  std::unique_ptr<ReadQueue> queue_;
  RowCache cache_;
  RowStreams streams_;
  std::optional<DiskRates> rates_;
};

// Blocks of rows are passed to the kernels of a matrix in memory, in the same order: each of them
// adds one row after the other, so that the bits do not depend on how rows are divided into blocks.
template <class Value>
class DiskMatrix final : public DiskRows {
 public:
  DiskMatrix(std::shared_ptr<RowStore> store, Index first, Index rows, Index cols)
      : store_(std::move(store)),
        first_(first),
        rows_(rows),
        cols_(cols),
        block_(std::clamp<Index>(block_numbers / std::max<Index>(1, cols), 1, max_rows)) {}

  Index rows() const override { return rows_; }
  Index cols() const override { return cols_; }
  Index nonzeros() const override { return rows_ * cols_; }
  // As in memory: a saved run may continue with A there.
  std::string kind() const override {
    return std::string("dense, ") + (sizeof(Value) == 8 ? "double" : "single");
  }
  double bytes() const override { return static_cast<double>(rows_ * cols_) * sizeof(Value); }
  DiskUse use() const override { return store_->use(); }

  MatrixPtr part(RowRange range) const override {
    return std::make_shared<DiskMatrix>(store_, first_ + range.first, range.last - range.first,
                                        cols_);
  }

  MatrixPtr copy_of(std::span<const Index> rows) const override {
    std::vector<Value> values = large_vector<Value>(rows.size() * to_size(cols_));
    in_list(rows, [&](Index t, Index count, const Block& block) {
      std::copy_n(block.data, count * cols_, values.data() + t * cols_);
    });
    return dense_matrix(std::move(values), std::ssize(rows), cols_);
  }

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    in_list(rows, [&](Index t, Index count, const Block& block) {
      count_file_places(b.data, count);
      const View rhs = gather_rows(b, rows.subspan(to_size(t), to_size(count)));
      kernels::gradient(block, {count, nullptr, weights.data() + t}, scale.a, scale.b, x, rhs, g,
                        nullptr);
    });
  }

  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    PagesBehind rhs(b.data, to_size(b.stride) * sizeof(double), first),
        own(weights.data(), sizeof(double), 0);
    in_range(first, last, [&](Index i, Index count, const Block& block) {
      const double* w = weights.empty() ? nullptr : weights.data() + (i - first);
      kernels::gradient(block, {count, nullptr, w}, scale.a, scale.b, x,
                        ConstView{b.row(i), count, b.cols, b.stride}, g, residual2.data());
      rhs.used_up_to(i + count);
      own.used_up_to(i + count - first);
    });
  }

  void multiply(Index first, Index last, ConstView x, View y) const override {
    in_range(first, last, [&](Index i, Index count, const Block& block) {
      kernels::multiply(block, x, View{y.row(i - first), count, y.cols, y.stride});
    });
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    in_range(first, last, [&](Index i, Index count, const Block& block) {
      kernels::add_transposed(block, ConstView{y.row(i - first), count, y.cols, y.stride}, g);
    });
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    in_list(rows, [&](Index t, Index count, const Block& block) {
      count_file_places(b.data, count);
      const View rhs = gather_rows(b, rows.subspan(to_size(t), to_size(count)));
      kernels::kaczmarz(block, {count, nullptr, steps.data() + t}, scale, rhs, x);
    });
  }

  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    in_range(first, last, [&](Index i, Index count, const Block& block) {
      kernels::norms(block, count, scale, row_norms2.data() + (i - first),
                     column_norms2.empty() ? nullptr : column_norms2.data());
    });
  }

  void column_norms(Index first, Index last, std::span<const double> weights, double scale,
                    std::span<double> norms2) const override {
    in_range(first, last, [&](Index i, Index count, const Block& block) {
      for (Index r = 0; r < count; ++r) {
        const double w = weights.empty() ? 1.0 : weights[to_size(i - first + r)];
        if (w > 0.0) row(block, r).add_squares(scale * std::sqrt(w), norms2.data());
      }
    });
  }

  double max_abs(Index first, Index last) const override {
    double largest = 0.0;
    in_range(first, last, [&](Index, Index count, const Block& block) {
      const double m = kernels::max_abs(block.data, count * cols_);
      if (!(m <= largest) && !std::isnan(largest)) largest = m;  // NaN remains
    });
    return largest;
  }

  void copy_rows(Index first, Index last, View out) const override {
    in_range(first, last, [&](Index i, Index count, const Block& block) {
      for (Index r = 0; r < count; ++r) row(block, r).copy(out.row(i - first + r));
    });
  }

  Index rows_ahead() const override { return cols_ == 0 ? 0 : store_->cache().rows_ahead(); }
  void expect_rows(std::span<const Index> rows) const override {
    if (cols_ == 0) return;
    if (first_ == 0) return store_->cache().expect(rows);
    std::vector<Index> of_file(rows.begin(), rows.end());
    for (Index& i : of_file) i += first_;
    store_->cache().expect(of_file);
  }
  void expect_range(Index first, Index last) const override {
    if (cols_ > 0 && last - first > max_single_rows)
      store_->streams().expect(first_ + first, first_ + last);
  }

 private:
  using Block = kernels::DenseBlock<Value>;

  static constexpr Index block_numbers = 4096, max_rows = 16, max_single_rows = 4;

  kernels::DenseRow<Value> row(const Block& block, Index r) const {
    return {block.data + r * block.stride, cols_};
  }
  Block block_at(const char* rows) const {
    return {static_cast<const Value*>(static_cast<const void*>(rows)), cols_, cols_};
  }

  // A buffer of this thread for `count` rows.
  Value* buffer(Index count) const {
    thread_local std::vector<Value> numbers;
    numbers.resize(std::max(numbers.size(), to_size(count * cols_)));
    return numbers.data();
  }

  void load(std::span<const Index> rows, Value* to) const {
    std::array<Index, to_size(max_rows)> of_file;
    for (std::size_t k = 0; k < rows.size(); ++k) of_file[k] = first_ + rows[k];
    store_->cache().copy({of_file.data(), rows.size()}, static_cast<char*>(static_cast<void*>(to)));
  }

  // body(t, count, block) for blocks of the listed rows.
  template <class Body>
  void in_list(std::span<const Index> rows, Body body) const {
    Value* const to = buffer(block_);
    AnnouncedRows announced(*this, rows);
    for (Index t = 0; t < std::ssize(rows); t += block_) {
      const Index count = std::min(block_, std::ssize(rows) - t);
      announced.used(t);
      if (cols_ > 0) load(rows.subspan(to_size(t), to_size(count)), to);
      body(t, count, Block{to, cols_, cols_});
    }
  }

  // body(i, count, block) for blocks of the rows [first, last). A few rows that nobody announced
  // are single rows.
  template <class Body>
  void in_range(Index first, Index last, Body body) const {
    if (first >= last) return;
    if (cols_ == 0) return body(first, last - first, Block{buffer(1), 0, 0});
    if (last - first <= max_single_rows && !store_->streams().has(first_ + first)) {
      std::array<Index, to_size(max_single_rows)> rows;
      for (Index i = first; i < last; ++i) rows[to_size(i - first)] = i;
      Value* const to = buffer(last - first);
      load({rows.data(), to_size(last - first)}, to);
      return body(first, last - first, Block{to, cols_, cols_});
    }
    store_->streams().read(
        first_ + first, first_ + last,
        [&](Index i, Index count, const char* rows) { body(i - first_, count, block_at(rows)); });
  }

  std::shared_ptr<RowStore> store_;
  Index first_, rows_, cols_, block_;
};

template <class Value>
MatrixPtr typed_matrix(const DiskValues& values, const DiskOptions& options) {
  const RowLayout layout{values.offset,
                         std::max<Index>(1, values.cols * static_cast<Index>(sizeof(Value))),
                         values.rows};
  auto store = RowStore::open(values.path, layout, options);
  if (values.file && *values.file != store->file().identity())
    throw Error(ErrorCode::io, {.what = "the input was replaced while it was opened",
                                .where = values.path,
                                .hint = "run again, without changes to the file during the run"});
  return std::make_shared<DiskMatrix<Value>>(std::move(store), 0, values.rows, values.cols);
}

}  // namespace

Reader reader_named(const std::string& name) {
  if (name == "io_uring") return Reader::io_uring;
  return name == "threads" ? Reader::threads : Reader::automatic;
}

MatrixPtr disk_matrix(const DiskValues& values, const DiskOptions& options) {
  return values.single ? typed_matrix<float>(values, options)
                       : typed_matrix<double>(values, options);
}

}  // namespace polyak::io
