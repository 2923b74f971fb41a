#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "polyak/error.hpp"
#include "polyak/tomography_scan.hpp"
#include "tomography/scan/layout.hpp"

namespace polyak::tomography {
using namespace polyak::tomography::internal;

namespace {

constexpr Index default_views = 180;

std::string sizes(const std::vector<Index>& shape) {
  std::string out;
  for (Index n : shape) out += (out.empty() ? "" : " x ") + std::to_string(n);
  return out;
}

// The meaning of the indices of an array.
struct Axes {
  Index slices, views, detectors;
  bool projections = false;  // the first index is the view
  bool stacked = false;      // two indices: slices below each other
};

[[noreturn]] void refuse_fit(const StoredArray& data, Index views, Index detectors) {
  refuse_scan(data.name(), "the sinogram does not fit the geometry", sizes(data.shape()),
              fmt::format("{} angles x {} detectors", views, detectors),
              "--angles N or FIRST:LAST:N says how many views there are");
}

Axes plain_axes(const StoredArray& data, Index views, std::optional<Index> asked) {
  const auto& shape = data.shape();
  const bool column = shape.size() == 1 || shape[1] == 1;
  const Index of_one = shape.size() == 1 && views > 0 ? data.size() / views : 1;
  const Index detectors = asked.value_or(column ? of_one : shape.back());
  const Index rays = views * detectors;
  const bool fits = column ? rays > 0 && data.size() % rays == 0
                           : shape.back() == detectors && views > 0 && shape[0] % views == 0;
  if (!fits || data.size() == 0) refuse_fit(data, views, detectors);
  return {data.size() / rays, views, detectors, false, true};
}

Axes stack_axes(const StoredArray& data, Index frames, const ScanSource& source, Index views) {
  const Index second = data.shape()[1], detectors = data.shape()[2];
  const bool first_fits = frames == views, second_fits = second == views;
  StackOrder order = source.order;
  if (order == StackOrder::automatic && first_fits && second_fits)
    refuse_scan(data.name(), "it is not clear which index of the stack is the angle",
                sizes(data.shape()), fmt::format("{} angles in one of them", views),
                "give --order projections or --order sinograms");
  if (order == StackOrder::automatic)
    order = second_fits ? StackOrder::sinograms : StackOrder::projections;
  const bool projections = order == StackOrder::projections;
  if (!(projections ? first_fits : second_fits) ||
      source.detectors.value_or(detectors) != detectors || data.size() == 0)
    refuse_scan(
        data.name(), "the stack does not fit the geometry", sizes(data.shape()),
        fmt::format("{} angles, {} detectors", views, source.detectors.value_or(detectors)));
  return {projections ? second : frames, views, detectors, projections, false};
}

// The number of views: the angles given by the user, those in the file, or the default.
Index count_views(const ScanParts& parts, const ScanSource& source, Index frames) {
  const std::string& name = parts.data->name();
  if (!parts.layout.empty() && !source.views && parts.angles.empty())
    refuse_scan(name, "the file does not say at which angles it was taken", "no angles",
                "one for each of " + std::to_string(frames) + " views", "give --angles");
  const Index angles = std::ssize(parts.angles);
  const Index views = source.views.value_or(angles > 0 ? angles : default_views);
  if (!parts.layout.empty() && source.order != StackOrder::sinograms && views != frames)
    refuse_scan(name, "there is not one angle for each view", std::to_string(views) + " angles",
                std::to_string(frames) + " views");
  return views;
}

Axes axes_of(const ScanParts& parts, const ScanSource& source) {
  const auto& shape = parts.data->shape();
  if (shape.empty() || shape.size() > 3)
    refuse_scan(parts.data->name(), "a scan has two or three dimensions", sizes(shape),
                "[view, element], [view, slice, element] or [slice, view, element]");
  const Index frames = parts.frames.empty() ? shape[0] : std::ssize(parts.frames);
  const Index views = count_views(parts, source, frames);
  if (shape.size() < 3) return plain_axes(*parts.data, views, source.detectors);
  ScanSource known = source;
  if (!parts.layout.empty() && source.order == StackOrder::automatic)
    known.order = StackOrder::projections;
  return stack_axes(*parts.data, frames, known, views);
}

std::pair<Index, Index> slices_of(const ScanSource& source, Index there) {
  const auto [first, last] = source.slices.value_or(std::pair<Index, Index>{0, there});
  if (first >= 0 && first < last && last <= there) return {first, last};
  throw Error(ErrorCode::usage, {.what = "there are no such slices",
                                 .where = "--slices",
                                 .found = fmt::format("'{}:{}'", first, last),
                                 .expected = fmt::format("A:B within 0:{}", there)});
}

// Reads images [frame, slice, element] into slices × frames × elements; consecutive frames are read
// together, up to a limit of memory.
std::vector<double> read_frames(const StoredArray& data, const std::vector<Index>& frames,
                                Index first, Index last) {
  const Index detectors = data.shape()[2], slices = last - first, count = std::ssize(frames);
  const Index max_frames = std::max<Index>(1, (Index{1} << 21) / (slices * detectors));
  std::vector<double> out(to_size(slices * count * detectors)), block;
  for (Index done = 0; done < count;) {
    Index run = 1;
    while (done + run < count && run < max_frames &&
           frames[to_size(done + run)] == frames[to_size(done)] + run)
      ++run;
    block.resize(to_size(run * slices * detectors));
    const Index from[] = {frames[to_size(done)], first, 0}, many[] = {run, slices, detectors};
    data.read(from, many, block);
    for (Index k = 0; k < run; ++k)
      for (Index s = 0; s < slices; ++s)
        std::copy_n(block.begin() + (k * slices + s) * detectors, detectors,
                    out.begin() + (s * count + done + k) * detectors);
    done += run;
  }
  return out;
}

std::vector<Index> first_frames(Index count) {
  std::vector<Index> out(to_size(count));
  for (Index k = 0; k < count; ++k) out[to_size(k)] = k;
  return out;
}

std::vector<double> read_values(const ScanParts& parts, const Axes& axes, Index first, Index last) {
  const StoredArray& data = *parts.data;
  if (axes.projections)
    return read_frames(data, parts.frames.empty() ? first_frames(axes.views) : parts.frames, first,
                       last);
  const Index slices = last - first;
  std::vector<double> out(to_size(slices * axes.views * axes.detectors));
  if (data.shape().size() == 3) {
    const Index from[] = {first, 0, 0}, many[] = {slices, axes.views, axes.detectors};
    data.read(from, many, out);
  } else if (data.shape().size() == 2) {
    const Index width = data.shape()[1], tall = std::ssize(out) / width;
    const Index from[] = {first * (tall / slices), 0}, many[] = {tall, width};
    data.read(from, many, out);
  } else {
    const Index from[] = {first * axes.views * axes.detectors}, many[] = {std::ssize(out)};
    data.read(from, many, out);
  }
  return out;
}

// The mean over the images of slices × images × elements.
std::vector<double> mean_image(const std::vector<double>& values, const Axes& axes, Index slices,
                               const std::string& name) {
  const Index images = std::ssize(values) / (slices * axes.detectors);
  std::vector<double> out(to_size(slices * axes.detectors), 0.0);
  for (Index k = 0; k < std::ssize(values); ++k) {
    const double v = values[to_size(k)];
    const Index slice = k / (images * axes.detectors), element = k % axes.detectors;
    if (!std::isfinite(v) || v < 0.0)
      refuse_scan(fmt::format("{}, image {}, slice {}, element {} (counted from 1)", name,
                              k / axes.detectors % images + 1, slice + 1, element + 1),
                  v < 0.0 ? "a count is negative" : "a count is not finite", fmt::format("{}", v),
                  "0 or more");
    out[to_size(slice * axes.detectors + element)] += v / static_cast<double>(images);
  }
  return out;
}

// Flat or dark fields in a separate array: [image, slice, element], [slice, element] (for one slice
// [image, element]), or [element].
std::vector<double> read_field(const StoredArrayPtr& field, const Axes& axes, Index first,
                               Index last) {
  const auto& shape = field->shape();
  const std::size_t rank = shape.size();
  const Index slices = last - first;
  const bool of_slices = rank == 2 && shape[0] == axes.slices && axes.slices > 1;
  const bool column = rank == 2 && shape[1] == 1 && shape[0] == axes.detectors;
  const bool fits =
      field->size() > 0 && (column || (shape.back() == axes.detectors &&
                                       (rank == 1 || of_slices || (rank == 2 && axes.slices == 1) ||
                                        (rank == 3 && shape[1] == axes.slices))));
  if (!fits)
    refuse_scan(field->name(), "the field does not fit the scan", sizes(shape),
                fmt::format("images x {} x {}", axes.slices, axes.detectors));
  if (rank == 3)
    return mean_image(read_frames(*field, first_frames(shape[0]), first, last), axes, slices,
                      field->name());
  auto values = field->read_all();
  if (of_slices)
    values = {values.begin() + first * axes.detectors, values.begin() + last * axes.detectors};
  const Index each = of_slices ? slices : 1;
  auto mean = mean_image(values, axes, each, field->name());
  const auto one = mean;
  for (Index s = each; s < slices; ++s) mean.insert(mean.end(), one.begin(), one.end());
  return mean;
}

std::vector<double> field_of(const std::optional<std::string>& path, const StoredArrayPtr& own,
                             const std::vector<Index>& frames, const ScanParts& parts,
                             const Axes& axes, Index first, Index last) {
  if (path) return read_field(open_array(*path), axes, first, last);
  if (own != nullptr) return read_field(own, axes, first, last);
  if (frames.empty()) return {};
  return mean_image(read_frames(*parts.data, frames, first, last), axes, last - first,
                    parts.data->name());
}

}  // namespace

ScanData read_scan(const ScanSource& source) {
  const ScanParts parts = find_parts(source.path);
  const Axes axes = axes_of(parts, source);
  const auto [first, last] = slices_of(source, axes.slices);
  ScanData out;
  out.name = parts.data->name();
  out.layout = parts.layout;
  out.slices = last - first;
  out.views = axes.views;
  out.detectors = axes.detectors;
  out.angles = parts.angles;
  check_room(static_cast<double>(out.slices) * static_cast<double>(out.views) *
                 static_cast<double>(out.detectors) * sizeof(double),
             out.name, source.most_bytes);
  out.values = read_values(parts, axes, first, last);
  out.flat = field_of(source.flat, parts.flat, parts.flat_frames, parts, axes, first, last);
  out.dark = field_of(source.dark, parts.dark, parts.dark_frames, parts, axes, first, last);
  return out;
}

}  // namespace polyak::tomography
