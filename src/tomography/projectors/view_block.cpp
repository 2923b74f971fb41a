#include "tomography/projectors/view_block.hpp"

#include <algorithm>

#include "tomography/projectors/band_kernels.hpp"

namespace polyak::tomography::internal {

bool ViewBlock::supports(const RayMaker& maker) {
  const Geometry& g = maker.geometry();
  return g.beam == Beam::parallel &&
         (maker.model() != RayModel::strip || g.spacing <= 1.4 * g.image.pixel);
}

void ViewBlock::prepare(const RayMaker& maker, Index first, Index last) {
  const Index detectors = maker.geometry().detectors;
  image_ = maker.geometry().image;
  strips_ = maker.model() == RayModel::strip;
  runs_.clear();
  c0_.clear();
  while (first < last) {
    const Index end = std::min(last, (first / detectors + 1) * detectors);
    add_run(maker, first, end - first);
    first = end;
  }
  values_.assign(c0_.size(), 0.0);
  for (Run& run : runs_) run.rays.c0 = c0_.data() + run.at;
}

// The padding repeats the first and the last crossing.
void ViewBlock::add_run(const RayMaker& maker, Index first, Index count) {
  const Line line = maker.line(first);
  Run run{by_rows(line), std::ssize(c0_) + ViewRays::padding, {}, 1.0};
  const double q = std::abs(crossing(line, image_, run.rows).slope);
  run.rays.count = count;
  run.rays.share = share_of(maker.model(), q);
  run.rays.area = Area(q);
  run.scale = strips_ ? image_.pixel * image_.pixel / maker.geometry().spacing
                      : image_.pixel * std::sqrt(1.0 + q * q);
  const Index crossings = strips_ ? count + 1 : count;
  const auto c0 = [&](Index k) {
    const Index ray = first + std::min(k, count - 1);  // the last edge belongs to the last ray
    const double shift = strips_ ? static_cast<double>(k - (ray - first)) : 0.5;
    return crossing(maker.line(ray, shift), image_, run.rows);
  };
  run.rays.slope = c0(0).slope;
  c0_.insert(c0_.end(), to_size(ViewRays::padding), c0(0).c0);
  for (Index k = 0; k < crossings; ++k) c0_.push_back(c0(k).c0);
  run.rays.ascending = c0_[to_size(run.at)] <= c0_.back();
  c0_.insert(c0_.end(), to_size(2 * ViewRays::padding), c0_.back());
  runs_.push_back(run);
}

// The range of pixels of these lines that the rays may meet.
ViewBlock::Span ViewBlock::span(const Run& run, Index first_step, Index steps, Index across) const {
  const Index crossings = run.rays.count + (strips_ ? 1 : 0);
  double low = 1e300, high = -1e300;
  for (const double c0 : {run.rays.c0[0], run.rays.c0[crossings - 1]}) {
    for (const Index k : {first_step, first_step + steps - 1}) {
      const double c = c0 + static_cast<double>(k) * run.rays.slope;
      low = std::min(low, c), high = std::max(high, c);
    }
  }
  const auto pixel = [&](double c) {
    return static_cast<Index>(std::min(std::max(c, 0.0), static_cast<double>(across)));
  };
  return {pixel(low - 1.0), pixel(high + 3.0)};
}

// Calls body(band, span) for every band that meets a ray followed along rows (or columns).
template <class Body>
void ViewBlock::for_bands(bool rows, const double* image, Body body) {
  const Path path(image_, rows);
  if (std::none_of(runs_.begin(), runs_.end(), [&](const Run& r) { return r.rows == rows; }))
    return;
  buffer_.prepare(image_, rows);
  for (Index k = 0; k < buffer_.bands(); ++k) {
    const Index first = k * Band::max_lines, steps = std::min(Band::max_lines, path.steps - first);
    Span all{path.across, 0};
    for (const Run& run : runs_) {
      if (run.rows != rows) continue;
      const Span one = span(run, first, steps, path.across);
      if (one.from < one.to) all = {std::min(all.from, one.from), std::max(all.to, one.to)};
    }
    if (all.from < all.to) body(buffer_.load(k, all.from, all.to, image), all);
  }
}

void ViewBlock::project(const double* x) {
  std::fill(values_.begin(), values_.end(), 0.0);
  for (const bool rows : {true, false}) {
    for_bands(rows, x, [&](const Band& band, const Span&) {
      for (const Run& run : runs_) {
        if (run.rows != rows) continue;
        (strips_ ? project_strips : project_pairs)(band, run.rays, values_.data() + run.at);
      }
    });
  }
  for (const Run& run : runs_) {
    double* values = values_.data() + run.at;
    for (Index i = 0; i < run.rays.count; ++i) values[i] *= run.scale;
    std::fill_n(values + run.rays.count, ViewRays::padding, 0.0);
  }
}

void ViewBlock::back_project(double* g) {
  for (const Run& run : runs_)
    for (Index i = 0; i < run.rays.count; ++i) values_[to_size(run.at + i)] *= run.scale;
  for (const bool rows : {true, false}) {
    for_bands(rows, g, [&](const Band& band, const Span& span) {
      for (const Run& run : runs_) {
        if (run.rows != rows) continue;
        (strips_ ? back_project_strips : back_project_pairs)(band, run.rays,
                                                             values_.data() + run.at);
      }
      buffer_.store(band, span.from, span.to, g);
    });
  }
}

// Lines a multiple of 4096 bytes apart would fall into the same cache set.
void BandBuffer::prepare(const ImageGrid& image, bool rows) {
  path_ = Path(image, rows);
  Index pitch = (path_.across + 7) / 8 * 8 + 2 * Band::margin;
  if (pitch % 512 == 0) pitch += 8;
  buffer_.resize(to_size(Band::max_lines * pitch));
}

Band BandBuffer::load(Index k, Index from, Index to, const double* image) {
  Band band;
  band.pitch = std::ssize(buffer_) / Band::max_lines;
  band.lines = buffer_.data() + Band::margin;
  band.first = k * Band::max_lines;
  band.count = std::min(Band::max_lines, path_.steps - band.first);
  band.across = path_.across;
  for (Index l = 0; l < band.count; ++l) {
    std::fill_n(band.lines + l * band.pitch - Band::margin, Band::margin, 0.0);
    std::fill_n(band.lines + l * band.pitch + band.across, Band::margin, 0.0);
  }
  const double* pixels = image + band.first * path_.step_stride;
  if (path_.stride == 1) {
    for (Index l = 0; l < band.count; ++l)
      std::copy(pixels + l * path_.step_stride + from, pixels + l * path_.step_stride + to,
                band.lines + l * band.pitch + from);
    return band;
  }
  for (Index j = from; j < to; ++j)
    for (Index l = 0; l < band.count; ++l)
      band.lines[l * band.pitch + j] = pixels[j * path_.stride + l];
  return band;
}

void BandBuffer::store(const Band& band, Index from, Index to, double* image) const {
  double* pixels = image + band.first * path_.step_stride;
  if (path_.stride == 1) {
    for (Index l = 0; l < band.count; ++l)
      std::copy(band.lines + l * band.pitch + from, band.lines + l * band.pitch + to,
                pixels + l * path_.step_stride + from);
    return;
  }
  for (Index j = from; j < to; ++j)
    for (Index l = 0; l < band.count; ++l)
      pixels[j * path_.stride + l] = band.lines[l * band.pitch + j];
}

}  // namespace polyak::tomography::internal
