#pragma once

// The two ways an image is made: by the library's driver, or by sweeps over the
// views.
//
// Total variation: how smooth the image should be is what held-out rays say.
//
// What is refused before anything is done.
//
// A stack of slices, some at a time: how many, which part of the data is
// theirs, and how their results become one.

#include <memory>

#include "polyak/tomography_reconstruct.hpp"
#include "tomography/reconstruct/image_run.hpp"

namespace polyak::tomography {

/// `from`: where a run that was saved goes on, or null.
Reconstruction run_solver(const std::shared_ptr<const Problem>& problem,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from);

/// sirt, sart, and fbp, whose image is the start itself.
Reconstruction run_sweeps(const Problem& problem, const Geometry& geometry,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from);

/// One slice. Without options.smoothing fits of more and more roughness are made
/// without the held-out rays, and the smoothest of those that predict them best is
/// finished with all rays; with options.noise the first that comes down to it is
/// taken. `from`: where a run that was saved goes on, or null.
Reconstruction run_tv(const Problem& problem, const Geometry& geometry,
                      const ReconstructOptions& options, StopRules& rules, const RunState* from);

/// The error with which the best of these fits predicts held-out rays of weight 1:
/// noise, and what pixels cannot explain.
double held_out_error(const Problem& problem, const Geometry& geometry,
                      const ReconstructOptions& options, StopRules& rules);

inline bool is_sweep(const std::string& method) { return method == "sirt" || method == "sart"; }

/// An option is given that tv has no use for, but minibatch-hbm has.
bool steers_sampling(const ReconstructOptions& options);

/// Error usage for options that make no sense, or that the method does not use.
void check_options(const ReconstructOptions& options);

/// Error bad_data unless there are whole slices of finite values; the first that
/// is not is named by view and element.
void check_data(const Geometry& geometry, const std::vector<double>& sinograms);

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
