#pragma once

// The fields of a report and of its parts, listed once. Three visitors go through the list:
// the JSON of a report (report.cpp), checkpoints (checkpoint/archive.hpp) and the sum over
// the stages of auto (solve/auto/run_total.cpp). A new field is one line here.

#include <concepts>
#include <type_traits>

#include "polyak/report.hpp"

namespace polyak {

/// Fields<T>::visit(visitor) calls visitor(name, &T::member, roles...) for every field, in
/// the order of the JSON. Roles are the constants below; a field without roles is in the
/// JSON and in checkpoints.
template <class T>
struct Fields;

template <class T>
concept HasFields = requires {
  sizeof(Fields<T>);
};

struct JsonOnly {};   ///< follows from the problem, the options or other fields
struct SavedOnly {};  ///< in checkpoints; the user gets it in another file or not at all
struct Summed {};     ///< auto adds it up over its stages
struct IfAny {};      ///< left out of the JSON where it is empty
inline constexpr JsonOnly json_only{};
inline constexpr SavedOnly saved_only{};
inline constexpr Summed summed{};
inline constexpr IfAny if_any{};

template <class Role, class... Roles>
inline constexpr bool has_role = (std::is_same_v<Role, Roles> || ...);

template <>
struct Fields<Measurement> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("iteration", &Measurement::iteration);
    visit("row_products", &Measurement::row_products);
    visit("seconds", &Measurement::seconds);
    visit("residual_norm", &Measurement::residual_norm);
    visit("gradient_norm", &Measurement::gradient_norm);
    visit("relative_residual", &Measurement::relative_residual);
    visit("relative_gradient", &Measurement::relative_gradient);
    visit("error", &Measurement::error);
  }
};

template <>
struct Fields<Look> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("iteration", &Look::iteration);
    visit("distance", &Look::distance);
  }
};

template <>
struct Fields<DependentColumn> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("column", &DependentColumn::column);
    visit("on", &DependentColumn::on);
  }
};

template <>
struct Fields<Stage> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("method", &Stage::method);
    visit("why", &Stage::why);
    visit("predicted_seconds", &Stage::predicted_seconds);
    visit("seconds", &Stage::seconds);
    visit("outcome", &Stage::outcome);
  }
};

template <>
struct Fields<Used> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("step_size", &Used::step_size);
    visit("momentum", &Used::momentum);
    visit("batch", &Used::batch);
    visit("sampling", &Used::sampling);
    visit("lambda_min", &Used::lambda_min);
    visit("lambda_max", &Used::lambda_max);
    visit("lambda_min_source", &Used::lambda_min_source);
    visit("lambda_max_source", &Used::lambda_max_source);
    visit("lambda_min_range", &Used::lambda_min_range, if_any);
    visit("lambda_max_range", &Used::lambda_max_range, if_any);
    visit("frobenius2", &Used::frobenius2);
    visit("eta", &Used::eta);
    visit("eta_effective", &Used::eta_effective);
    visit("parameters", &Used::parameters);
    visit("predicted_rate", &Used::predicted_rate);
    visit("predicted_rate_kind", &Used::predicted_rate_kind);
    visit("ark_mu", &Used::ark_mu);
    visit("ark_nu", &Used::ark_nu);
    visit("rank", &Used::rank);
    visit("rank_threshold", &Used::rank_threshold);
    visit("sketch_rows", &Used::sketch_rows);
    visit("condition", &Used::condition);
    visit("column_scaling", &Used::column_scaling);
    visit("device", &Used::device);
    visit("exchange", &Used::exchange);
    visit("tol", &Used::tol);
  }
};

template <>
struct Fields<Seconds> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("read", &Seconds::read, json_only);
    visit("setup", &Seconds::setup, summed);
    visit("setup_norms", &Seconds::norms, summed);
    visit("setup_table", &Seconds::table, summed);
    visit("setup_spectrum", &Seconds::spectrum, summed);
    visit("solve", &Seconds::solve, summed);
    visit("measure", &Seconds::measure, summed);
    visit("total", &Seconds::total);
  }
};

template <>
struct Fields<DiskRates> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("sweep_bytes", &DiskRates::sweep_bytes);
    visit("single_rows", &DiskRates::single_rows);
  }
};

template <>
struct Fields<DiskUse> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("reader", &DiskUse::reader, json_only);
    visit("direct_io", &DiskUse::direct_io, json_only);
    visit("depth", &DiskUse::depth, json_only);
    visit("buffer_bytes", &DiskUse::buffer_bytes, json_only);
    visit("reads", &DiskUse::reads, json_only);
    visit("bytes", &DiskUse::bytes, json_only);
    visit("sweeps", &DiskUse::sweeps, json_only);
    visit("rates", &DiskUse::rates, json_only);
  }
};

template <>
struct Fields<StreamUse> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("block_rows", &StreamUse::block_rows, json_only);
    visit("dropped_rows", &StreamUse::dropped_rows, json_only);
    visit("backward_error_bound", &StreamUse::backward_error_bound, json_only);
    visit("checked_rows", &StreamUse::checked_rows, json_only);
    visit("checked_residual", &StreamUse::checked_residual, json_only);
    visit("inputs", &StreamUse::inputs, json_only);
    visit("text_bytes", &StreamUse::text_bytes, json_only);
  }
};

template <>
struct Fields<Report> {
  template <class Visitor>
  static void visit(Visitor&& visit) {
    visit("status", &Report::status);
    visit("stopped_by", &Report::stopped_by);
    visit("reason", &Report::reason);
    visit("method", &Report::method);
    visit("iterations", &Report::iterations, summed);
    visit("row_products", &Report::row_products, summed);
    visit("measured_row_products", &Report::measured_row_products, summed);
    visit("looks", &Report::looks, if_any);
    visit("passes", &Report::passes, json_only);
    visit("bytes_read", &Report::bytes_read, summed);
    visit("pages_read", &Report::pages_read);
    visit("disk", &Report::disk, json_only);
    visit("stream", &Report::stream, json_only);
    visit("residual_norm", &Report::residual_norm);
    visit("gradient_norm", &Report::gradient_norm);
    visit("relative_residual", &Report::relative_residual);
    visit("relative_gradient", &Report::relative_gradient);
    visit("error", &Report::error);
    visit("backward_error", &Report::backward_error);
    visit("measured_rate", &Report::measured_rate);
    visit("statistics", &Report::statistics, json_only);
    visit("certified", &Report::certified, if_any);
    visit("verified", &Report::verified, if_any);
    visit("stages", &Report::stages, json_only, if_any);
    visit("asked", &Report::asked, json_only);
    visit("used", &Report::used);
    visit("seconds", &Report::seconds, summed);
    visit("rows", &Report::rows, json_only);
    visit("cols", &Report::cols, json_only);
    visit("nnz", &Report::nnz, json_only);
    visit("right_hand_sides", &Report::right_hand_sides, json_only);
    visit("zero_rows", &Report::zero_rows);
    visit("zero_columns", &Report::zero_columns);
    visit("dependent_columns", &Report::dependent_columns, if_any);
    visit("matrix", &Report::matrix, json_only);
    visit("seed", &Report::seed);
    visit("threads", &Report::threads);
    visit("simd", &Report::simd, json_only);
    visit("warnings", &Report::warnings);
    visit("history", &Report::history, saved_only);
    visit("x", &Report::x, saved_only);
  }
};

}  // namespace polyak
