#pragma once

// What `polyak tomography reconstruct` is asked for.

#include "messages.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "tomography_scan.hpp"

namespace polyak::cli {

/// Which slices, which rays, and what is known of them.
struct SinogramOptions {
  std::optional<std::string> slices, weights, mask, reference;
};

struct ImageOutputs {
  std::optional<std::string> output, report, history, residual, images;
};

struct ReconstructRequest {
  std::string sinogram;
  ScanOptions scan;
  SinogramOptions data;
  tomography::ReconstructOptions options;
  ImageOutputs outputs;
  MessageOptions messages;
};

OptionSet reconstruct_option_set(ReconstructRequest& request);

/// Error usage or io before anything is read.
void check_request(const ReconstructRequest& request);

/// The slices asked for, slices × rays, and the scan they are of; fills in the
/// weights of the request. `mask` and `weights` are taken from files here.
struct LoadedScan {
  tomography::Geometry geometry;
  std::vector<double> sinograms, reference;
  Index masked = 0;
};
LoadedScan load_scan(ReconstructRequest& request);

/// Images, report, history, and what is said of them.
void write_reconstruction(const ReconstructRequest& request, const LoadedScan& scan,
                          const tomography::Reconstruction& result, Messages& messages);

}  // namespace polyak::cli
