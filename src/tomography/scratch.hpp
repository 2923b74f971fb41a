#pragma once

#include <array>
#include <memory>

#include "kernels/reference.hpp"
#include "tomography/pair_row.hpp"
#include "tomography/ray_maker.hpp"

namespace polyak::tomography {

/// Room for one ray, on the stack of whoever calls; images beyond about 2000
/// pixels a side take it from the heap, once a call.
class Scratch {
 public:
  Scratch(const RayMaker& maker, const std::vector<double>& scale) : maker_(maker), scale_(scale) {
    const Index needed = std::max(maker.capacity(), pair_capacity(maker));
    if (needed <= most) return;
    large_.reset(new Large{std::vector<std::int32_t>(to_size(needed)),
                           std::vector<double>(to_size(2 * needed))});
    columns_ = large_->columns.data();
    values_ = large_->values.data();
    more_ = values_ + needed;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  using Row = kernels::SparseRow<double, std::int32_t>;
  Row row(Index r) {
    const Index count = maker_.make(r, columns_, values_);
    if (!scale_.empty())
      for (Index k = 0; k < count; ++k) values_[k] *= scale_[to_size(columns_[k])];
    return {values_, columns_, count, maker_.geometry().image.size()};
  }
  PairRow pairs(Index r) { return make_pairs(maker_, r, columns_, values_, more_); }

 private:
  static constexpr Index most = 4096;
  struct Large {
    std::vector<std::int32_t> columns;
    std::vector<double> values;
  };
  const RayMaker& maker_;
  const std::vector<double>& scale_;
  std::array<std::int32_t, to_size(most)> small_columns_;
  std::array<double, to_size(2 * most)> small_values_;
  std::unique_ptr<Large> large_;
  std::int32_t* columns_ = small_columns_.data();
  double* values_ = small_values_.data();
  double* more_ = values_ + most;
};

}  // namespace polyak::tomography
