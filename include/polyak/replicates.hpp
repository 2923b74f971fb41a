#pragma once

/// \file replicates.hpp
/// Independent runs of one configuration, and their percentiles.

#include <functional>

#include "polyak/solve.hpp"

#pragma GCC visibility push(default)
namespace polyak {

/// The p-th percentile (0 to 100, linear between neighbours) of some numbers,
/// infinite ones included; 50 is the median. There must be at least one.
double percentile(std::vector<double> values, double p);

struct Replicates {
  std::vector<Index> iterations;  ///< 0, every, 2·every, …
  std::vector<std::vector<double>>
      errors;  ///< [run][measurement]: ‖x − ref‖/‖ref‖; inf once diverged
  std::vector<std::vector<double>>
      residuals;  ///< the same of residual_norm, where it was asked for
  Used used;      ///< parameters of every run
  double rows_per_iteration = 0.0;
  bool complete = true;  ///< false when it was stopped; what is there then means nothing

  /// Of the errors, at each measured iteration.
  std::vector<double> percentile(double p) const;
};

/// How many runs, how long, and what to note of them besides the error.
struct ReplicateRequest {
  Index runs = 1;
  Index iterations = 0;
  Index every = 1;
  /// ‖Ax − b‖ of a c × d set of vectors. A pass over A for each measurement of
  /// each run would cost more than the runs; who knows AᵀA knows it for d².
  std::function<double(ConstView x)> residual_norm = {};
  /// Sees every measured x.
  std::function<void(Index run, Index iteration, ConstView x)> measured = {};
  /// Asked at every measurement, with the share of the work that is done.
  std::function<bool(double done)> stop = {};
};

/// Runs streams options.stream, options.stream + 1, … of options.seed, noting
/// the error to the problem's reference every `every` iterations. Facts and
/// plan are made once; run r has the bits of a solve with that stream. Runs go
/// side by side, in one sweep over A, where that is faster.
Replicates run_replicates(const Problem& problem, const SolveOptions& options,
                          const ReplicateRequest& request);
Replicates run_replicates(const Problem& problem, const SolveOptions& options, Index runs,
                          Index iterations, Index every = 1);

}  // namespace polyak
#pragma GCC visibility pop
