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

/// The angles asked for, in radians; none when --angles is not given.
std::vector<double> angles_asked(const ScanOptions& options);
/// What holds when nobody says anything: 0:180:180.
std::vector<double> usual_angles();

/// What the data say: sizes and angles that are not given follow from it.
struct ScanFacts {
  Index detectors = 0;           ///< before binning
  std::vector<double> angles;    ///< those asked for, or those of the file
  Index bin = 1;                 ///< elements joined into one
  std::optional<double> center;  ///< found, in elements before binning
};
/// The scan they describe, checked.
tomography::Geometry make_geometry(const ScanOptions& options, const ScanFacts& facts);
tomography::Geometry make_geometry(const ScanOptions& options, Index detectors);

/// All values of a file, row after row.
std::vector<double> read_values(const std::string& path);

}  // namespace polyak::cli
