#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tomography/reconstruct/image_run.hpp"
#include "tomography/reconstruct/runs.hpp"
#include "tomography/reconstruct/tv.hpp"

namespace polyak::tomography::internal {
using namespace polyak::internal;

namespace {

constexpr double first_smoothing = 0x1p-5;     // of the path; each fit has half of the previous
constexpr double default_smoothing = 0x1p-11;  // where there are too few held-out rays
constexpr Index min_held_out = 10;
constexpr Index max_fits = 14;
constexpr Index steps_per_fit = 12;
constexpr Index max_final_steps = 400;

std::vector<double> projections_of(Products& plain, const std::vector<double>& x) {
  std::vector<double> y(to_size(plain.A().rows()));
  plain.multiply({x.data(), 1, std::ssize(x), std::ssize(x)}, {y.data(), std::ssize(y), 1, 1});
  return y;
}

class TvRun {
 public:
  TvRun(const Problem& problem, const Geometry& geometry, const ReconstructOptions& options,
        StopRules& rules)
      : run_(problem, options, rules),
        plain_(problem.A(), {}, {}, run_.team()),
        row_sums_(projections_of(plain_, std::vector<double>(to_size(problem.cols()), 1.0))),
        held_(problem, row_sums_, options.seed),
        train_products_(problem.A(), held_.weights(), {}, run_.team()),
        all_(run_.products(), problem.b(), geometry.image),
        train_(train_products_, problem.b(), geometry.image),
        zeros_(to_size(problem.cols()), 0.0),
        infinities_(to_size(problem.cols()), std::numeric_limits<double>::infinity()) {
    smoothing_ = options.smoothing.value_or(first_smoothing);
    final_ = options.smoothing.has_value();
    if (!final_ && !by_noise() && held_.count() < min_held_out)
      final_ = true, smoothing_ = default_smoothing;
    if (problem.has_bounds())
      for (SmoothFit* fit : {&all_, &train_}) fit->set_bounds(problem.lower(), problem.upper());
    set_units();
    const ConstView x0 = problem.x0();
    fit().begin({x0.data, x0.data + x0.size()});
  }

  Reconstruction run(const RunState* from) {
    if (!(value_ > 0.0)) return run_.end(view(), Status::converged, "the sinogram is zero");
    if (from)
      resume(*from);
    else
      run_.measure(view());
    while (!run_.must_end([&] { return state(); })) {
      double change = 0.0;
      run_.iterate([&] { change = fit().step(smoothing_ * value_ * all_.curvature()); });
      ++steps_;
      send_image();
      if (final_ && (change <= change_tolerance() || steps_ == max_final_steps))
        return finish(change);
      if (!final_ && steps_ == steps_per_fit && !next_fit()) return noise_not_reached();
      if ((final_ || bounded_) && only_choice_) return run_.end(view(), Status::converged, "");
    }
    return finish_early();
  }

  /// Only chooses the smoothing; returns the prediction error.
  double choose() {
    only_choice_ = true;
    run(nullptr);
    return error_;
  }

 private:
  SmoothFit& fit() { return final_ || by_noise() ? all_ : train_; }
  bool by_noise() const { return run_.options().noise.has_value(); }
  ConstView view() {
    const auto& x = fit().x();
    return {x.data(), 1, std::ssize(x), std::ssize(x)};
  }

  // Units that make the smoothing a pure number, independent of the units of the sinogram: value_
  // is the value of a constant image with the norm of b, and curvature() the largest entry of
  // AᵀWA·1.
  void set_units() {
    const Problem& p = run_.problem();
    double b2 = 0.0, ones2 = 0.0;
    for (Index r = 0; r < p.rows(); ++r) {
      const double w = p.weights().empty() ? 1.0 : p.weights()[to_size(r)];
      b2 += w * p.b()(r, 0) * p.b()(r, 0);
      ones2 += w * row_sums_[to_size(r)] * row_sums_[to_size(r)];
      if (row_sums_[to_size(r)] > 0.0) weights_ += w;
    }
    value_ = ones2 > 0.0 ? std::sqrt(b2 / ones2) : 0.0;
  }

  // The tolerance for the change in a step: a hundredth of the noise of the projections, or 3e-5 of
  // the image.
  double change_tolerance() const {
    double x2 = 0.0;
    for (double v : all_.x()) x2 += all_.curvature() * v * v;
    return std::max(0.01 * error_ * std::sqrt(weights_), 3e-5 * std::sqrt(x2));
  }

  // Goes on to the next fit; false if the path ends above the requested noise.
  bool next_fit() {
    run_.measure(view());
    steps_ = 0;
    if (by_noise()) {
      smoothing_ *= 0.5;
      return ++fits_ < max_fits;
    }
    const Squares squares = held_.squares(projections_of(plain_, fit().x()));
    if (bounded_) {
      begin_final(standard_errors_above(squares, squares_[chosen_]) <= 2.0);
      return true;
    }
    images_.push_back(fit().x());
    squares_.push_back(squares);
    if (++fits_ == max_fits || past_the_best(squares_))
      choose_smoothing();
    else
      smoothing_ *= 0.5;
    return true;
  }

