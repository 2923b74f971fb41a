#include "matrix/products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyak/ranks.hpp"

namespace polyak::internal {
namespace {

constexpr Index max_chunks = 64;
constexpr Index columns_per_job = 4096;
constexpr double sweep_bytes = 256 * 1024;  // of A at a time: they fit into the second-level cache

Index padded(Index count) { return (count + 7) / 8 * 8; }  // whole cache lines

}  // namespace

Products::Products(const RowMatrix& A, std::span<const double> weights, Scale scale,
                   ThreadTeam& team)
    : A_(A),
      communicator_(communicator(A)),
      weights_(weights),
      scale_(scale),
      team_(team),
      first_row_(partition(A).first),
      own_rows_(partition(A).rows->rows()),
      entries_per_row_(
          A.rows() > 0 ? static_cast<double>(A.nonzeros()) / static_cast<double>(A.rows()) : 0.0) {}

// Enough chunks for all threads, but so few that zeroing and adding their sums (d numbers
// each) costs little compared with the rows themselves, and that only few rows, the first
// ones of each chunk, are not prefetched in time.
Index Products::chunk_count(Index rows) const {
  if (A_.only_products()) return 1;
  const double work = static_cast<double>(rows) * entries_per_row_;
  const double d = static_cast<double>(std::max<Index>(1, A_.cols()));
  const double n = static_cast<double>(rows);
  const double by_rows = std::max(std::min(n / 64, 8.0), n / 512);
  const double chunks =
      std::min({static_cast<double>(max_chunks), by_rows, work / 4096, work / (2 * d)});
  return std::max<Index>(1, static_cast<Index>(chunks));
}

void Products::sum_over_ranks(View g, ColumnExchange* columns) const {
  if (columns) return columns->add(g);
  if (g.stride == g.cols) return communicator_.sum({g.data, to_size(g.size())});
  for (Index c = 0; c < g.rows; ++c) communicator_.sum({g.row(c), to_size(g.cols)});
}

View Products::part(Index chunk, View g) {
  if (chunk == 0) return g;
  return {parts_.data() + (chunk - 1) * padded(g.size()), g.rows, g.cols, g.cols};
}

void Products::add_parts(Index chunks, View g, ColumnRange range) {
  const auto add = [&](Index first, Index last) {
    for (Index chunk = 1; chunk < chunks; ++chunk) {
      const View p = part(chunk, g);
      for (Index c = 0; c < g.rows; ++c)
        for (Index j = first; j < last; ++j) g(c, j) += p(c, j);
    }
  };
  const Index jobs = (range.last - range.first + columns_per_job - 1) / columns_per_job;
  team_.run(jobs, [&](Index job) {
    const Index first = range.first + job * columns_per_job;
    add(first, std::min(range.last, first + columns_per_job));
  });
}

template <class Body>
void Products::sum_chunks(Index chunks, View g, ColumnExchange* columns, Body body) {
  const ColumnRange range = columns ? columns->held() : ColumnRange{0, g.cols};
  const std::size_t needed = to_size((chunks - 1) * padded(g.size()));
  if (parts_.size() < needed) parts_.resize(needed);
  team_.run(chunks, [&](Index chunk) {
    const View sum = part(chunk, g);
    for (Index c = 0; c < sum.rows; ++c)
      std::fill(sum.row(c) + range.first, sum.row(c) + range.last, 0.0);
    body(chunk, sum);
  });
  add_parts(chunks, g, range);
  sum_over_ranks(g, columns);
}

double* Products::scratch(Index count) {
  if (std::ssize(scratch_) < count) scratch_.resize(to_size(count));
  return scratch_.data();
}

void Products::gradient(std::span<const Index> rows, std::span<const double> weights, ConstView x,
                        ConstView b, View g, ColumnExchange* columns) {
  const Index count = std::ssize(rows), chunks = chunk_count(count);
  sum_chunks(chunks, g, columns, [&](Index chunk, View sum) {
    const std::size_t first = to_size(chunk * count / chunks);
    const std::size_t size = to_size((chunk + 1) * count / chunks) - first;
    A_.gradient(rows.subspan(first, size), weights.subspan(first, size), scale_, x, b, sum);
  });
}

// Chunk `chunk` of one of several batches, the same as in gradient(); empty if this batch
// has fewer chunks than others.
Products::Part Products::chunk_of(const Batch& batch, Index chunk) const {
  const Index count = std::ssize(batch.rows), chunks = chunk_count(count);
  const Index here = std::min(chunk, chunks);
  return {here * count / chunks, std::min(here + 1, chunks) * count / chunks};
}

// The remaining entries of all batches, one block of A after the other.
void Products::sweep(std::span<const Batch> batches, std::span<Part> remaining, ConstView x,
                     ConstView b, View g) const {
  const double row_bytes = A_.bytes() / static_cast<double>(A_.rows());
  const Index block =
      std::max<Index>(1, static_cast<Index>(sweep_bytes / std::max(1.0, row_bytes)));
  const Index columns = x.rows / std::ssize(batches);
  constexpr Index none = std::numeric_limits<Index>::max();
  for (Index next = 0; next != none;) {
    const Index end = next / block * block + block;
    next = none;
    for (std::size_t r = 0; r < batches.size(); ++r) {
      const auto& [rows, weights] = batches[r];
      const std::size_t from = to_size(remaining[r].first), last = to_size(remaining[r].last);
      std::size_t to = from;
      while (to < last && rows[to] < end) ++to;
      remaining[r].first = static_cast<Index>(to);
      if (to < last) next = std::min(next, rows[to]);
      if (to == from) continue;
      const Index top = static_cast<Index>(r) * columns;
      A_.gradient(rows.subspan(from, to - from), weights.subspan(from, to - from), scale_,
                  {x.row(top), columns, x.cols, x.stride}, b,
                  {g.row(top), columns, g.cols, g.stride});
    }
  }
}

// Chunk c of every batch has rows in about the same part of A; these are read in one sweep.
void Products::gradients(std::span<const Batch> batches, ConstView x, ConstView b, View g,
                         ColumnExchange* columns) {
  if (batches.size() == 1) return gradient(batches[0].rows, batches[0].weights, x, b, g, columns);
  Index chunks = 1;
  for (const Batch& batch : batches) chunks = std::max(chunks, chunk_count(std::ssize(batch.rows)));
  const std::size_t each = batches.size();
  if (remaining_.size() < to_size(chunks) * each) remaining_.resize(to_size(chunks) * each);
  sum_chunks(chunks, g, columns, [&](Index chunk, View sum) {
    const std::span remaining(remaining_.data() + to_size(chunk) * each, each);
    for (std::size_t r = 0; r < each; ++r) remaining[r] = chunk_of(batches[r], chunk);
    sweep(batches, remaining, x, b, sum);
  });
}

void Products::full_gradient(ConstView x, ConstView b, View g, std::span<double> residual2,
                             ColumnExchange* columns) {
  const Index chunks = row_chunks(), c = std::ssize(residual2);
  const Index stride = padded(c) + 8;  // no two chunks share a cache line
  double* sums = scratch(chunks * stride);
  std::fill_n(sums, chunks * stride, 0.0);
  sum_chunks(chunks, g, columns, [&](Index chunk, View sum) {
    const Index first = start(chunk, chunks), last = start(chunk + 1, chunks);
    const auto w =
        weights_.empty() ? weights_ : weights_.subspan(to_size(first), to_size(last - first));
    A_.range_gradient(first, last, w, scale_, x, b, sum, {sums + chunk * stride, residual2.size()});
  });
  std::fill(residual2.begin(), residual2.end(), 0.0);
  for (Index chunk = 0; chunk < chunks; ++chunk)
    for (Index k = 0; k < c; ++k) residual2[to_size(k)] += sums[chunk * stride + k];
  if (!columns) communicator_.sum(residual2);
}

double Products::root_weight(Index i) const {
  return scale_.a * (weights_.empty() ? 1.0 : std::sqrt(weights_[to_size(i)]));
}

void Products::multiply(ConstView x, View y) {
  for_row_chunks([&](Index, Index first, Index last) {
    A_.multiply(first, last, x, {y.row(first), last - first, y.cols, y.stride});
    for (Index i = first; i < last; ++i) {
      const double root = root_weight(i);
      for (Index c = 0; c < y.cols; ++c) y(i, c) = root == 0.0 ? 0.0 : root * y(i, c);
    }
  });
}

void Products::transposed(ConstView y, View g) {
  const Index chunks = row_chunks(),
              block = A_.only_products() ? std::max<Index>(1, own_rows_) : 64;
  double* weighted = scratch(chunks * block * y.cols);
  sum_chunks(chunks, g, nullptr, [&](Index chunk, View sum) {
    const Index last = start(chunk + 1, chunks);
    Index i = start(chunk, chunks);
    A_.expect_range(i, last);
    do {  // once even without rows: the call may be collective
      const View out{weighted + chunk * block * y.cols, std::min(block, last - i), y.cols, y.cols};
      for (Index r = 0; r < out.rows; ++r)
        for (Index c = 0; c < y.cols; ++c) out(r, c) = root_weight(i + r) * y(i + r, c);
      A_.add_transposed(i, i + out.rows, out, sum);
      i += block;
    } while (i < last);
  });
}

}  // namespace polyak::internal
