// Methods that factor A, AᵀA or a sketch of A: direct, normal and sketch-hbm.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "method/record.hpp"

namespace polyak {
namespace {

// problem/least_squares: R, or all of a wide A; and three squares for its
// singular values.
double direct_memory(const WorkingMemory& m) {
  const double small = std::min(m.n(), m.d()), squares = 3.0 * small * small + m.c() * m.d();
  return m.n() < m.d() ? m.n() * (m.d() + m.c()) + squares
                       : std::max(m.factor(m.n(), m.d() + m.c()), squares);
}

Proposal propose_direct(const CandidateInputs& in) {
  if (!in.can_factor()) return rule_out(candidate::too_large_to_factor());
  const char* why = in.small         ? "small enough to factor at once"
                    : in.dependent() ? "QR by singular values: columns depend on each other"
                                     : "QR, whatever the conditioning";
  return propose({.method = direct_record().info.name, .why = why, .seconds = in.costs.direct()});
}

// method/normal: what AᵀA is made from, or AᵀA twice and its factor.
double normal_memory(const WorkingMemory& m) {
  const double width = m.d() + m.c();
  return std::max(m.gram(width), 3.0 * width * width);
}

Proposal propose_normal(const CandidateInputs& in) {
  constexpr double max_gram_seconds = 1e3;
  if (in.dependent()) return rule_out(candidate::dependent_columns(in));
  if (in.n < in.d) return rule_out("fewer rows than columns");
  if (in.ill_conditioned())
    return rule_out(
        fmt::format("A'A does not resolve a condition of {:.1e}", in.subset->condition));
  if (const double bytes = 3.0 * in.d * in.d * 8.0; bytes > candidate::max_square_bytes)
    return rule_out(fmt::format("A'A and its factor take {:.2g} GB", bytes / 1e9));
  if (in.costs.gram() > max_gram_seconds)
    return rule_out(fmt::format("A'A alone would take {:.2g} s", in.costs.gram()));
  return propose({.method = normal_record().info.name,
                  .why = in.subset ? "A'A in one pass, well enough conditioned"
                                   : "A'A in one pass, where well enough conditioned",
                  .seconds = in.costs.normal(),
                  .tol = candidate::tol_for_x(in)});
}

double digits(double tol) { return std::log(1.0 / tol); }  // in e-folds

// spectrum/sketch with method/preconditioner.
double sketched_memory(const WorkingMemory& m) {
  const double rows =
      static_cast<double>(Costs(m.shape()).sketch_rows(digits(std::max(m.options().tol, 1e-16))));
  return (rows + 1024.0) * (m.d() + m.c()) + m.factor(rows, m.d() + m.c());
}

// The Marchenko–Pastur band (method/sketched_heavy_ball.cpp) gives step, momentum and rate.
void complete_sketched(const PlanInputs& in, ChosenParameters& p) {
  const Index rows = Costs(in.problem).sketch_rows(digits(std::max(in.options.tol, 1e-16)));
  const double r = static_cast<double>(in.problem.cols()) / static_cast<double>(rows);
  p.sketch_rows = rows;
  p.step_size = (1.0 - r) * (1.0 - r);
  p.momentum = r;
  p.rate = std::sqrt(r);
  p.rate_kind = "model: Marchenko-Pastur band of the sketch";
}

Proposal propose_sketched(const CandidateInputs& in) {
  constexpr double attainable = 1e-14;    // backward error that iterations reach
  constexpr double until_stagnation = 3;  // times as long until stagnation is detected
  if (in.small) return candidate::small_problem();
  if (in.dependent()) return rule_out(candidate::dependent_columns(in));
  if (in.n < 12.0 * in.d) return rule_out("fewer than 12 rows per column");
  if (const double bytes = 12.0 * in.d * in.d * 8.0; bytes > candidate::max_square_bytes)
    return rule_out(fmt::format("the sketch might take {:.2g} GB", bytes / 1e9));
  // A run that cannot reach its tolerance for rounding ends only once it stagnates.
  const double tol = candidate::tol_for_x(in);
  const double factor = tol < attainable ? until_stagnation : 1.0;
  return propose({.method = sketched_heavy_ball_record().info.name,
                  .why = "a sketch preconditions A whatever its conditioning",
                  .seconds = in.costs.sketched(factor * digits(tol)),
                  .tol = tol});
}

}  // namespace

const MethodRecord& direct_record() {
  static const MethodRecord record{
      .info = {"direct", "QR factorisation, rank-revealing", trait::ridge, false},
      .make = make_direct,
      .memory = direct_memory,
      .turn = Turn::factorisation,
      .propose = propose_direct,
      .trusted_condition = std::numeric_limits<double>::infinity(),
      .prediction = Prediction::factorisation};
  return record;
}

const MethodRecord& normal_record() {
  static const MethodRecord record{
      .info = {"normal", "normal equations by Cholesky, refined", trait::ridge, false},
      .make = make_normal,
      .memory = normal_memory,
      .turn = Turn::factorisation,
      .propose = propose_normal,
      .trusted_condition = max_normal_condition};
  return record;
}

const MethodRecord& sketched_heavy_ball_record() {
  static const MethodRecord record{
      .info = {"sketch-hbm", "heavy ball preconditioned by a sketch of A", trait::ridge, false},
      .make = make_sketched_heavy_ball,
      .plan = {.complete = complete_sketched},
      .memory = sketched_memory,
      .turn = Turn::factorisation,
      .propose = propose_sketched};
  return record;
}

}  // namespace polyak
