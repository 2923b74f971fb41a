#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/buffer.hpp"
#include "matrix/storage.hpp"
#include "spectrum/gram.hpp"

namespace polyak::internal {
namespace {

constexpr Index band_values = 1 << 16;  // entries of H in a band: fits the second-level cache
constexpr Index max_tasks = 16;

// The first row of each band, and the end of the last band.
std::vector<Index> band_starts(Index width) {
  constexpr Index flat = 256;  // up to this width of H all bands have the same height
  std::vector<Index> out{0};
  while (out.back() < width)
    out.push_back(
        std::min(width, out.back() + std::max<Index>(1, band_values / std::max(out.back(), flat))));
  return out;
}

template <class Value, class Column>
class Bands {
  using Row = kernels::SparseRow<Value, Column>;

 public:
  Bands(const CsrRows<Value, Column>& A, const std::function<double(Index)>& factor, ConstView b,
        GramCuts cuts, FoundRows* zero_rows, std::span<const double> centre)
      : A_(A),
        factor_(factor),
        b_(b),
        cuts_(cuts),
        zero_rows_(zero_rows),
        centre_(centre),
        width_(A.cols() + b.cols),
        starts_(band_starts(width_)) {}

  std::vector<double> sum(ThreadTeam& team) const {
    std::vector<double> H(to_size(width_ * width_));
    Buffer others(cuts_.parts - 1, width_ * width_);  // partial sums of all parts except the first
    team.run(cuts_.strips * cuts_.parts, [&](Index task) {
      const Index part = task / cuts_.strips;
      add_strip(task % cuts_.strips, part, part == 0 ? H.data() : others.view().row(part - 1));
    });
    if (cuts_.parts > 1) add_parts(others.view(), team, H);
    return H;
  }

 private:
  struct Rows {
    Index first, last;
  };
  Rows rows_of(Index part) const {
    return {part * A_.rows() / cuts_.parts, (part + 1) * A_.rows() / cuts_.parts};
  }

  void add_parts(ConstView others, ThreadTeam& team, std::vector<double>& H) const {
    team.run(width_, [&](Index k) {
      for (Index part = 0; part < others.rows; ++part) {
        const double* const from = others.row(part) + k * width_;
        for (Index j = 0; j <= k; ++j) H[to_size(k * width_ + j)] += from[j];
      }
    });
  }

  void add_strip(Index strip, Index part, double* H) const {
    const Index first = strip * cuts_.bands / cuts_.strips;
    const Index last = (strip + 1) * cuts_.bands / cuts_.strips;
    const Rows rows = rows_of(part);
    std::vector<Index> next;
    if (cuts_.bands > 1) next = first_columns(rows, starts_[to_size(first)]);
    for (Index band = first; band < last; ++band)
      add_band(starts_[to_size(band)], starts_[to_size(band + 1)], rows, next, H);
  }

  // For each row its first column ≥ `top`. Most rows have no entry in a band and are skipped by
  // this number alone, without reading the row.
  std::vector<Index> first_columns(Rows rows, Index top) const {
    std::vector<Index> out(to_size(rows.last - rows.first));
    for (Index i = rows.first; i < rows.last; ++i) {
      const Row row = A_.row(i);
      out[to_size(i - rows.first)] = column_at(row, place_of(row, top));
    }
    return out;
  }
  static Index place_of(const Row& row, Index column) {
    return std::lower_bound(row.col, row.col + row.count, column) - row.col;
  }
  Index column_at(const Row& row, Index place) const {
    return place < row.count ? static_cast<Index>(row.col[place]) : width_;
  }

  void add_band(Index top, Index end, Rows rows, std::vector<Index>& next, double* H) const {
    Buffer sums(end - top, end);
    for (Index block = 0; block < cuts_.blocks; ++block) {
      const Index all = rows.last - rows.first;
      const Index first = rows.first + block * all / cuts_.blocks;
      const Index last = rows.first + (block + 1) * all / cuts_.blocks;
      if (top == 0) find_zero_rows(first, last);
      for (Index i = first; i < last; ++i) {
        if (next.empty())
          add_row(i, top, end, sums.view());
        else if (Index& here = next[to_size(i - rows.first)]; here < end)
          here = add_row(i, top, end, sums.view());
      }
      for (Index i = end > A_.cols() ? first : last; i < last; ++i)
        add_sides(i, top, end, sums.view());
      for (Index k = top; k < end; ++k)
        for (Index j = 0; j <= k; ++j)
          H[k * width_ + j] += std::exchange(sums.view()(k - top, j), 0.0);
    }
  }

  void find_zero_rows(Index first, Index last) const {
    std::vector<Index> found;
    for (Index i = first; i < last && zero_rows_ != nullptr; ++i) {
      const Row row = A_.row(i);
      const bool weighs = !factor_ || factor_(i) != 0.0;
      const auto is_zero = [](Value v) { return v == Value{0}; };
      if (!weighs || std::all_of(row.a, row.a + row.count, is_zero)) found.push_back(i);
    }
    if (zero_rows_ != nullptr) zero_rows_->add(found);
  }

