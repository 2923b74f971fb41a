#pragma once

// What every tomography command is told about the scan.

#include <optional>
#include <string>
#include <vector>

#include "option_set.hpp"
#include "polyak/tomography.hpp"

namespace polyak::cli {

struct ScanOptions {
  std::string beam = "parallel";
  std::string angles = "0:180:180";
  std::string angle_unit = "degrees";
  std::optional<Index> detectors;
  double spacing = 1.0;
  std::optional<std::string> offset;
  std::optional<double> center;
  double source_distance = 0.0;
  double detector_distance = 0.0;
  std::optional<std::string> size;
  double pixel = 1.0;
  std::string projector = "line";
};
const std::vector<OptionRecord<ScanOptions>>& scan_options();

/// The scan they describe, checked. `detectors` and `side` are what the data
/// say; sizes that are not given follow from them.
tomography::Geometry make_geometry(const ScanOptions& options, Index detectors);

/// All values of a file, row after row.
std::vector<double> read_values(const std::string& path);

}  // namespace polyak::cli
