#include <algorithm>
#include <array>
#include <memory>

#include "kernels/reference.hpp"
#include "tomography/count.hpp"
#include "tomography/ray_maker.hpp"

namespace polyak::tomography {
namespace {

using Row = kernels::SparseRow<double, std::int32_t>;

// Room for one ray, on the stack of whoever calls; images beyond about 2000
// pixels a side take it from the heap, once a call.
class Scratch {
 public:
  Scratch(const RayMaker& maker, const std::vector<double>& scale) : maker_(maker), scale_(scale) {
    if (maker.capacity() <= most) return;
    large_.reset(new Large{std::vector<std::int32_t>(to_size(maker.capacity())),
                           std::vector<double>(to_size(maker.capacity()))});
    columns_ = large_->columns.data();
    values_ = large_->values.data();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Row row(Index r) {
    const Index count = maker_.make(r, columns_, values_);
    if (!scale_.empty())
      for (Index k = 0; k < count; ++k) values_[k] *= scale_[to_size(columns_[k])];
    return {values_, columns_, count, maker_.geometry().image.size()};
  }

 private:
  static constexpr Index most = 4096;
  struct Large {
    std::vector<std::int32_t> columns;
    std::vector<double> values;
  };
  const RayMaker& maker_;
  const std::vector<double>& scale_;
  std::array<std::int32_t, to_size(most)> small_columns_;
  std::array<double, to_size(most)> small_values_;
  std::unique_ptr<Large> large_;
  std::int32_t* columns_ = small_columns_.data();
  double* values_ = small_values_.data();
};

// A whose rows are made in the call that asks for them. The arithmetic on them
// is that of a stored sparse matrix.
class Projector final : public RowMatrix {
 public:
  Projector(RayMaker maker, std::vector<double> scale, Index nonzeros)
      : maker_(std::move(maker)), scale_(std::move(scale)), nonzeros_(nonzeros) {}

  Index rows() const override { return maker_.geometry().rays(); }
  Index cols() const override { return maker_.geometry().image.size(); }
  Index nonzeros() const override { return nonzeros_; }
  std::string kind() const override {
    return "projector, " + name_of(maker_.model()) + ", rows made on the fly";
  }
  double bytes() const override { return 0.0; }

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    Scratch scratch(maker_, scale_);
    kernels::reference::gradient([&](Index i) { return scratch.row(i); },
                                 {std::ssize(rows), rows.data(), weights.data()}, scale.a, scale.b,
                                 x, b, g, nullptr);
  }

  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    Scratch scratch(maker_, scale_);
    kernels::reference::gradient(
        [&](Index i) { return scratch.row(first + i); },
        {last - first, nullptr, weights.empty() ? nullptr : weights.data()}, scale.a, scale.b, x,
        ConstView{b.row(first), last - first, b.cols, b.stride}, g, residual2.data());
  }

  void multiply(Index first, Index last, ConstView x, View y) const override {
    Scratch scratch(maker_, scale_);
    kernels::reference::multiply([&](Index i) { return scratch.row(first + i); }, x,
                                 View{y.data, last - first, y.cols, y.stride});
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    Scratch scratch(maker_, scale_);
    kernels::reference::add_transposed([&](Index i) { return scratch.row(first + i); },
                                       ConstView{y.data, last - first, y.cols, y.stride}, g);
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    Scratch scratch(maker_, scale_);
    kernels::reference::kaczmarz([&](Index i) { return scratch.row(i); },
                                 {std::ssize(rows), rows.data(), steps.data()}, scale, b, x);
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
      const Row row = scratch.row(i);
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
  RayMaker maker_;
  std::vector<double> scale_;  // of the columns; empty means 1
  Index nonzeros_;
};

}  // namespace

MatrixPtr projector(const Geometry& geometry, RayModel model, std::vector<double> column_scale,
                    int threads) {
  RayMaker maker(geometry, model);
  const auto counts = entry_counts(maker, threads);
  Index nonzeros = 0;
  for (Index count : counts) nonzeros += count;
  return std::make_shared<Projector>(std::move(maker), std::move(column_scale), nonzeros);
}

}  // namespace polyak::tomography
