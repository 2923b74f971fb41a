#pragma once

/// \file tomography_reconstruct.hpp
/// From a sinogram to an image: the library's methods on rays drawn at random,
/// and the field's own (sirt, sart, fbp) beside them.

#include <functional>
#include <optional>

#include "polyak/solve.hpp"
#include "polyak/tomography.hpp"

#pragma GCC visibility push(default)
namespace polyak::tomography {

struct ReconstructOptions {
  /// auto, tv, a method of solve (kaczmarz is rk), or sirt, sart, fbp. auto is tv, and
  /// minibatch-hbm where an option is given that tv does not know (batch,
  /// step_size, momentum, b_star, coverage, sampling, ridge, plateau, start).
  std::string method = "auto";
  std::string projector = "line";  ///< line, linear or strip
  bool stored = false;             ///< keep the matrix in memory instead of making rows

  std::optional<Index> batch;
  std::optional<double> step_size;
  std::optional<double> momentum;
  /// Choose the step so that the paper's heuristic B* is this.
  std::optional<double> b_star;
  /// Choose step and momentum for eigenvalues down to lambda_max/coverage.
  std::optional<double> coverage;
  std::string sampling = "row-norm";
  double relaxation = 1.0;         ///< of sirt and sart
  std::string filter = "ram-lak";  ///< of fbp: ram-lak, shepp-logan, hann
  std::string start = "zero";      ///< or fbp, not for tv
  /// Of tv: the weight of the variation in multiples of (value of a pixel)·(largest
  /// entry of AᵀA·1), so that it does not depend on units; held-out rays choose it
  /// when not given.
  std::optional<double> smoothing;

  double ridge = 0.0;
  std::optional<double> lower, upper;
  std::vector<double> weights;  ///< one per ray, for all slices

  /// Discrepancy principle: stop when ‖r‖ ≤ tau·noise·√(Σ w_i), `noise` being
  /// the standard deviation of a ray. Where nothing says when to stop, tv chooses its
  /// smoothing by held-out rays, and the others stop at the error with which that
  /// predicts them (and at 1000 passes).
  std::optional<double> noise;
  double tau = 1.0;
  /// Stop when the residual falls by less than this part of itself in a pass; status
  /// stagnated, since a slow method does so far from its limit.
  std::optional<double> plateau;
  std::optional<double> max_passes;
  std::optional<Index> max_iterations;
  std::optional<double> time_limit_s;
  double time_spent_s = 0.0;  ///< of it, before the call: by reading, for instance
  std::optional<double> measure_every;  ///< passes
  std::uint64_t seed = 0;
  Index threads = 0;

  /// Slices are solved together as far as this has room for them (at least one
  /// at a time), group after group. With limits alone every slice is then what
  /// it would be by itself; rules that look at residuals look at those of a
  /// group. A fixed number, not what the machine has free: the image must not
  /// depend on that.
  double memory_bytes = 2e9;

  /// Images, slice after slice, every so many iterations; 0 for never. They are
  /// those of one group, from `first_slice` on.
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
  std::optional<double> b_star;  ///< the heuristic B* of the parameters used
  Index groups = 1;              ///< of slices, one after the other
  std::optional<double> smoothing;  ///< of tv; of several slices the first one's
  /// The standard deviation of a ray of weight 1 as held-out rays show it: noise, and
  /// what pixels cannot explain; of several slices the first one's, or their mean.
  std::optional<double> noise;
  Index held_out = 0;          ///< rays that were held out to choose
  bool kept_positive = false;  ///< tv found no objection to pixels of at least 0
  /// Rays that meet no pixel (report.zero_rows of them) but hold a value: left
  /// out of everything, as no image can explain them.
  Index unseen_with_data = 0;
};

/// `sinograms`: slices × rays, each in the order of the geometry; `reference`:
/// slices × pixels or empty; `from`: go on from a snapshot of the same scan and
/// options, limits and threads apart. Error bad_data or usage before anything is
/// done.
Reconstruction reconstruct(const Geometry& geometry, const std::vector<double>& sinograms,
                           const ReconstructOptions& options, Observer* observer = nullptr,
                           const std::vector<double>& reference = {},
                           const Snapshot* from = nullptr);

/// One HTML page about it that needs nothing else: image, parameters,
/// convergence (where there is a gnuplot), residual sinogram. `name` is what was
/// reconstructed.
std::string reconstruction_page(const Geometry& geometry, const Reconstruction& result,
                                const std::string& name);

/// Filtered back projection of slices × rays into slices × pixels. Views are
/// weighted by the angle they stand for; a fan needs a full turn.
std::vector<double> filtered_back_projection(const Geometry& geometry,
                                             const std::vector<double>& sinograms,
                                             const std::string& filter = "ram-lak",
                                             int threads = 0);

// ---- Step and momentum where lambda_min is next to nothing -----------------------

/// B* = 16e·‖A‖_F²·lambda_max·log(2d)·alpha²/(beta·log(1/beta)); may exceed n.
double batch_for(double step, double momentum, double frobenius2, double lambda_max, Index d);
/// The step that makes B* what it is wanted to be, the momentum being given.
double step_for(double b_star, double momentum, double frobenius2, double lambda_max, Index d);
double kappa_covered(double step, double momentum, double lambda_max);

}  // namespace polyak::tomography
#pragma GCC visibility pop
