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

namespace {

using Make = std::unique_ptr<Method> (*)(const Setting&);

struct Entry {
  MethodInfo info;
  Make make;
};

// The one table of methods: a new one is a file and a line here.
const std::vector<Entry>& entries() {
  using namespace trait;
  static const std::vector<Entry> table = {
      {{"gd", "gradient descent", step_size | spectrum | bounds | ridge, false}, make_gradient_descent},
      {{"hbm", "heavy ball momentum, full gradients",
        step_size | momentum | spectrum | gamma | bounds | ridge, false},
       make_heavy_ball},
      {{"nag", "Nesterov's accelerated gradient", step_size | momentum | spectrum | gamma | bounds | ridge,
        false},
       make_nesterov},
      {{"sgd", "stochastic gradient descent, one row a step", step_size | sampling | bounds | ridge, true},
       make_kaczmarz},
      {{"rk", "randomized Kaczmarz, one row a step", bounds | ridge, true}, make_kaczmarz},
      {{"minibatch-sgd", "stochastic gradient descent by batches",
        batch | step_size | spectrum | sampling | bounds | ridge, true},
       make_gradient_descent},
      {{"minibatch-hbm", "minibatch heavy ball momentum, the paper's method",
        batch | step_size | momentum | spectrum | gamma | sampling | bounds | ridge, true},
       make_heavy_ball},
      {{"minibatch-nag", "Nesterov's method with sampled gradients",
        batch | step_size | momentum | spectrum | gamma | sampling | bounds | ridge, true},
       make_nesterov},
      {{"ark", "accelerated randomized Kaczmarz", lambda_min, true}, make_accelerated_kaczmarz},
      {{"cgls", "conjugate gradients for least squares", ridge, false}, make_cgls},
      {{"lsqr", "Paige and Saunders' LSQR", ridge, false}, make_lsqr},
      {{"cg", "conjugate gradients, one read of A an iteration", ridge, false}, make_one_read_cg},
      {{"direct", "QR factorisation, rank-revealing", ridge, false}, make_direct},
      {{"normal", "normal equations by Cholesky, refined", ridge, false}, make_normal},
      {{"sketch-hbm", "heavy ball preconditioned by a sketch of A", ridge, false},
       make_sketched_heavy_ball},
      {{"active-set", "bounded least squares exactly, by QR", bounds | ridge, false}, make_active_set},
      {{"bounded-cg", "conjugate gradients within bounds", bounds | ridge, false}, make_bounded_cg},
  };
  return table;
}

}  // namespace

std::span<const MethodInfo> method_table() {
  static const std::vector<MethodInfo> infos = [] {
    std::vector<MethodInfo> out;
    for (const Entry& entry : entries()) out.push_back(entry.info);
    return out;
  }();
  return infos;
}

const MethodInfo* find_method(const std::string& name) {
  for (const MethodInfo& info : method_table())
    if (info.name == name) return &info;
  return nullptr;
}

std::unique_ptr<Method> make_method(const std::string& name, const Setting& setting) {
  for (const Entry& entry : entries())
    if (entry.info.name == name) return entry.make(setting);
  throw Error(ErrorCode::usage, {.what = "there is no method of that name", .found = name});
}

}  // namespace polyak
