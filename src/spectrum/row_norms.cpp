#include "spectrum/row_norms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/file_pages.hpp"
#include "core/in_order.hpp"
#include "polyak/ranks.hpp"
#include "spectrum/finite_values.hpp"

namespace polyak {
namespace {

// Rows [first, last): unweighted row norms and weighted column norms, computed block by block
// while a block is in cache.
void add_norms(const Problem& problem, Index first, Index last, double scale, double* rows,
               std::span<double> columns) {
  constexpr Index block = 64;
  const RowMatrix& A = problem.A();
  if (problem.weights().empty())
    return A.norms(first, last, scale, {rows, to_size(last - first)}, columns);
  if (A.only_products()) {  // all rows at a time, and nothing else
    A.norms(first, last, scale, {rows, to_size(last - first)}, {});
    return A.column_norms(
        first, last, std::span(problem.weights()).subspan(to_size(first), to_size(last - first)),
        scale, columns);
  }
  A.expect_range(first, last);
  for (Index i = first; i < last; i += block) {
    const std::size_t count = to_size(std::min(block, last - i));
    A.norms(i, i + static_cast<Index>(count), scale, {rows + (i - first), count}, {});
    A.column_norms(i, i + static_cast<Index>(count),
                   std::span(problem.weights()).subspan(to_size(i), count), scale, columns);
  }
}

// The sums of the chunks, one after the other.
std::vector<double> sum_of_parts(const std::vector<double>& parts, Index d) {
  std::vector<double> out(to_size(d), 0.0);
  for (std::size_t k = 0; k < parts.size(); ++k) out[k % to_size(d)] += parts[k];
  return out;
}

// Takes the norms of all rows, in their order, and keeps what NormSums tells of them.
class NormSummer {
 public:
  explicit NormSummer(const Problem& problem)
      : weights_(problem.weights()),
        b_(problem.b()),
        blocks_(std::make_shared<RowBlocks>()),
        behind_(b_.data, to_size(b_.stride) * sizeof(double), 0),
        weights_behind_(weights_.data(), sizeof(double), 0) {}

  void take(std::span<const double> norms2) {
    while (!norms2.empty()) {
      const Index left = UsedRows::block_rows - row_ % UsedRows::block_rows;
      const std::size_t count = std::min(norms2.size(), to_size(left));
      take_part_of_block(norms2.first(count));
      norms2 = norms2.subspan(count);
    }
  }

  NormSums sums() {
    blocks_->used.finish();
    sums_.blocks = std::move(blocks_);
    return std::move(sums_);
  }

 private:
  void take_part_of_block(std::span<const double> norms2) {
    for (const double v : norms2) sums_.largest = larger_finite(sums_.largest, v);
    if (weights_.empty()) {
      sums_.largest_taking_part = sums_.largest;
      return add(norms2);
    }
    double weighted[UsedRows::block_rows];
    const auto own = weights_.subspan(to_size(row_), norms2.size());
    for (std::size_t t = 0; t < own.size(); ++t)
      if (own[t] > 0.0)
        sums_.largest_taking_part = larger_finite(sums_.largest_taking_part, norms2[t]);
    std::copy(norms2.begin(), norms2.end(), weighted);
    apply_weights(own, {weighted, own.size()});
    add({weighted, own.size()});
  }

  void add(std::span<const double> norms2) {
    if (row_ % UsedRows::block_rows == 0) blocks_->largest.push_back(0.0);
    double sum = sums_.sum, largest = blocks_->largest.back();
    Index zero = 0;
    for (const double v : norms2) {
      sum += v;
      largest = std::max(largest, v);
      zero += v == 0.0;
    }
    sums_.sum = sum;
    blocks_->largest.back() = largest;
    blocks_->used.add(norms2);
    if (zero > 0) count_zero_rows(norms2);
    row_ += std::ssize(norms2);
    behind_.used_up_to(row_);
    weights_behind_.used_up_to(row_);
  }

  void count_zero_rows(std::span<const double> norms2) {
    for (std::size_t t = 0; t < norms2.size(); ++t) {
      if (norms2[t] != 0.0) continue;
      const Index i = row_ + static_cast<Index>(t);
      const double* const b = b_.row(i);
      const bool weighs = weights_.empty() || weights_[to_size(i)] > 0.0;
      ++sums_.zero_rows;
      sums_.zero_rows_with_rhs +=
          weighs && std::any_of(b, b + b_.cols, [](double v) { return v != 0.0; });
    }
  }

