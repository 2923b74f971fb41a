#include "bench/contenders.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "core/large_arrays.hpp"
#include "linalg/fortran.hpp"
#include "linalg/vendor.hpp"

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

constexpr double two_to_minus_63 = 0x1p-63;

double uniform_of(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>(bits)) * two_to_minus_63;
}

void set_threads(int threads) {
  if (void* set = blas_symbol("openblas_set_num_threads"))
    reinterpret_cast<void (*)(int)>(set)(threads);
}

// y = op(M)·x for a column-major d × rows matrix: our rows are its columns.
void gemv(char trans, Index d, Index rows, const double* M, const double* x, double* y) {
  const BlasInt m = blas_int(d), n = blas_int(rows), lda = blas_stride(d), one = 1;
  const double alpha = 1.0, beta = 0.0;
  dgemv_(&trans, &m, &n, &alpha, M, &lda, x, &one, &beta, y, &one, 1);
}

}  // namespace

std::vector<double> random_values(Index count, std::uint64_t seed, ThreadTeam& team) {
  constexpr Index block = 1 << 16;
  std::vector<double> out = large_vector<double>(to_size(count));
  const Random random(seed, stream::entries);
  team.run((count + block - 1) / block, [&](Index k) {
    const Index first = k * block, size = std::min(block, count - first);
    std::vector<std::uint64_t> bits(to_size(size));
    random.bits(static_cast<std::uint64_t>(k), 0, bits.size(), bits.data());
    for (Index i = 0; i < size; ++i) out[to_size(first + i)] = uniform_of(bits[to_size(i)]);
  });
  return out;
}

FreshRows::FreshRows(Index rows, Index batch, std::uint64_t seed, Order order)
    : rows_(rows), batch_(batch), order_(order), random_(seed, stream::sampling) {}

void FreshRows::prepare(Index calls) {
  drawn_.resize(to_size(calls * batch_));
  for (Index call = 0; call < calls; ++call, ++k_) {
    const std::span<Index> out(drawn_.data() + call * batch_, to_size(batch_));
    if (order_ == Order::sorted)
      draw_sorted(out);
    else
      draw_any(out);
  }
}

void FreshRows::draw_any(std::span<Index> out) {
  for (std::size_t t = 0; t < out.size(); ++t)
    out[t] = static_cast<Index>(random_.uniform(k_, t) * static_cast<double>(rows_));
}

// The gaps between sorted uniform numbers are exponential numbers over their sum, so no
// sorting is needed.
void FreshRows::draw_sorted(std::span<Index> out) {
  gaps_.resize(out.size() + 1);
  double sum = 0.0;
  for (std::size_t t = 0; t < gaps_.size(); ++t) gaps_[t] = sum -= std::log(random_.uniform(k_, t));
  const double unit = static_cast<double>(rows_) / sum;
  for (std::size_t t = 0; t < out.size(); ++t)
    out[t] = std::min(rows_ - 1, static_cast<Index>(gaps_[t] * unit));
}

void CacheFlush::operator()() { sum_ += read_values(values_.data(), std::ssize(values_), team_); }

Csr<double, std::int32_t> line_matrix(Index rows, Index cols, Index entries, std::uint64_t seed) {
  const Random random(seed, stream::entries);
  Csr<double, std::int32_t> out;
  out.cols = cols;
  out.row_start.resize(to_size(rows) + 1);
  out.columns = large_vector<std::int32_t>(to_size(rows * entries));
  out.values = large_vector<double>(to_size(rows * entries));
  const double step = static_cast<double>(cols) / static_cast<double>(entries);
  std::size_t k = 0;
  for (Index i = 0; i < rows; ++i) {
    const double start = random.uniform(static_cast<std::uint64_t>(i), 0);
    for (Index e = 0; e < entries; ++e, ++k) {
      out.columns[k] = static_cast<std::int32_t>((static_cast<double>(e) + start) * step);
      out.values[k] = 1.0 + 0.5 * start;
    }
    out.row_start[to_size(i) + 1] = static_cast<Index>(k);
  }
  return out;
}

