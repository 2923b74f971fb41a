#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "core/random.hpp"
#include "polyak/tomography.hpp"

namespace polyak::tomography {
using namespace polyak::internal;

inline std::vector<double> turn(Index count, double degrees) {
  std::vector<double> out;
  for (Index k = 0; k < count; ++k)
    out.push_back(degrees * std::numbers::pi / 180.0 * static_cast<double>(k) /
                  static_cast<double>(count));
  return out;
}

/// The scan of the paper: 64 x 64 pixels, 128 elements, 720 half-degree views.
inline Geometry paper_scan(double spacing) {
  Geometry g;
  g.angles = turn(720, 360.0);
  g.detectors = 128;
  g.spacing = spacing;
  g.image = {64, 64, 1.0};
  return g;
}

/// Small, not square, off centre; nothing is a round number.
inline Geometry odd_scan(Beam beam) {
  Geometry g;
  g.beam = beam;
  g.angles = turn(37, 360.0);
  g.angles[3] = std::numbers::pi / 4;
  g.detectors = 31;
  g.spacing = 0.83;
  g.offsets = {0.37};
  g.image = {19, 23, 0.71};
  if (beam == Beam::fan) g.source_distance = 41.0, g.detector_distance = 17.0;
  return g;
}

inline std::vector<double> normals(Index count, std::uint64_t seed) {
  std::vector<double> out(to_size(count));
  Random(seed, 11).normals(0, out.size(), out.data());
  return out;
}

inline ConstView as_vector(const std::vector<double>& v) {
  return {v.data(), 1, std::ssize(v), std::ssize(v)};
}
inline View as_vector(std::vector<double>& v) {
  return {v.data(), 1, std::ssize(v), std::ssize(v)};
}
inline ConstView as_column(const std::vector<double>& v) { return {v.data(), std::ssize(v), 1, 1}; }
inline View as_column(std::vector<double>& v) { return {v.data(), std::ssize(v), 1, 1}; }

inline std::vector<double> times(const RowMatrix& A, const std::vector<double>& x) {
  std::vector<double> y(to_size(A.rows()));
  A.multiply(0, A.rows(), as_vector(x), as_column(y));
  return y;
}
inline std::vector<double> transposed_times(const RowMatrix& A, const std::vector<double>& y) {
  std::vector<double> g(to_size(A.cols()), 0.0);
  A.add_transposed(0, A.rows(), as_column(y), as_vector(g));
  return g;
}
inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace polyak::tomography