  std::span<const double> weights_;
  ConstView b_;
  std::shared_ptr<RowBlocks> blocks_;
  PagesBehind behind_, weights_behind_;
  NormSums sums_;
  Index row_ = 0;  // the next one
};

// w_i‖scale·a_i‖² of rows [first, last).
std::vector<double> weighted_norms(const Problem& problem, Index first, Index last, double scale) {
  std::vector<double> out(to_size(last - first));
  problem.A().norms(first, last, scale, out, {});
  if (const std::span<const double> weights = problem.weights(); !weights.empty())
    apply_weights(weights.subspan(to_size(first), out.size()), out);
  return out;
}

}  // namespace

void apply_weights(std::span<const double> weights, std::span<double> norms2) {
  for (std::size_t i = 0; i < norms2.size(); ++i) {
    const bool counts = norms2[i] > 0.0 && weights[i] > 0.0;
    norms2[i] = counts ? std::max(norms2[i] * weights[i], std::numeric_limits<double>::min()) : 0.0;
  }
}

Norms read_norms(const Problem& problem, Products& products, double scale, RowSums* sums) {
  const RowMatrix& A = problem.A();
  const Index chunks = products.row_chunks(), d = A.cols();
  Norms out{RowNumbers(to_size(A.rows())), std::vector<double>(to_size(d), 0.0)};
  if (sums && sums->norms(A, problem.weights(), scale, chunks, out.rows, out.columns)) return out;
  std::vector<double> parts(to_size(chunks * d), 0.0);
  products.for_row_chunks([&](Index chunk, Index first, Index last) {
    add_norms(problem, first, last, scale, out.rows.data() + first,
              {parts.data() + chunk * d, to_size(d)});
  });
  out.columns = sum_of_parts(parts, d);
  communicator(A).sum(out.columns);
  return out;
}

NormSums sum_norms(const Problem& problem, Products& products, double scale) {
  constexpr Index piece = 4096, most_ahead = Index{1} << 24;  // 128 MB
  const RowMatrix& A = problem.A();
  const Index chunks = products.row_chunks(), d = A.cols();
  // A chunk for each thread but that of the turn: more would be of no use.
  const Index most_kept = std::min(most_ahead, (products.team().size() - 1) * (A.rows() / chunks));
  NormSummer summer(problem);
  InOrder in_order(chunks, most_kept, [&](std::span<const double> norms2) { summer.take(norms2); });
  std::vector<double> parts(to_size(chunks * d), 0.0);
  products.for_row_chunks([&](Index chunk, Index first, Index last) {
    in_order.chunk(chunk, [&](Index) {
      std::vector<double> norms2(to_size(piece));
      PagesBehind weights(problem.weights().data(), sizeof(double), first);
      A.expect_range(first, last);
      for (Index i = first; i < last; i += piece) {
        const Index end = std::min(last, i + piece);
        add_norms(problem, i, end, scale, norms2.data(), {parts.data() + chunk * d, to_size(d)});
        in_order.add(chunk, std::span(norms2).first(to_size(end - i)));
        weights.used_up_to(end);
      }
    });
  });
  NormSums out = summer.sums();
  out.columns = sum_of_parts(parts, d);
  return out;
}

// Within a block all probabilities are the same but where those of one more point end: this block
// is read again.
double even_eta(const Problem& problem, const RowBlocks& blocks, const Sampler& sampler,
                double scale, double frobenius2) {
  double eta = 0.0;
  const auto add = [&](double norm2, Index row) {
    if (norm2 > 0.0) eta = std::max(eta, norm2 / frobenius2 / sampler.probability(row));
  };
  const UsedRows& used = blocks.used;
  for (Index block = 0; block < used.blocks(); ++block) {
    if (used.before(block) == used.before(block + 1)) continue;
    const Index first = used.row(used.before(block)), last = used.row(used.before(block + 1) - 1);
    if (sampler.probability(first) == sampler.probability(last)) {
      add(blocks.largest[to_size(block)], first);
      continue;
    }
    const std::vector<double> norms2 = weighted_norms(problem, first, last + 1, scale);
    for (Index i = first; i <= last; ++i) add(norms2[to_size(i - first)], i);
  }
  return eta;
}

}  // namespace polyak
