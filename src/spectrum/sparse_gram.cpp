#include "spectrum/sparse_gram.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/buffer.hpp"
#include "matrix/storage.hpp"
#include "matrix/typed_matrix.hpp"

namespace polyak {
namespace {

constexpr Index band_values = 1 << 16;  // of H, which stay in the second cache

// Sums over this many rows before they are added to H: short chains of additions
// where that costs little beside the products.
Index block_rows(const RowMatrix& A) {
  constexpr double least = 4096.0;
  const auto n = static_cast<double>(A.rows()), d = static_cast<double>(A.cols());
  const double entries = static_cast<double>(A.nonzeros());
  const double products = entries * entries / std::max(1.0, n);
  const double blocks = std::clamp(products / (8.0 * d * d), 1.0, std::max(1.0, n / least));
  return std::max<Index>(1, static_cast<Index>(std::ceil(n / std::floor(blocks))));
}

template <class Value, class Column>
class Bands {
  using Row = kernels::SparseRow<Value, Column>;

 public:
  Bands(const CsrRows<Value, Column>& A, const std::function<double(Index)>& factor, ConstView b,
        Index rows)
      : A_(A), b_(b), block_(rows), width_(A.cols() + b.cols), factors_(to_size(A.rows())) {
    for (Index i = 0; i < A.rows(); ++i) factors_[to_size(i)] = factor(i);
  }

  std::vector<double> sum(ThreadTeam& team) const {
    std::vector<double> H(to_size(width_ * width_));
    std::vector<Index> starts{0};
    while (starts.back() < width_)
      starts.push_back(std::min(width_, starts.back() + height_at(starts.back())));
    const Index bands = std::ssize(starts) - 1, strips = std::min<Index>(bands, 16);
    team.run(strips, [&](Index strip) {
      const Index first = strip * bands / strips, last = (strip + 1) * bands / strips;
      std::vector<Index> next = first_columns(starts[to_size(first)]);
      for (Index band = first; band < last; ++band)
        add_band(starts[to_size(band)], starts[to_size(band + 1)], next, H.data());
    });
    return H;
  }

 private:
  // Rows of H whose lower triangle fills a band.
  Index height_at(Index row) const {
    return std::max<Index>(1, band_values / std::min(width_, std::max<Index>(row, 256)));
  }

  // Of each row the first column from `top` on: most rows have none in a band,
  // and are passed over without a look at them.
  std::vector<Index> first_columns(Index top) const {
    std::vector<Index> out(to_size(A_.rows()));
    for (Index i = 0; i < A_.rows(); ++i) {
      const auto row = A_.row(i);
      out[to_size(i)] = column_at(row, place_of(row, top));
    }
    return out;
  }
  static Index place_of(const Row& row, Index column) {
    return std::lower_bound(row.col, row.col + row.count, column) - row.col;
  }
  Index column_at(const Row& row, Index place) const {
    return place < row.count ? static_cast<Index>(row.col[place]) : width_;
  }

  void add_band(Index top, Index end, std::vector<Index>& next, double* H) const {
    Buffer part(end - top, end);
    for (Index first = 0; first < A_.rows(); first += block_) {
      const Index last = std::min(A_.rows(), first + block_);
      for (Index i = first; i < last; ++i)
        if (next[to_size(i)] < end) next[to_size(i)] = add_row(i, top, end, part.view());
      if (end > A_.cols())
        for (Index i = first; i < last; ++i) add_sides(i, top, end, part.view());
      for (Index k = top; k < end; ++k)
        for (Index j = 0; j <= k; ++j)
          H[k * width_ + j] += std::exchange(part.view()(k - top, j), 0.0);
    }
  }

  // Of row i what belongs to a band, and its first column after that.
  Index add_row(Index i, Index top, Index end, View part) const {
    const Row row = A_.row(i);
    Index t = place_of(row, top);
    for (; t < row.count && row.col[t] < end; ++t)
      add_to(row, t + 1, twice_scaled(i, static_cast<double>(row.a[t])), part.row(row.col[t] - top));
    return column_at(row, t);
  }

  void add_sides(Index i, Index top, Index end, View part) const {
    const Index d = A_.cols();
    for (Index c = std::max<Index>(0, top - d); d + c < end; ++c) {
      double* const h = part.row(d + c - top);
      const double value = twice_scaled(i, b_(i, c));
      add_to(A_.row(i), A_.row(i).count, value, h);
      for (Index other = 0; other <= c; ++other) h[d + other] += value * b_(i, other);
    }
  }

  // Not by f²: what f brings into range f² may lead out of it.
  double twice_scaled(Index i, double value) const {
    return factors_[to_size(i)] * (factors_[to_size(i)] * value);
  }

  static void add_to(const Row& row, Index count, double value, double* h) {
    for (Index t = 0; t < count; ++t) h[row.col[t]] += value * static_cast<double>(row.a[t]);
  }

  const CsrRows<Value, Column>& A_;
  ConstView b_;
  Index block_, width_;
  std::vector<double> factors_;
};

template <class Value, class Column>
const CsrRows<Value, Column>* csr_rows(const RowMatrix& A) {
  const auto* csr = dynamic_cast<const TypedMatrix<CsrRows<Value, Column>>*>(&A);
  return csr ? &csr->storage() : nullptr;
}

// body(rows) with the rows of a CSR matrix; false for any other.
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

bool is_csr(const RowMatrix& A) {
  return with_csr(A, [](const auto&) {});
}

bool has_sparse_gram(const RowMatrix& A) {
  return is_csr(A) && few_entries(static_cast<double>(A.rows()), static_cast<double>(A.cols()),
                                  static_cast<double>(A.nonzeros()));
}

std::vector<double> sparse_gram(const RowMatrix& A, const std::function<double(Index)>& factor,
                                ThreadTeam& team, ConstView b) {
  std::vector<double> H;
  with_csr(A, [&](const auto& rows) { H = Bands(rows, factor, b, block_rows(A)).sum(team); });
  return H;
}

double sparse_gram_additions(const RowMatrix& A) {
  const Index block = block_rows(A);
  return static_cast<double>(block + (A.rows() + block - 1) / block);
}

}  // namespace polyak