BlasThreads::BlasThreads(int threads) { set_threads(threads); }
BlasThreads::~BlasThreads() { set_threads(1); }

// The threads of OpenBLAS spin for 2^26 clock ticks before they sleep.
void wait_for_blas_threads() { std::this_thread::sleep_for(std::chrono::milliseconds(40)); }

BlasGradient::BlasGradient(ConstView A, ConstView b, Index max_rows, ThreadTeam& team)
    : A_(A),
      b_(b),
      team_(team),
      copy_(large_vector<double>(to_size(max_rows * A.cols))),
      r_(to_size(max_rows)) {}

void BlasGradient::operator()(std::span<const Index> rows, std::span<const double> weights,
                              const double* x, double* g) {
  const Index d = A_.cols, count = std::ssize(rows), parts = team_.size();
  team_.run(parts, [&](Index p) {
    for (Index t = p * count / parts; t < (p + 1) * count / parts; ++t)
      std::copy_n(A_.row(rows[to_size(t)]), d, copy_.data() + t * d);
  });
  gemv('T', d, count, copy_.data(), x, r_.data());
  for (std::size_t t = 0; t < rows.size(); ++t) r_[t] = weights[t] * (r_[t] - b_(rows[t], 0));
  gemv('N', d, count, copy_.data(), r_.data(), g);
}

void blas_gram(ConstView A, std::vector<double>& H) {
  const BlasInt d = blas_int(A.cols), n = blas_int(A.rows), lda = blas_stride(A.stride);
  const double alpha = 1.0, beta = 0.0;
  H.resize(to_size(A.cols * A.cols));
  dsyrk_("L", "N", &d, &n, &alpha, A.data, &lda, &beta, H.data(), &d, 1, 1);
}

void eigen_gradient(ConstView A, ConstView b, std::span<const Index> rows,
                    std::span<const double> weights, const double* x, double* g) {
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  const Vector xs(x, A.cols);
  Eigen::Map<Eigen::VectorXd> sum(g, A.cols);
  sum.setZero();
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const Vector a(A.row(rows[t]), A.cols);
    sum += (weights[t] * (a.dot(xs) - b(rows[t], 0))) * a;
  }
}

SearchSampler::SearchSampler(std::span<const double> weights) : sums_(weights.size()) {
  std::partial_sum(weights.begin(), weights.end(), sums_.begin());
}

void SearchSampler::draw(std::mt19937_64& generator, std::span<Index> rows) const {
  std::uniform_real_distribution<double> uniform(0.0, sums_.back());
  for (Index& row : rows) {
    const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, uniform(generator));
    row = found - sums_.begin();
  }
  std::sort(rows.begin(), rows.end());
}

AliasSampler::AliasSampler(std::span<const double> weights) : cells_(weights.size()) {
  const auto n = static_cast<double>(weights.size());
  const double unit = n / std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Index> small, large;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    cells_[i] = {weights[i] * unit, static_cast<Index>(i)};
    (cells_[i].own < 1.0 ? small : large).push_back(static_cast<Index>(i));
  }
  while (!small.empty() && !large.empty()) {
    const Index s = small.back(), l = large.back();
    small.pop_back();
    cells_[to_size(s)].other = l;
    cells_[to_size(l)].own -= 1.0 - cells_[to_size(s)].own;
    if (cells_[to_size(l)].own >= 1.0) continue;
    large.pop_back();
    small.push_back(l);
  }
  // The remaining cells are 1 up to rounding.
  for (const auto& rest : {small, large})
    for (Index i : rest) cells_[to_size(i)] = {1.0, i};
}

void AliasSampler::draw(std::mt19937_64& generator, std::span<Index> rows) const {
  std::uniform_real_distribution<double> uniform(0.0, static_cast<double>(cells_.size()));
  const Index last = std::ssize(cells_) - 1;
  for (Index& row : rows) {
    const double place = uniform(generator);
    const Index i = std::min(last, static_cast<Index>(place));
    const Cell& cell = cells_[to_size(i)];
    row = place - static_cast<double>(i) < cell.own ? i : cell.other;
  }
  std::sort(rows.begin(), rows.end());
}

}  // namespace polyak::bench::internal
