#pragma once

// A stack of slices, some at a time: how many, which part of the data is
// theirs, and how their results become one.

#include "polyak/tomography_reconstruct.hpp"

namespace polyak::tomography {

/// Slices [first, last) of a stack of `size`.
struct SliceGroup {
  Index first, last, size;
  Index count() const { return last - first; }
  bool all() const { return count() == size; }
};

/// What one slice takes while it is being solved: vectors of the method and
/// partial sums of the products (up to 64 of them, see matrix/products.cpp), the
/// data and its residuals.
double bytes_per_slice(const Geometry& geometry);

/// As many slices to a group as `memory_bytes` has room for, at least one, the
/// groups as even as can be.
std::vector<SliceGroup> slice_groups(const Geometry& geometry, Index slices, double memory_bytes);

/// The group's part of a stack, slice after slice; nothing of nothing.
std::vector<double> part_of(const std::vector<double>& stack, const SliceGroup& group);

/// rows × columns to columns × rows.
std::vector<double> transposed(const std::vector<double>& in, Index rows);

/// Adds the result of a group to what the groups before it gave. Norms are over
/// all slices; line k of the history is the k-th of every group, one that has
/// stopped keeping its last. `data` and `reference` are the group's.
class StackResult {
 public:
  void add(Reconstruction group, const std::vector<double>& data,
           const std::vector<double>& reference);
  Reconstruction take();

 private:
  struct Part {
    std::vector<Measurement> history;
    double data2, reference2;  // ‖b‖², with weights, and ‖reference‖²
  };
  Measurement line(std::size_t k) const;

  std::vector<Part> parts_;
  Reconstruction all_;
};

}  // namespace polyak::tomography
