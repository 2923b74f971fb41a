#pragma once

/// \file tomography_scan.hpp
/// From detector counts to sinograms: reading a scan, dividing by flat fields, taking the
/// logarithm, binning, and finding the rotation axis.
///
///     ScanData scan = read_scan({.path = "tooth.h5"});
///     Prepared ready = prepare(scan, {.bin = 2, .minus_log = true});
///     CenterEstimate axis = find_center(ready.sinograms, scan.angles, ready.detectors);

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "polyak/types.hpp"

#pragma GCC visibility push(default)
namespace polyak::tomography {

/// The order of the indices of a stack: [angle, slice, element] or [slice, angle, element].
/// `automatic` decides by the number of angles.
enum class StackOrder { automatic, projections, sinograms };

/// The source of a scan.
///
/// HDF5 files in the layout of Data Exchange (/exchange/data, data_white,
/// data_dark, theta) or NXtomo (instrument/detector/data with image_key,
/// sample/rotation_angle) are recognised. Any other
/// file holds one array: with two dimensions sinograms below each other, with three a stack.
struct ScanSource {
  std::string path;                                    ///< as for open_array
  std::optional<std::string> flat = {}, dark = {};     ///< replace the fields in the file
  StackOrder order = StackOrder::automatic;            ///< of an array with three dimensions
  std::optional<Index> views = {};                     ///< the number of angles, if known
  std::optional<Index> detectors = {};                 ///< the expected number of elements
  std::optional<std::pair<Index, Index>> slices = {};  ///< first, and one past the last
  std::optional<double> most_bytes = {};               ///< limit of the memory for the values
};

/// The measured values of the requested slices.
struct ScanData {
  std::string name;    ///< for messages
  std::string layout;  ///< "Data Exchange", "NXtomo", or empty
  Index slices = 0;
  Index views = 0;
  Index detectors = 0;
  std::vector<double> values;      ///< slices × views × detectors
  std::vector<double> flat, dark;  ///< mean fields, slices × detectors; empty if there are none
  std::vector<double> angles;      ///< radians, one per view; empty if the file has none
};

/// Reads only the requested slices. Error bad_data when the parts do not fit together, and for
/// an unknown layout; it lists the arrays of the file.
ScanData read_scan(const ScanSource& source);

struct PrepareOptions {
  Index bin = 1;                  ///< elements joined into one; a rest at the end is dropped
  bool minus_log = false;         ///< values are counts or transmissions: take −log
  std::vector<double> mask = {};  ///< views × detectors: 0 leaves a ray out
};

/// Sinograms, and which of their rays have no valid value.
struct Prepared {
  Index detectors = 0;
  std::vector<double> sinograms;  ///< slices × views × detectors
  /// 1 for rays with no working element or without positive transmission; there the sinogram is
  /// interpolated along the detector. Empty if there are no such rays.
  std::vector<char> left_out;
  Index dead = 0;    ///< elements whose flat field is not above the dark field
  Index masked = 0;  ///< rays left out by the mask, per slice
  Index opaque = 0;  ///< rays without positive transmission
};

/// With minus_log −log of t = Σ(count − dark)/Σ(flat − dark), summed over the working elements
/// of a bin; otherwise the mean of the values. Error bad_data for the first count that is
/// negative or not finite, and if no element works.
Prepared prepare(const ScanData& scan, const PrepareOptions& options);

/// The position of the rotation axis on the detector, in elements from the outer edge of the
/// first one; half the number of elements is the middle.
struct CenterEstimate {
  double center = 0.0;
  double standard_error = 0.0;  ///< due to noise only, in elements
  bool cut_off = false;         ///< the object extends beyond the detector: the centre may be wrong
};

/// For parallel beams over half a turn or more, at any angles. With the right axis a view and
/// the view half a turn later are mirror images, and the Fourier transform of the views at
/// frequency w, as a function of the angle, has no components above w times the radius of the
/// object. The estimate minimises the energy above that limit, over the lower frequencies of
/// all views. Pairs of opposite views are not needed. Error bad_data when no axis is found.
CenterEstimate find_center(const std::vector<double>& sinograms, const std::vector<double>& angles,
                           Index detectors);

}  // namespace polyak::tomography
#pragma GCC visibility pop
