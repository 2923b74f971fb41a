#pragma once

// What is refused before anything is done.

#include "polyak/tomography_reconstruct.hpp"

namespace polyak::tomography {

inline bool is_sweep(const std::string& method) { return method == "sirt" || method == "sart"; }

/// An option is given that tv has no use for, but minibatch-hbm has.
bool steers_sampling(const ReconstructOptions& options);

/// Error usage for options that make no sense, or that the method does not use.
void check_options(const ReconstructOptions& options);

/// Error bad_data unless there are whole slices of finite values; the first that
/// is not is named by view and element.
void check_data(const Geometry& geometry, const std::vector<double>& sinograms);

}  // namespace polyak::tomography
