#include <algorithm>
#include <memory>
#include <numeric>

#include "tomography/projectors/pair_row.hpp"
#include "tomography/projectors/ray_maker.hpp"
#include "tomography/projectors/view_block.hpp"

namespace polyak::tomography {
using namespace polyak::internal;
using namespace polyak::tomography::internal;

namespace {

// One block per thread, so that its memory is allocated only once.
ViewBlock& thread_block() {
  thread_local ViewBlock block;
  return block;
}

// The matrix whose rows are computed when they are used. Ranges of rays of a parallel beam are
// processed view by view (ViewBlock); lists of rays one by one, as PairRow where the model allows
// it, else as sparse rows.
class Projector final : public RowMatrix {
 public:
  Projector(RayMaker maker, std::vector<double> scale, Index nonzeros)
      : maker_(std::move(maker)),
        scale_(std::move(scale)),
        nonzeros_(nonzeros),
        pairs_(scale_.empty() && supports_pairs(maker_)),
        blocks_(scale_.empty() && ViewBlock::supports(maker_)) {}

  Index rows() const override { return maker_.geometry().rays(); }
  Index cols() const override { return maker_.geometry().image.size(); }
  Index nonzeros() const override { return nonzeros_; }
  std::string kind() const override {
    return "projector, " + name_of(maker_.model()) + ", rows made on the fly";
  }
  double bytes() const override { return 0.0; }

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    if (consecutive(rows)) {
      const Index first = rows.front(), last = rows.back() + 1;
      return range_gradient(first, last, weights, scale, x, b, g, {});
    }
    with_rows(0, [&](auto row_at) {
      kernels::reference::gradient(row_at, {std::ssize(rows), rows.data(), weights.data()}, scale.a,
                                   scale.b, x, b, g, nullptr);
    });
  }

  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    const double* w = weights.empty() ? nullptr : weights.data();
    double* r2 = residual2.empty() ? nullptr : residual2.data();
    if (in_blocks(first, last)) {
      for_blocks(first, last, [&](ViewBlock& block, Index start) {
        for (Index c = 0; c < x.rows; ++c) {
          block.project(x.row(c));
          block.for_values([&](Index i, double& value) {
            const double r = scale.b * (value - b(start + i, c));
            const double weight = w ? w[start + i - first] : 1.0;
            if (r2) r2[c] += weight * r * r;
            value = weight * r * scale.a;
          });
          block.back_project(g.row(c));
        }
      });
      return;
    }
    with_rows(first, [&](auto row_at) {
      kernels::reference::gradient(row_at, {last - first, nullptr, w}, scale.a, scale.b, x,
                                   ConstView{b.row(first), last - first, b.cols, b.stride}, g, r2);
    });
  }

  void multiply(Index first, Index last, ConstView x, View y) const override {
    if (in_blocks(first, last)) {
      for_blocks(first, last, [&](ViewBlock& block, Index start) {
        for (Index c = 0; c < x.rows; ++c) {
          block.project(x.row(c));
          block.for_values([&](Index i, double value) { y(start - first + i, c) = value; });
        }
      });
      return;
    }
    with_rows(first, [&](auto row_at) {
      kernels::reference::multiply(row_at, x, View{y.data, last - first, y.cols, y.stride});
    });
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    if (in_blocks(first, last)) {
      for_blocks(first, last, [&](ViewBlock& block, Index start) {
        for (Index c = 0; c < g.rows; ++c) {
          block.for_values([&](Index i, double& value) { value = y(start - first + i, c); });
          block.back_project(g.row(c));
        }
      });
      return;
    }
    with_rows(first, [&](auto row_at) {
      kernels::reference::add_transposed(row_at, ConstView{y.data, last - first, y.cols, y.stride},
                                         g);
    });
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    with_rows(0, [&](auto row_at) {
      kernels::reference::kaczmarz(row_at, {std::ssize(rows), rows.data(), steps.data()}, scale, b,
                                   x);
    });
  }

  void kaczmarz_within(std::span<const Index> rows, std::span<const double> steps, double scale,
                       ConstView b, std::span<const double> lower, std::span<const double> upper,
                       View x) const override {
    with_rows(0, [&](auto row_at) {
      kernels::reference::kaczmarz(
          [&](Index i) {
            return kernels::reference::BoundedRow{row_at(i), lower.data(), upper.data()};
          },
          {std::ssize(rows), rows.data(), steps.data()}, scale, b, x);
    });
  }

  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    Scratch scratch(maker_, scale_);
    kernels::reference::norms([&](Index i) { return scratch.row(first + i); }, last - first, scale,
                              row_norms2.data(),
                              column_norms2.empty() ? nullptr : column_norms2.data());
  }

  double max_abs(Index first, Index last) const override {
    Scratch scratch(maker_, scale_);
    double largest = 0.0;
    for (Index i = first; i < last; ++i) {
      const auto row = scratch.row(i);
      const double m = kernels::max_abs(row.values(), row.stored());
      if (std::isnan(m)) return m;
      largest = std::max(largest, m);
    }
    return largest;
  }

  void copy_rows(Index first, Index last, View out) const override {
    Scratch scratch(maker_, scale_);
    for (Index i = first; i < last; ++i) scratch.row(i).copy(out.row(i - first));
  }

 private:
  bool in_blocks(Index first, Index last) const {
    return blocks_ && last - first >= ViewBlock::min_rays;
  }
  bool consecutive(std::span<const Index> rows) const {
    const auto gap = [](Index a, Index b) { return b != a + 1; };
    return blocks_ && std::ssize(rows) >= ViewBlock::min_rays &&
           std::adjacent_find(rows.begin(), rows.end(), gap) == rows.end();
  }

  /// Calls body(block, start) for blocks of rays; the first ray of `block` is `start`.
  template <class Body>
  void for_blocks(Index first, Index last, Body body) const {
    ViewBlock& block = thread_block();
    const Index blocks = (last - first + ViewBlock::max_rays - 1) / ViewBlock::max_rays;
    for (Index k = 0; k < blocks; ++k) {
      const Index start = first + k * (last - first) / blocks;
      block.prepare(maker_, start, first + (k + 1) * (last - first) / blocks);
      body(block, start);
    }
  }

  /// Calls body(row_at), where row_at(i) returns row first + i.
  template <class Body>
  void with_rows(Index first, Body body) const {
    Scratch scratch(maker_, scale_);
    if (pairs_)
      body([&](Index i) { return scratch.pairs(first + i); });
    else
      body([&](Index i) { return scratch.row(first + i); });
  }

  RayMaker maker_;
  std::vector<double> scale_;  // of the columns; empty means 1
  Index nonzeros_;
  bool pairs_, blocks_;
};

}  // namespace

MatrixPtr internal::projector(RayMaker maker, std::vector<double> column_scale,
                              const std::vector<Index>& counts) {
  const Index nonzeros = std::accumulate(counts.begin(), counts.end(), Index{0});
  return std::make_shared<Projector>(std::move(maker), std::move(column_scale), nonzeros);
}

MatrixPtr projector(const Geometry& geometry, RayModel model, std::vector<double> column_scale,
                    int threads) {
  RayMaker maker(geometry, model);
  const auto counts = entry_counts(maker, threads);
  return projector(std::move(maker), std::move(column_scale), counts);
}

}  // namespace polyak::tomography
