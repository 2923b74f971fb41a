#include "spectrum/sketch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/file_pages.hpp"
#include "core/random.hpp"
#include "kernels/dense.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
namespace {

constexpr Index sketch_block_rows = 1024;  // rows of A in memory at a time
constexpr Index rows_per_task = 32;        // when a block is loaded
constexpr Index columns_per_task = 64;     // when a block is added to the sketch

// A row of the sketch (one in each band) to which a row of A is added, and its sign.
struct Target {
  std::int32_t row;
  float sign;
};

class Sketcher {
 public:
  Sketcher(const Problem& problem, Scale scale, Index rows, std::uint64_t seed, ThreadTeam& team,
           bool with_rhs)
      : problem_(problem),
        scale_(scale),
        team_(team),
        random_(seed, stream::sketch),
        band_((rows + sketch_copies - 1) / sketch_copies),
        width_(problem.cols() + (with_rhs ? problem.right_hand_sides() : 0)),
        out_(band_ * sketch_copies, width_),
        block_(sketch_block_rows, width_),
        targets_(to_size(sketch_block_rows * sketch_copies)) {}

  Buffer make() {
    const Partition own = partition(problem_.A());
    const Index last = own.first + own.rows->rows();
    problem_.A().expect_range(own.first, last);
    for (Index first = own.first; first < last; first += sketch_block_rows) {
      const Index count = std::min(sketch_block_rows, last - first);
      team_.run((count + rows_per_task - 1) / rows_per_task, [&](Index part) {
        load(first, part * rows_per_task, std::min(count, (part + 1) * rows_per_task));
      });
      // Each entry of the sketch is summed in row order by the one thread that has its column, so
      // the bits do not depend on the number of threads.
      const Index parts = (width_ + columns_per_task - 1) / columns_per_task;
      team_.run(parts, [&](Index part) {
        add(count, width_ * part / parts, width_ * (part + 1) / parts);
      });
    }
    communicator(problem_.A()).sum({out_.data(), to_size(out_.rows() * out_.cols())});
    return std::move(out_);
  }

 private:
  void load(Index first, Index from, Index to) {
    const Index d = problem_.cols();
    problem_.A().copy_rows(first + from, first + to, part(block_.view(), from, 0, to - from, d));
    for (Index i = from; i < to; ++i) {
      const Index row = first + i;
      const double w = problem_.weights().empty() ? 1.0 : problem_.weights()[to_size(row)];
      use_in_turn(problem_.weights().data(), row);
      use_in_turn(problem_.b().row(row), row);
      const double root = std::sqrt(w);
      double* v = block_.view().row(i);
      for (Index j = 0; j < d; ++j) v[j] *= scale_.a * root;
      for (Index c = 0; c < width_ - d; ++c) v[d + c] = problem_.b()(row, c) * scale_.b * root;
      choose_targets(row, targets_.data() + i * sketch_copies);
    }
  }

  // 32 random bits per target: the lowest bit is the sign, the others give a row in [0, band).
  void choose_targets(Index row, Target* targets) const {
    std::uint64_t bits[sketch_copies / 2];
    random_.bits(static_cast<std::uint64_t>(row), 0, sketch_copies / 2, bits);
    for (Index k = 0; k < sketch_copies; ++k) {
      const std::uint64_t half = (bits[k / 2] >> (32 * (k % 2))) & 0xffffffffu;
      const std::uint64_t place = ((half >> 1) * static_cast<std::uint64_t>(band_)) >> 31;
      targets[k] = {static_cast<std::int32_t>(k * band_ + static_cast<Index>(place)),
                    (half & 1) ? 1.0f : -1.0f};
    }
  }

  void add(Index count, Index from, Index to) {
    static const double size = 1.0 / std::sqrt(static_cast<double>(sketch_copies));
    for (Index i = 0; i < count; ++i) {
      const double* v = block_.view().row(i) + from;
      for (Index k = 0; k < sketch_copies; ++k) {
        const Target& t = targets_[to_size(i * sketch_copies + k)];
        kernels::gradient_step(to - from, size * t.sign, v, out_.view().row(t.row) + from);
      }
    }
  }

  const Problem& problem_;
  Scale scale_;
  ThreadTeam& team_;
  Random random_;
  Index band_, width_;
  Buffer out_, block_;
  std::vector<Target> targets_;
};

}  // namespace

Buffer sparse_sign_sketch(const Problem& problem, Scale scale, Index rows, std::uint64_t seed,
                          ThreadTeam& team, bool with_rhs) {
  return Sketcher(problem, scale, rows, seed, team, with_rhs).make();
}

}  // namespace polyak
