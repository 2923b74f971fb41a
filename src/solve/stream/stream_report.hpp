#pragma once

// The report of a stream that was solved.

#include "solve/stream/stream_pass.hpp"
#include "solve/stream/stream_tests.hpp"

namespace polyak {

struct SolvedStream {
  const StreamPass& pass;
  const Triangle& triangle;
  const TriangleFit& fit;
  const StreamProblem& problem;
  const SolveOptions& options;
  double reading_s = 0.0, solving_s = 0.0;
};

Report report_of(const SolvedStream& solved);

/// The statistics of report.x; what must be said about them becomes a warning in the report.
Statistics stream_statistics(const SolvedStream& solved, Report& report);

}  // namespace polyak