  // Adds the products of row i in a band; returns the first column of the row after the band.
  Index add_row(Index i, Index top, Index end, View sums) const {
    const Row row = A_.row(i);
    const double f = factor_ ? factor_(i) : 1.0;
    Index t = place_of(row, top);
    for (; t < row.count && row.col[t] < end; ++t)
      add_to(row, t + 1, twice_scaled(f, entry(row, t)), sums.row(row.col[t] - top));
    return column_at(row, t);
  }

  void add_sides(Index i, Index top, Index end, View sums) const {
    const Index d = A_.cols();
    const Row row = A_.row(i);
    const double f = factor_ ? factor_(i) : 1.0;
    for (Index c = std::max<Index>(0, top - d); d + c < end; ++c) {
      double* const h = sums.row(d + c - top);
      const double value = twice_scaled(f, b_(i, c));
      add_to(row, row.count, value, h);
      for (Index other = 0; other <= c; ++other) h[d + other] += value * b_(i, other);
    }
  }

  // Not f²·value: f² may overflow or underflow where f·(f·value) does not.
  static double twice_scaled(double f, double value) { return f * (f * value); }

  double entry(const Row& row, Index t) const {
    const auto a = static_cast<double>(row.a[t]);
    return centre_.empty() ? a : a - centre_[to_size(row.col[t])];
  }
  void add_to(const Row& row, Index count, double value, double* h) const {
    if (centre_.empty())
      for (Index t = 0; t < count; ++t) h[row.col[t]] += value * static_cast<double>(row.a[t]);
    else
      for (Index t = 0; t < count; ++t) h[row.col[t]] += value * entry(row, t);
  }

  const CsrRows<Value, Column>& A_;
  const std::function<double(Index)>& factor_;
  ConstView b_;
  GramCuts cuts_;
  FoundRows* zero_rows_;
  std::span<const double> centre_;
  Index width_;
  std::vector<Index> starts_;
};

template <class Value, class Column>
const CsrRows<Value, Column>* csr_rows(const RowMatrix& A) {
  const auto* csr = dynamic_cast<const TypedMatrix<CsrRows<Value, Column>>*>(&A);
  return csr ? &csr->storage() : nullptr;
}

// Calls body(rows) with the rows of a CSR matrix; returns false for any other matrix.
template <class Body>
bool with_csr(const RowMatrix& A, const Body& body) {
  const auto try_one = [&](const auto* rows) {
    if (rows) body(*rows);
    return rows != nullptr;
  };
  return try_one(csr_rows<double, std::int32_t>(A)) || try_one(csr_rows<double, Index>(A)) ||
         try_one(csr_rows<float, std::int32_t>(A)) || try_one(csr_rows<float, Index>(A));
}

}  // namespace

// More parts and blocks only where adding them costs little compared with the products.
GramCuts gram_cuts(const GramSize& A) {
  constexpr double min_rows = 4096.0, min_products = 8.0;  // per block; per entry of H and block
  const auto bands_of = [](double width) {
    return std::ssize(band_starts(static_cast<Index>(std::max(1.0, width)))) - 1;
  };
  const double worth = A.products / (min_products * std::max(1.0, A.d * A.d));
  const auto blocks = static_cast<Index>(std::clamp(worth, 1.0, std::max(1.0, A.n / min_rows)));
  const Index parts = std::clamp<Index>(max_tasks / bands_of(A.d), 1, blocks);
  const Index bands = bands_of(A.d + A.c);
  return {bands, std::min(bands, max_tasks), parts, blocks / parts};
}

GramSize gram_size(const RowMatrix& A, Index sides) {
  return {static_cast<double>(A.rows()), static_cast<double>(A.cols()), static_cast<double>(sides),
          static_cast<double>(A.nonzeros()), A.gram_products()};
}

bool has_sparse_gram(const RowMatrix& A) {
  return with_csr(A, [](const auto&) {}) && few_products(gram_size(A));
}

std::vector<double> sparse_gram(const RowMatrix& A, const std::function<double(Index)>& factor,
                                ThreadTeam& team, ConstView b, FoundRows* zero_rows,
                                std::span<const double> centre) {
  std::vector<double> H;
  const GramCuts cuts = gram_cuts(gram_size(A, b.cols));
  with_csr(
      A, [&](const auto& rows) { H = Bands(rows, factor, b, cuts, zero_rows, centre).sum(team); });
  return H;
}

double sparse_gram_additions(const RowMatrix& A) {
  const GramCuts cuts = gram_cuts(gram_size(A));
  const Index sums = cuts.parts * cuts.blocks;
  return static_cast<double>((A.rows() + sums - 1) / sums + 1 + cuts.blocks + cuts.parts);
}

}  // namespace polyak::internal
