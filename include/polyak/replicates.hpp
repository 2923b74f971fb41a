#pragma once

/// \file replicates.hpp
/// Independent runs of one configuration, and their percentiles.

#include <functional>

#include "polyak/solve.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// The p-th percentile (0 to 100, linear interpolation) of the values, infinite
/// ones included; 50 is the median. At least one value is required.
double percentile(std::vector<double> values, double p);

/// The errors of all runs.
struct Replicates {
  std::vector<Index> iterations;  ///< 0, every, 2·every, …
  std::vector<std::vector<double>>
      errors;  ///< [run][measurement]: ‖x − ref‖/‖ref‖; inf after divergence
  std::vector<std::vector<double>> residuals;  ///< [run][measurement]: residual_norm, if requested
  Used used;                                   ///< parameters of all runs
  double rows_per_iteration = 0.0;
  bool complete = true;  ///< false if the runs were stopped; the other fields are then invalid

  /// Percentile of the errors at each measured iteration.
  std::vector<double> percentile(double p) const;
};

/// Number and length of the runs, and what is recorded besides the error.
struct ReplicateRequest {
  Index runs = 1;        ///< number of independent runs
  Index iterations = 0;  ///< of each run
  Index every = 1;       ///< iterations between two measurements
  /// Computes ‖Ax − b‖ of a c × d set of vectors. A pass over A per measurement and
  /// run would cost more than the runs; from AᵀA it costs d² operations.
  std::function<double(ConstView x)> residual_norm = {};
  /// Called with every measured x.
  std::function<void(Index run, Index iteration, ConstView x)> measured = {};
  /// Called at every measurement with the fraction of the work done; true stops the runs.
  std::function<bool(double done)> stop = {};
};

/// Runs the streams options.stream, options.stream + 1, … of options.seed and records
/// the error against the problem's reference every `every` iterations. The set-up is
/// done once; each run has the bits of a solve with its stream. Several runs share
/// one sweep over A where that is faster.
Replicates run_replicates(const Problem& problem, const SolveOptions& options,
                          const ReplicateRequest& request);
Replicates run_replicates(const Problem& problem, const SolveOptions& options, Index runs,
                          Index iterations, Index every = 1);

}  // namespace polyak
#pragma GCC visibility pop