  // Attenuation is not negative: without bounds from the user, one more fit is made with x ≥ 0, and
  // the bound is kept if the held-out rays do not contradict it.
  void choose_smoothing() {
    chosen_ = smoothest_of_the_best(squares_);
    smoothing_ = first_smoothing * std::pow(0.5, static_cast<double>(chosen_));
    error_ = held_.error(squares_[chosen_]);
    if (run_.problem().has_bounds()) return begin_final(false);
    bounded_ = true;
    std::vector<double> x = images_[chosen_];
    for (double& v : x) v = std::max(v, 0.0);
    train_.set_bounds(zeros_, infinities_);
    train_.begin(std::move(x));
  }

  void begin_final(bool positive) {
    keep_positive_ = positive;
    if (positive) all_.set_bounds(zeros_, infinities_);
    all_.begin(positive ? train_.x() : images_[chosen_]);
    final_ = true;
    images_.clear();
  }

  Reconstruction finish(double change) {
    const bool converged = change <= change_tolerance();
    report_choice();
    std::string reason = run_.options().smoothing
                             ? std::string("the image has converged with the given smoothing")
                             : fmt::format(
                                   "smoothing {:.3g} chosen by {} held-out rays, prediction "
                                   "error {:.3g} per ray",
                                   smoothing_, held_.count(), error_);
    if (keep_positive_) reason += "; no negative pixels, which these rays do not contradict";
    if (!converged)
      reason = fmt::format("not converged after {} iterations; {}", max_final_steps, reason);
    return run_.end(view(), converged ? Status::converged : Status::limit, reason);
  }

  Reconstruction noise_not_reached() {
    report_choice();
    return run_.end(view(), Status::limit, "the residual does not come down to the noise");
  }

  Reconstruction finish_early() {
    report_choice();
    return run_.end_early(view());
  }

  void report_choice() {
    Reconstruction& out = run_.result();
    out.smoothing = smoothing_;
    if (error_ > 0.0) out.noise = error_;
    if (!squares_.empty()) out.held_out = held_.count();
    out.kept_positive = keep_positive_;
  }

  void send_image() {
    const ReconstructOptions& o = run_.options();
    const Index k = run_.report().iterations;
    if (o.on_image && o.image_every > 0 && k % o.image_every == 0) o.on_image(k, fit().x(), 0);
  }

  std::vector<std::vector<double>> state() {
    auto out = fit().state();
    out.push_back({smoothing_, static_cast<double>(steps_), static_cast<double>(fits_), error_,
                   final_ ? 1.0 : 0.0, keep_positive_ ? 1.0 : 0.0, bounded_ ? 1.0 : 0.0,
                   static_cast<double>(chosen_)});
    out.insert(out.end(), squares_.begin(), squares_.end());
    out.insert(out.end(), images_.begin(), images_.end());
    return out;
  }

  void resume(const RunState& from) {
    run_.resume(from);
    const auto& vectors = from.method.vectors;
    const std::vector<double>& own = vectors[4];
    smoothing_ = own[0], steps_ = static_cast<Index>(own[1]), fits_ = static_cast<Index>(own[2]);
    error_ = own[3], final_ = own[4] == 1.0, keep_positive_ = own[5] == 1.0;
    bounded_ = own[6] == 1.0, chosen_ = static_cast<std::size_t>(own[7]);
    const Index judged = by_noise() || run_.options().smoothing ? 0 : fits_;
    squares_.assign(vectors.begin() + 5, vectors.begin() + 5 + judged);
    images_.assign(vectors.begin() + 5 + judged, vectors.end());
    if (bounded_ && (!final_ || keep_positive_)) fit().set_bounds(zeros_, infinities_);
    fit().set_state(vectors);
  }

  ImageRun run_;
  Products plain_;
  std::vector<double> row_sums_;
  HeldOut held_;
  Products train_products_;
  SmoothFit all_, train_;
  double value_ = 0.0, weights_ = 0.0;
  std::vector<double> zeros_, infinities_;  // the bounds x ≥ 0

  double smoothing_, error_ = 0.0;
  Index steps_ = 0, fits_ = 0;
  std::size_t chosen_ = 0;  // index of the chosen fit
  bool bounded_ = false;    // a fit with x ≥ 0 is being tried, or was
  bool final_, keep_positive_ = false, only_choice_ = false;
  std::vector<Squares> squares_;             // prediction errors of the fits so far
  std::vector<std::vector<double>> images_;  // images of these fits
};

}  // namespace

Reconstruction run_tv(const Problem& problem, const Geometry& geometry,
                      const ReconstructOptions& options, StopRules& rules, const RunState* from) {
  return TvRun(problem, geometry, options, rules).run(from);
}

double held_out_error(const Problem& problem, const Geometry& geometry,
                      const ReconstructOptions& options, StopRules& rules) {
  return TvRun(problem, geometry, options, rules).choose();
}

}  // namespace polyak::tomography::internal
