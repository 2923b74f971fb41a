#pragma once

// The parts of the `polyak tomography` commands.

#include <optional>
#include <string>
#include <vector>

#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "polyak/tomography.hpp"
#include "polyak/tomography_reconstruct.hpp"
#include "program.hpp"
#include "solve/observers.hpp"

namespace polyak::cli {

int tomography_matrix(const Words& words, Messages& messages);
int tomography_project(const Words& words, Messages& messages);
int tomography_reconstruct(const Words& words, Messages& messages);

// scan.cpp: the geometry of a scan, for all commands.

struct ScanOptions {
  std::string beam = "parallel";
  std::optional<std::string> angles;
  std::string angle_unit = "degrees";
  std::optional<Index> detectors;
  double spacing = 1.0;
  std::optional<std::string> offset;
  std::optional<std::string> center;
  double source_distance = 0.0;
  double detector_distance = 0.0;
  std::optional<std::string> size;
  std::optional<double> pixel;
  std::string projector = "line";
};
const std::vector<OptionRecord<ScanOptions>>& scan_options();

/// The angles of --angles in radians; empty without --angles.
std::vector<double> angles_asked(const ScanOptions& options);
/// The default angles, 0:180:180 degrees.
std::vector<double> default_angles();

/// Sizes and angles from the data, for options that are not given.
struct ScanFacts {
  Index detectors = 0;           ///< before binning
  std::vector<double> angles;    ///< of --angles, or of the file
  Index bin = 1;                 ///< detector elements joined into one
  std::optional<double> center;  ///< estimated, in elements before binning
};
/// The geometry, checked.
tomography::Geometry make_geometry(const ScanOptions& options, const ScanFacts& facts);
tomography::Geometry make_geometry(const ScanOptions& options, Index detectors);

/// All values of a file, row by row.
std::vector<double> read_values(const std::string& path);

// request.cpp: the options of reconstruct.

/// Which slices and rays are used, and how they become line integrals.
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

/// Error usage or io, before any file is read.
void check_request(const ReconstructRequest& request);

// load.cpp

struct LoadedScan {
  tomography::Geometry geometry;
  std::vector<double> sinograms, reference;  ///< sinograms: slices × rays
  Index masked = 0;                          ///< rays left out: masked, dead or without light
  std::optional<double> center = {};         ///< found by --center auto, in elements before binning
};
/// Reads the scan; fills in the weights of the request from --weights and --mask.
/// Reports corrections of the data as messages.
LoadedScan load_scan(ReconstructRequest& request, Messages& messages);

/// Everything that the bits of the image depend on, iteration limits included.
Fingerprint fingerprint(const ReconstructRequest& request, const LoadedScan& scan);

}  // namespace polyak::cli
