#pragma once

/// \file replicates.hpp
/// Independent runs of one configuration, and their percentiles.

#include "polyak/solve.hpp"

namespace polyak {

struct Replicates {
  std::vector<Index> iterations;            ///< 0, every, 2·every, …
  std::vector<std::vector<double>> errors;  ///< [run][measurement]: ‖x − ref‖/‖ref‖; inf once diverged

  /// The p-th percentile (0 to 100, linear between runs) at each measured
  /// iteration; 50 is the median.
  std::vector<double> percentile(double p) const;
};

/// Runs `runs` streams of options.seed for `iterations` iterations each,
/// noting the error to the problem's reference every `every` iterations. Facts
/// and plan are made once; run r has the bits of a solve with stream = r.
Replicates run_replicates(const Problem& problem, const SolveOptions& options, Index runs,
                          Index iterations, Index every = 1);

}  // namespace polyak
