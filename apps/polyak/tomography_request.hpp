#pragma once

// What `polyak tomography reconstruct` is asked for.

#include "checkpointing.hpp"
#include "messages.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "tomography_scan.hpp"

namespace polyak::cli {

/// Which slices, which rays, how they become line integrals, and what is known
/// of them.
struct SinogramOptions {
  std::optional<std::string> slices, weights, mask, reference, flat, dark;
  std::string order = "auto";
  std::string log = "auto";
  std::optional<double> attenuation;
  Index bin = 1;
};

struct ImageOutputs {
  std::optional<std::string> output, report, history, residual, images, page;
};

struct ReconstructRequest {
  std::string sinogram;
  ScanOptions scan;
  SinogramOptions data;
  tomography::ReconstructOptions options;
  ImageOutputs outputs;
  CheckpointOptions checkpoint;
  MessageOptions messages;
};

OptionSet reconstruct_option_set(ReconstructRequest& request);

/// Error usage or io before anything is read.
void check_request(const ReconstructRequest& request);

/// The slices asked for, slices × rays, and the scan they are of; fills in the
/// weights of the request. `mask` and `weights` are taken from files here. What
/// had to be done to the data is told as messages.
struct LoadedScan {
  tomography::Geometry geometry;
  std::vector<double> sinograms, reference;
  Index masked = 0;                   ///< rays left out: masked, dead or without light
  std::optional<double> center = {};  ///< found by --center auto, in elements before binning
};
LoadedScan load_scan(ReconstructRequest& request, Messages& messages);

/// All that the bits of the image depend on; limits are part of what it is.
Fingerprint fingerprint(const ReconstructRequest& request, const LoadedScan& scan);

/// Images, report, history, and what is said of them.
void write_reconstruction(const ReconstructRequest& request, const LoadedScan& scan,
                          const tomography::Reconstruction& result, Messages& messages);

}  // namespace polyak::cli
