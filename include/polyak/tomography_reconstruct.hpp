#pragma once

/// \file tomography_reconstruct.hpp
/// From a sinogram to an image: by total variation, by the methods of solve(), and by the
/// usual methods of tomography (sirt, sart, fbp).

#include <functional>
#include <optional>

#include "polyak/solve.hpp"
#include "polyak/tomography.hpp"

#pragma GCC visibility push(default)
namespace polyak::tomography {

struct ReconstructOptions {
  /// auto, tv, a method of solve (kaczmarz is rk), or sirt, sart, fbp. auto means tv; if an
  /// option is given that tv does not have (batch, step_size, momentum, b_star, coverage,
  /// sampling, ridge, plateau, start), it means minibatch-hbm.
  std::string method = "auto";
  std::string projector = "line";  ///< line, linear or strip
  bool stored = false;  ///< store the matrix instead of computing rows when they are used

  std::optional<Index> batch;
  std::optional<double> step_size;
  std::optional<double> momentum;
  /// Choose the step size such that the paper's heuristic B* has this value.
  std::optional<double> b_star;
  /// Choose step size and momentum for eigenvalues down to lambda_max/coverage.
  std::optional<double> coverage;
  std::string sampling = "row-norm";
  double relaxation = 1.0;         ///< of sirt and sart
  std::string filter = "ram-lak";  ///< of fbp: ram-lak, shepp-logan, hann
  std::string start = "zero";      ///< or fbp, not for tv
  /// Of tv: the weight of the total variation, as a multiple of (mean pixel value)·(largest
  /// entry of AᵀA·1), so that it does not depend on units. If absent, it is chosen by
  /// validation with held-out rays.
  std::optional<double> smoothing;

  double ridge = 0.0;
  std::optional<double> lower, upper;
  std::vector<double> weights;  ///< one per ray, for all slices

  /// Discrepancy principle: stop when ‖r‖ ≤ tau·noise·√(Σ w_i), where `noise` is the standard
  /// deviation of a ray. Without any stopping option tv chooses its smoothing by held-out rays;
  /// the other methods use the prediction error of that tv fit as noise, and stop after 1000
  /// passes at the latest.
  std::optional<double> noise;
  double tau = 1.0;
  /// Stop when the residual decreases by less than this fraction in a pass. The status is
  /// stagnated and not converged, because a slow method may do so far from the solution.
  std::optional<double> plateau;
  std::optional<double> max_passes;
  std::optional<Index> max_iterations;
  std::optional<double> time_limit_s;
  double time_spent_s = 0.0;  ///< part of the limit used before the call, for example by reading
  std::optional<double> measure_every;  ///< passes
  std::uint64_t seed = 0;
  Index threads = 0;

  /// Slices are solved in groups, as many at a time as fit this memory (at least one). If only
  /// limits stop the run, the image of a slice does not depend on its group; stopping rules
  /// that use the residual use that of the group. A fixed number, not the free memory of the
  /// machine, so that the result does not depend on the machine.
  double memory_bytes = 2e9;

  /// on_image is called every image_every iterations (0: never) with the images of one group,
  /// slice after slice, beginning with slice `first_slice`.
  Index image_every = 0;
  std::function<void(Index iteration, const std::vector<double>& images, Index first_slice)>
      on_image = {};
};

struct Reconstruction {
  Report report;                 ///< its x is the image, pixels × slices
  std::vector<double> images;    ///< slices × pixels
  std::vector<double> residual;  ///< A·x − b, slices × rays
  std::optional<double> lambda_max;
  /// alpha·lambda_max/(1 − √beta)²: eigenvalues down to lambda_max over this
  /// contract at the full rate √beta.
  std::optional<double> kappa_covered;
  std::optional<double> b_star;     ///< the heuristic B* of the parameters used
  Index groups = 1;                 ///< of slices, solved one after the other
  std::optional<double> smoothing;  ///< of tv; for several slices that of the first
  /// The prediction error of held-out rays, for a ray of weight 1: measurement noise plus the
  /// error of the pixel model; for several slices that of the first, or their mean.
  std::optional<double> noise;
  Index held_out = 0;          ///< rays that were held out to choose
  bool kept_positive = false;  ///< tv used x ≥ 0, because the held-out rays do not contradict it
  /// Rays that meet no pixel (report.zero_rows in all) but have a nonzero value. They are left
  /// out, because no image can explain them.
  Index unseen_with_data = 0;
};

/// `sinograms`: slices × rays, each in the order of the geometry; `reference`:
/// slices × pixels or empty; `from`: continue from a snapshot of a run with the same
/// scan and options; limits and threads may differ. Error bad_data or usage before the first
/// iteration.
Reconstruction reconstruct(const Geometry& geometry, const std::vector<double>& sinograms,
                           const ReconstructOptions& options, Observer* observer = nullptr,
                           const std::vector<double>& reference = {},
                           const Snapshot* from = nullptr);

/// A self-contained HTML page: image, parameters, convergence (if gnuplot is installed),
/// residual sinogram. `name` is the title.
std::string reconstruction_page(const Geometry& geometry, const Reconstruction& result,
                                const std::string& name);

/// Filtered back projection of slices × rays into slices × pixels. A view is weighted by its
/// share of the angular range; a fan beam needs a full turn.
std::vector<double> filtered_back_projection(const Geometry& geometry,
                                             const std::vector<double>& sinograms,
                                             const std::string& filter = "ram-lak",
                                             int threads = 0);

// ---- Step size and momentum where lambda_min is nearly zero -----------------------

/// B* = 16e·‖A‖_F²·lambda_max·log(2d)·alpha²/(beta·log(1/beta)); may exceed n.
double batch_for(double step, double momentum, double frobenius2, double lambda_max, Index d);
/// The step size for which B* has the given value at this momentum.
double step_for(double b_star, double momentum, double frobenius2, double lambda_max, Index d);
double kappa_covered(double step, double momentum, double lambda_max);

}  // namespace polyak::tomography
#pragma GCC visibility pop
