#pragma once

// Results of runs and problems (percentiles over the runs, a few kilobytes each), and their store
// on disk.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "polyak/types.hpp"

namespace polyak::experiments::internal {

/// Statistics over the runs at each measured iteration, relative to the first measurement.
struct Curve {
  std::vector<double> median, low, high;  ///< 50th, 5th and 95th percentile
  std::vector<double> rms;
  bool empty() const { return median.empty(); }
};
/// The statistics of runs[run][measurement]; each run is divided by its first value.
Curve summarise(const std::vector<std::vector<double>>& runs);

struct RunResult {
  std::vector<Index> iterations;
  Curve error, residual;                  ///< residual only if requested
  std::vector<std::vector<double>> path;  ///< x of the first run at each measurement, if requested
  std::vector<double> image;              ///< x of the first run at the end, if requested
  Index runs = 0;
  std::string method, sampling;
  std::optional<Index> batch;
  std::optional<double> step_size, momentum, ark_mu, ark_nu;
  double rows_per_iteration = 0.0;
  double seconds = 0.0;
  int threads = 0;
  std::string build;  ///< version of polyak that ran it
};

/// Sizes and spectrum of a problem.
struct ProblemFacts {
  Index rows = 0, cols = 0, nonzeros = 0;
  std::string matrix;
  double lambda_min = 0.0;  ///< 0 if unknown
  double lambda_max = 0.0, frobenius2 = 0.0;
  double eta_uniform = 1.0;
  double residual_norm = 0.0, b_norm = 0.0;  ///< ‖Ax* − b‖ and ‖b‖
  std::vector<double> slow_axis;             ///< eigenvector of lambda_min; only for two columns
  double heuristic = 0.0;                    ///< B*; 0 if it is not defined
  double seconds = 0.0;                      ///< to generate or load it

  double kappa() const { return lambda_max / lambda_min; }
};

/// Predicted and certified root mean square error after k steps for each batch, relative to the
/// first error; infinite if there is no certificate.
struct Prediction {
  std::vector<double> batches, rms, certified;
};

/// The predicted number of iterations to a tolerance; absent if it is not reached.
struct Steps {
  std::optional<double> count;
};

/// Results on disk, one file each, named after a hash of the key. The key lists everything that
/// the result depends on. A file that cannot be read is treated as absent.
class Store {
 public:
  /// Creates the folder out/.runs. With `ignore_existing`, files of earlier calls are not loaded.
  Store(const std::string& out, bool ignore_existing);

  template <class Value>
  std::optional<Value> load(const std::string& key) const;
  template <class Value>
  void save(const std::string& key, const Value& value);

  /// True if this object saved the result.
  bool saved(const std::string& key) const;
  std::string path(const std::string& key) const;

 private:
  std::string folder_;
  bool ignore_existing_;
  std::set<std::string> saved_;  // by this object: loaded even with ignore_existing
};

}  // namespace polyak::experiments::internal
