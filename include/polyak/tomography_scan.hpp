#pragma once

/// \file tomography_scan.hpp
/// From what a detector counted to sinograms: reading a scan, dividing by flat
/// fields, taking the logarithm, binning, and finding the rotation axis.
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

/// Which index of a stack comes first: [angle, slice, element] or
/// [slice, angle, element]. `automatic` goes by the number of angles.
enum class StackOrder { automatic, projections, sinograms };

/// Where a scan is.
///
/// HDF5 files in the layout of Data Exchange (/exchange/data, data_white,
/// data_dark, theta) or NXtomo (instrument/detector/data with image_key,
/// sample/rotation_angle) are recognised. All else is one array: two
/// dimensions are sinograms below each other, three a stack.
struct ScanSource {
  std::string path;                                    ///< as for open_array
  std::optional<std::string> flat = {}, dark = {};     ///< instead of what the file holds
  StackOrder order = StackOrder::automatic;            ///< of three dimensions
  std::optional<Index> views = {};                     ///< how many angles are known of
  std::optional<Index> detectors = {};                 ///< how many elements are expected
  std::optional<std::pair<Index, Index>> slices = {};  ///< from, and up to without it
  std::optional<double> most_bytes = {};               ///< of memory that the values may take
};

/// What the detector saw of the slices asked for.
struct ScanData {
  std::string name;    ///< for messages
  std::string layout;  ///< "Data Exchange", "NXtomo", or nothing
  Index slices = 0;
  Index views = 0;
  Index detectors = 0;
  std::vector<double> values;      ///< slices × views × detectors
  std::vector<double> flat, dark;  ///< their means, slices × detectors; empty when there are none
  std::vector<double> angles;      ///< radians, one per view; empty when the file does not say
};

/// Only the slices asked for are read. Error bad_data when the parts do not
/// fit together, and for a layout that is not known: it names what is there.
ScanData read_scan(const ScanSource& source);

struct PrepareOptions {
  Index bin = 1;           ///< elements joined into one; what is left over at the end is dropped
  bool minus_log = false;  ///< from counts, or transmissions, to line integrals
  std::vector<double> mask = {};  ///< views × detectors: 0 leaves a ray out
};

/// Sinograms, and which of their rays hold nothing.
struct Prepared {
  Index detectors = 0;
  std::vector<double> sinograms;  ///< slices × views × detectors
  /// 1 where no element of a ray was alive or the transmission is not positive;
  /// there the sinogram is interpolated along the detector. Empty if none is.
  std::vector<char> left_out;
  Index dead = 0;    ///< elements whose flat field is not above the dark one
  Index masked = 0;  ///< rays left out by the mask, of one slice
  Index opaque = 0;  ///< rays without positive transmission
};

/// With minus_log, −log of t = Σ(count − dark)/Σ(flat − dark), the sums being
/// over the elements that are joined and alive; the mean of the values without.
/// Error bad_data for counts that are negative or not finite, naming the first,
/// and when no element is alive.
Prepared prepare(const ScanData& scan, const PrepareOptions& options);

/// Where the rotation axis falls on the detector, in elements from the edge of
/// the first: half their number is the middle.
struct CenterEstimate {
  double center = 0.0;
  double standard_error = 0.0;  ///< from the noise alone, in elements
  bool cut_off = false;         ///< the object reaches over an edge: the centre may be off
};

/// Parallel beams over half a turn or more, at any angles. Around the right
/// axis a view and the one half a turn later mirror each other, and a view's
/// Fourier transform at frequency w varies with the angle no faster than w
/// times the object's radius allows; the axis that leaves least outside of that
/// is taken, over the lower frequencies of all views together. No pairs of
/// opposed views are needed. Error bad_data when nothing can be found.
CenterEstimate find_center(const std::vector<double>& sinograms, const std::vector<double>& angles,
                           Index detectors);

}  // namespace polyak::tomography
#pragma GCC visibility pop
