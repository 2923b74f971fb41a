#pragma once

// What runs leave behind: small enough to keep, enough for every picture and
// every claim.
// Results on disk, one file each, named after a hash of all that they depend
// on. Files are whole or not there; one that cannot be read counts as not there.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "polyak/types.hpp"

namespace polyak::experiments {

/// Over the runs, at each measured iteration; relative to the first.
struct Curve {
  std::vector<double> median, low, high;  ///< 50th, 5th and 95th percentile
  std::vector<double> rms;
  bool empty() const { return median.empty(); }
};
/// Of [run][measurement], each run divided by its first number.
Curve summarise(const std::vector<std::vector<double>>& runs);

struct RunResult {
  std::vector<Index> iterations;
  Curve error, residual;                  ///< residual only where it was asked for
  std::vector<std::vector<double>> path;  ///< x of the first run, likewise
  std::vector<double> image;              ///< x of the first run at the end, likewise
  Index runs = 0;
  std::string method, sampling;
  std::optional<Index> batch;
  std::optional<double> step_size, momentum, ark_mu, ark_nu;
  double rows_per_iteration = 0.0;
  double seconds = 0.0;
  int threads = 0;
  std::string build;  ///< which polyak ran it
};

/// What a problem turned out to be.
struct ProblemFacts {
  Index rows = 0, cols = 0, nonzeros = 0;
  std::string matrix;
  double lambda_min = 0.0;  ///< 0 where it is not known
  double lambda_max = 0.0, frobenius2 = 0.0;
  double eta_uniform = 1.0;
  double residual_norm = 0.0, b_norm = 0.0;  ///< ‖Ax* − b‖ and ‖b‖
  std::vector<double> slow_axis;             ///< of lambda_min, in two dimensions only
  double heuristic = 0.0;                    ///< B*; 0 where it means nothing
  double seconds = 0.0;                      ///< to make or load it

  double kappa() const { return lambda_max / lambda_min; }
};

/// Theory's root mean square error after k steps, against the batch, relative
/// to the first error; infinite where nothing is promised.
struct Prediction {
  std::vector<double> batches, rms, certified;
};

/// Iterations to a tolerance as predicted; none where they are not.
struct Steps {
  std::optional<double> count;
};

class Store {
 public:
  /// Makes out/.runs. With `forget` nothing that is there counts.
  Store(const std::string& out, bool forget);

  template <class Value>
  std::optional<Value> load(const std::string& key) const;
  template <class Value>
  void save(const std::string& key, const Value& value);

  /// Whether it was saved here, in this call.
  bool saved(const std::string& key) const;
  std::string path(const std::string& key) const;

 private:
  std::string folder_;
  bool forget_;
  std::set<std::string> saved_;  // by us: these count even when forgetting
};

}  // namespace polyak::experiments
