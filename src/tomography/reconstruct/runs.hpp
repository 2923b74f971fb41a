#pragma once

// The steps of reconstruct(): checks, the runs of the different methods, and stacks of slices.

#include <memory>

#include "polyak/tomography_reconstruct.hpp"
#include "tomography/reconstruct/image_run.hpp"

namespace polyak::tomography::internal {

/// A method of the library, by its driver. `from` is the state of a saved run to continue, or null.
Reconstruction run_solver(const std::shared_ptr<const Problem>& problem,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from);

/// sirt, sart, and fbp, whose image is the start image.
Reconstruction run_sweeps(const Problem& problem, const Geometry& geometry,
                          const ReconstructOptions& options, StopRules& rules,
                          const RunState* from);

/// Total variation, one slice. Without options.smoothing fits with decreasing smoothing are made
/// without the held-out rays; the smoothest of those that predict the held-out rays best is then
/// computed with all rays. With options.noise the first fit that reaches that residual is taken.
/// `from` is the state of a saved run to continue, or null.
Reconstruction run_tv(const Problem& problem, const Geometry& geometry,
                      const ReconstructOptions& options, StopRules& rules, const RunState* from);

/// The prediction error of the best of these fits for held-out rays of weight 1: measurement noise
/// plus the error of the pixel model.
double held_out_error(const Problem& problem, const Geometry& geometry,
                      const ReconstructOptions& options, StopRules& rules);

inline bool is_sweep(const std::string& method) { return method == "sirt" || method == "sart"; }

/// True if an option is given that minibatch-hbm has and tv has not.
bool has_sampling_option(const ReconstructOptions& options);

/// Error usage for values out of range and for options that the method does not use.
void check_options(const ReconstructOptions& options);

/// Error bad_data unless the data are whole slices of finite values; names view and element of the
/// first value that is not finite.
void check_data(const Geometry& geometry, const std::vector<double>& sinograms);

/// Slices [first, last) of a stack of `size`.
struct SliceGroup {
  Index first, last, size;
  Index count() const { return last - first; }
  bool all() const { return count() == size; }
};

/// The memory for one slice during a run: vectors of the method, partial sums of the products (up
/// to 64, see matrix/products.cpp), the data and its residuals.
double bytes_per_slice(const Geometry& geometry);

/// Groups of as many slices as fit `memory_bytes`, at least one, of nearly equal size.
std::vector<SliceGroup> slice_groups(const Geometry& geometry, Index slices, double memory_bytes);

/// The part of a stack that belongs to the group, slice after slice; empty for an empty stack.
std::vector<double> part_of(const std::vector<double>& stack, const SliceGroup& group);

/// The transpose of a row-major matrix with this number of rows.
std::vector<double> transposed(const std::vector<double>& in, Index rows);

/// Combines the results of the groups. Norms are over all slices; line k of the history combines
/// line k of every group, or its last line if it has fewer. `data` and `reference` are those of the
/// group.
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

}  // namespace polyak::tomography::internal
