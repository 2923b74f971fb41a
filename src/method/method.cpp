#include "method/method.hpp"

#include <algorithm>

#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak {

Method::Method(const Setting& setting, Columns columns)
    : setting_(setting),
      vectors_(setting.problem.right_hand_sides() * setting.parameters.replicates),
      d_(setting.problem.cols()),
      unit_(setting.facts.scale.a / setting.facts.scale.b),
      x_(saved_start()) {
  save_block(x_);
  const Partition own = partition(setting.problem.A());
  if (columns == Columns::all || !own.columns) return;
  if (own.columns->pays(*own.rows)) exchange_ = own.columns;
  exchange_told_ = own.columns->told();
}

Block Method::saved_start() {
  const ConstView x0 = setting_.problem.x0();
  std::vector<double> start;
  for (Index r = 0; r < setting_.parameters.replicates; ++r)
    start.insert(start.end(), x0.data, x0.data + x0.size());
  Block out = unknowns();
  backend().write(host_view(start), out);
  backend().clamp(out);
  return out;
}

Block Method::diagonal(const std::vector<double>& entries) {
  Block out = backend().make(Block::Kind::unknowns, 1);
  backend().write({entries.data(), 1, d_, d_}, out);
  return out;
}

const Block& Method::whole_x() {
  if (exchange_) backend().gather_columns(*exchange_, x_);
  return x_;
}

SolverState Method::save() {
  SolverState out{counters_.iteration, counters_.row_products, {}};
  for (const auto& item : saved_) {
    if (const auto* numbers = std::get_if<std::vector<double>*>(&item)) {
      out.vectors.push_back(**numbers);
      continue;
    }
    const Block& block = *std::get<Block*>(item);
    if (block.kind() == Block::Kind::equations)
      backend().gather_rows(block);
    else if (exchange_)
      backend().gather_columns(*exchange_, block);
    out.vectors.push_back(backend().host_copy(block));
  }
  return out;
}

void Method::restore(const SolverState& state) {
  const auto size = [](const auto& item) {
    const auto* block = std::get_if<Block*>(&item);
    return block ? to_size((*block)->size()) : std::get<std::vector<double>*>(item)->size();
  };
  const bool fits =
      std::equal(state.vectors.begin(), state.vectors.end(), saved_.begin(), saved_.end(),
                 [&](const auto& vector, const auto& item) { return vector.size() == size(item); });
  if (!fits) {
    throw Error(ErrorCode::bad_data,
                {.what = "the saved state belongs to another problem or method",
                 .found = std::to_string(state.vectors.size()) + " vectors",
                 .expected = std::to_string(saved_.size()) + " of this problem's sizes"});
  }
  counters_ = {state.iteration, state.row_products};
  for (std::size_t i = 0; i < saved_.size(); ++i) {
    const std::vector<double>& from = state.vectors[i];
    if (const auto* numbers = std::get_if<std::vector<double>*>(&saved_[i])) {
      **numbers = from;
      continue;
    }
    const Block& block = *std::get<Block*>(saved_[i]);
    const bool unknowns = block.kind() == Block::Kind::unknowns;
    const Index rows = unknowns ? block.vectors() : block.length();
    const Index cols = unknowns ? block.length() : block.vectors();
    backend().write({from.data(), rows, cols, cols}, block);
  }
}

std::vector<double> Method::ridges() const {
  std::vector<double> out(to_size(d_));
  for (Index j = 0; j < d_; ++j) out[to_size(j)] = ridge(j);
  return out;
}

double Method::ridge_curvature(const double* v) const {
  double sum = 0.0;
  for (Index j = 0; j < d_ && has_ridge(); ++j) sum += ridge(j) * v[j] * v[j];
  return sum;
}

void keep_zero_columns(const Setting& setting, View step) {
  for (Index j : setting.facts.zero_columns) {
    if (setting.problem.ridge(j) > 0.0) continue;
    for (Index c = 0; c < step.rows; ++c) step(c, j) = 0.0;
  }
}

}  // namespace polyak
