#pragma once

// The fields of each saved struct, once for writing and reading: archive(name, member) writes
// or reads one.

#include <concepts>
#include <type_traits>

#include "polyak/snapshot.hpp"

namespace polyak::checkpoint {

/// M is T or const T.
template <class M, class T>
concept Is = std::same_as<std::remove_const_t<M>, T>;

template <class Archive, Is<SolverState> M>
void fields(Archive& archive, M& m) {
  archive("iteration", m.iteration);
  archive("row_products", m.row_products);
  archive("vectors", m.vectors);
}

template <class Archive, Is<Measurement> M>
void fields(Archive& archive, M& m) {
  archive("iteration", m.iteration);
  archive("row_products", m.row_products);
  archive("seconds", m.seconds);
  archive("residual_norm", m.residual_norm);
  archive("gradient_norm", m.gradient_norm);
  archive("relative_residual", m.relative_residual);
  archive("relative_gradient", m.relative_gradient);
  archive("error", m.error);
}

template <class Archive, Is<Look> M>
void fields(Archive& archive, M& m) {
  archive("iteration", m.iteration);
  archive("distance", m.distance);
}

template <class Archive, Is<DependentColumn> M>
void fields(Archive& archive, M& m) {
  archive("column", m.column);
  archive("on", m.on);
}

template <class Archive, Is<RunState> M>
void fields(Archive& archive, M& m) {
  archive("method", m.method);
  archive("next_measurement", m.next_measurement);
  archive("history", m.history);
  archive("distances", m.distances);
  archive("looks", m.looks);
  archive("best", m.best);
  archive("best_line", m.best_line);
  archive("best_gradient", m.best_gradient);
  archive("best_backward_error", m.best_backward_error);
  archive("first_residual", m.first_residual);
  archive("largest_x", m.largest_x);
  archive("retreats", m.retreats);
  archive("measured_rows", m.measured_rows);
  archive("solve_seconds", m.solve_seconds);
  archive("measure_seconds", m.measure_seconds);
}

template <class Archive, Is<Used> M>
void fields(Archive& archive, M& m) {
  archive("step_size", m.step_size);
  archive("momentum", m.momentum);
  archive("batch", m.batch);
  archive("sampling", m.sampling);
  archive("lambda_min", m.lambda_min);
  archive("lambda_max", m.lambda_max);
  archive("lambda_min_source", m.lambda_min_source);
  archive("lambda_max_source", m.lambda_max_source);
  archive("lambda_min_range", m.lambda_min_range);
  archive("lambda_max_range", m.lambda_max_range);
  archive("frobenius2", m.frobenius2);
  archive("eta", m.eta);
  archive("eta_effective", m.eta_effective);
  archive("parameters", m.parameters);
  archive("predicted_rate", m.predicted_rate);
  archive("predicted_rate_kind", m.predicted_rate_kind);
  archive("ark_mu", m.ark_mu);
  archive("ark_nu", m.ark_nu);
  archive("rank", m.rank);
  archive("rank_threshold", m.rank_threshold);
  archive("sketch_rows", m.sketch_rows);
  archive("condition", m.condition);
  archive("column_scaling", m.column_scaling);
  archive("exchange", m.exchange);
  archive("device", m.device);
  archive("tol", m.tol);
}

template <class Archive, Is<Seconds> M>
void fields(Archive& archive, M& m) {
  archive("setup", m.setup);
  archive("norms", m.norms);
  archive("table", m.table);
  archive("spectrum", m.spectrum);
  archive("solve", m.solve);
  archive("measure", m.measure);
  archive("total", m.total);
}

// The report of a method that auto has run, without what follows from the problem.
template <class Archive, Is<Report> M>
void fields(Archive& archive, M& m) {
  archive("status", m.status);
  archive("stopped_by", m.stopped_by);
  archive("reason", m.reason);
  archive("method", m.method);
  archive("iterations", m.iterations);
  archive("row_products", m.row_products);
  archive("measured_row_products", m.measured_row_products);
  archive("looks", m.looks);
  archive("bytes_read", m.bytes_read);
  archive("residual_norm", m.residual_norm);
  archive("gradient_norm", m.gradient_norm);
  archive("relative_residual", m.relative_residual);
  archive("relative_gradient", m.relative_gradient);
  archive("error", m.error);
  archive("backward_error", m.backward_error);
  archive("certified", m.certified);
  archive("measured_rate", m.measured_rate);
  archive("used", m.used);
  archive("seconds", m.seconds);
  archive("zero_rows", m.zero_rows);
  archive("zero_columns", m.zero_columns);
  archive("dependent_columns", m.dependent_columns);
  archive("seed", m.seed);
  archive("threads", m.threads);
  archive("warnings", m.warnings);
  archive("history", m.history);
  archive("x", m.x);
}

template <class Archive, Is<Snapshot> M>
void fields(Archive& archive, M& m) {
  archive("finished", m.finished);
  archive("run", m.run);
}

}  // namespace polyak::checkpoint
