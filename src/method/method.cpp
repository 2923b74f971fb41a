#include "method/method.hpp"

#include <algorithm>

#include "polyak/error.hpp"

namespace polyak {

Method::Method(const Setting& setting, Index blocks, Columns columns)
    : setting_(setting),
      columns_(setting.problem.right_hand_sides() * setting.parameters.replicates),
      d_(setting.problem.cols()),
      unit_(setting.facts.scale.a / setting.facts.scale.b) {
  const ConstView x0 = setting.problem.x0();
  std::vector<double> start;
  for (Index r = 0; r < setting.parameters.replicates; ++r)
    start.insert(start.end(), x0.data, x0.data + x0.size());
  project(view(start));
  state_.vectors.assign(to_size(blocks), start);
  const Share own = setting.problem.A().share();
  if (columns == Columns::all || !own.columns) return;
  if (own.columns->pays(*own.rows)) exchange_ = own.columns;
  exchange_told_ = own.columns->told();
}

ConstView Method::whole_x() {
  if (exchange_) exchange_->gather(block(0));
  return x();
}

SolverState Method::whole_state() const {
  SolverState out = state_;
  if (!exchange_) return out;
  for (auto& vector : out.vectors) exchange_->gather(view(vector));
  return out;
}

void Method::restore(const SolverState& state) {
  const bool fits = std::equal(
      state.vectors.begin(), state.vectors.end(), state_.vectors.begin(), state_.vectors.end(),
      [](const auto& a, const auto& b) { return a.size() == b.size(); });
  if (!fits) {
    throw Error(ErrorCode::bad_data,
                {.what = "the saved state belongs to another problem or method",
                 .found = std::to_string(state.vectors.size()) + " vectors",
                 .expected = std::to_string(state_.vectors.size()) + " of this problem's sizes"});
  }
  state_ = state;
}

void Method::project(View x) const {
  const Problem& problem = setting_.problem;
  if (!problem.has_bounds()) return;
  for (Index c = 0; c < x.rows; ++c)
    for (Index j = 0; j < x.cols; ++j)
      x(c, j) = std::clamp(x(c, j), problem.lower()[to_size(j)], problem.upper()[to_size(j)]);
}

double Method::ridge_curvature(const double* v) const {
  double sum = 0.0;
  for (Index j = 0; j < d_ && has_ridge(); ++j) sum += ridge(j) * v[j] * v[j];
  return sum;
}

void keep_unseen(const Setting& setting, View step) {
  for (Index j : setting.facts.zero_columns) {
    if (setting.problem.ridge(j) > 0.0) continue;
    for (Index c = 0; c < step.rows; ++c) step(c, j) = 0.0;
  }
}

}  // namespace polyak
