#include "method/method.hpp"

#include <algorithm>
#include <optional>

#include "matrix/column_map.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"
#include "problem/least_norm.hpp"

namespace polyak {
namespace {

// Up to this size the rows of the next batch are prefetched one iteration ahead; rows of larger
// batches are prefetched by the kernel. Measured: at four rows it gains nothing.
constexpr Index max_prefetched_batch = 2;

}  // namespace

Method::Method(const Setting& setting, Columns columns)
    : setting_(setting),
      vectors_(setting.problem.right_hand_sides() * setting.parameters.replicates),
      d_(setting.problem.cols()),
      unit_(setting.facts.scale.a / setting.facts.scale.b),
      x_(saved_start()) {
  save_block(x_);
  const Partition own = partition(setting.problem.A());
  if (columns == Columns::all || !own.columns) return;
  if (own.columns->sends_less(*own.rows)) exchange_ = own.columns;
  exchange_choice_ = own.columns->description();
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

GradientSource::GradientSource(const Setting& setting, ColumnExchange* exchange)
    : setting_(setting),
      exchange_(exchange),
      one_rank_(partition(setting.problem.A()).ranks() == 1),
      residual2_(to_size(setting.problem.right_hand_sides())) {
  if (setting.problem.ridge() > 0.0) {
    const Index d = setting.problem.cols();
    std::vector<double> ridge(to_size(d));
    for (Index j = 0; j < d; ++j)
      ridge[to_size(j)] = setting.problem.ridge(j) * setting.facts.scale.a;
    ridge_ = setting.backend.make(Block::Kind::unknowns, 1);
    setting.backend.write({ridge.data(), 1, d, d}, ridge_);
  }
  if (!setting.sampler) return;
  const Parameters& p = setting.parameters;
  if (const Index rows = setting.backend.rows_ahead(); rows > 0)
    ahead_ = std::max<Index>(1, rows / (p.batch * p.replicates));
  for (Index r = 0; r < p.replicates; ++r) {
    const Random random(p.seed, stream::sampling + p.stream + static_cast<std::uint64_t>(r));
    draws_.emplace_back(*setting.sampler, p.batch, setting.problem.weights(), setting.team, random);
    if (ahead_ > 0)
      draws_ahead_.emplace_back(*setting.sampler, p.batch, setting.problem.weights(), setting.team,
                                random);
  }
  batches_.resize(draws_.size());
}

// The ridge term in units of g̃: x̃ = x·scale.b/scale.a, so ridge·scale.a·scale.b·x.
Index GradientSource::operator()(Index k, const Block& x, const Block& g) {
  const Index read = setting_.sampler ? sampled(k, x, g) : full(x, g);
  if (setting_.problem.ridge() > 0.0)
    setting_.backend.add_diagonal(setting_.facts.scale.b, ridge_, x, g);
  return read;
}

void GradientSource::prefetch(const BatchDrawer* next) const {
  if (next && one_rank_) setting_.backend.prefetch(next->rows());
}

// The batches of iterations k to k + ahead_ are in memory or being read.
void GradientSource::read_ahead(Index k) {
  if (draws_ahead_.empty()) return;
  for (next_ahead_ = std::clamp(next_ahead_, k, k + ahead_ + 1); next_ahead_ <= k + ahead_;
       ++next_ahead_)
    for (BatchWindow& draws : draws_ahead_) setting_.backend.expect(draws.at(next_ahead_).rows());
}

Index GradientSource::sampled(Index k, const Block& x, const Block& g) {
  read_ahead(k);
  for (std::size_t r = 0; r < draws_.size(); ++r) {
    const BatchDrawer& drawn = draws_[r].at(k);
    batches_[r] = {drawn.rows(), drawn.weights()};
    if (setting_.parameters.batch <= max_prefetched_batch) prefetch(draws_[r].drawn(k + 1));
  }
  setting_.backend.batch_gradient(batches_, x, g, exchange_);
  return std::ssize(batches_) * setting_.parameters.batch;
}

Index GradientSource::full(const Block& x, const Block& g) {
  setting_.backend.full_gradient(x, g, residual2_, exchange_);
  return setting_.problem.rows();
}

void keep_zero_columns(const Setting& setting, View step) {
  for (Index j : setting.facts.zero_columns) {
    if (setting.problem.ridge(j) > 0.0) continue;
    for (Index c = 0; c < step.rows; ++c) step(c, j) = 0.0;
  }
}

namespace {

Buffer sum_of(ConstView a, ConstView b) {
  Buffer out(a.rows, a.cols);
  for (Index c = 0; c < a.rows; ++c)
    for (Index j = 0; j < a.cols; ++j) out.view()(c, j) = a(c, j) + b(c, j);
  return out;
}

double largest_of(const double* values, Index count) {
  double largest = 0.0;
  for (Index j = 0; j < count; ++j) largest = std::max(largest, std::abs(values[j]));
  return largest;
}

// Whether x + step fits as well as x: |A·step| is rounding beside |r|, or |r| itself beside the
// terms that it is the difference of.
class FitGuard {
 public:
  FitGuard(const Setting& setting, ConstView x) : setting_(setting), x_(x) {}

  bool permits(Index c, ConstView steps) {
    if (change2_.empty()) read(steps);
    const Scale& scale = setting_.facts.scale;  // of Ã·step: that of A; of r̃: that of b
    const double change = std::sqrt(change2_[to_size(c)]) * scale.b / scale.a;
    const double r = std::sqrt(residual2_[to_size(c)]);
    return change <= harmless * r || r + change <= harmless * size_of_terms(c);
  }
  Index rows_read() const { return change2_.empty() ? 0 : 2 * setting_.problem.rows(); }

 private:
  static constexpr double harmless = 1e-9;  // a tenth of the default tolerance

  void read(ConstView steps) {
    Backend& backend = setting_.backend;
    const Block v = backend.make(Block::Kind::unknowns, x_.rows);
    const Block g = backend.make(Block::Kind::unknowns, x_.rows);
    change2_.resize(to_size(x_.rows));
    residual2_.resize(to_size(x_.rows));
    backend.write(x_, v);
    backend.full_gradient(v, g, residual2_, nullptr);
    backend.write(steps, v);
    backend.normal_product(v, g, change2_);
  }

  // Σ_j ‖a_j‖|x_j| + ‖b‖, in the units of r̃.
  double size_of_terms(Index c) const {
    const MatrixFacts& facts = setting_.facts;
    double sum = 0.0;
    for (Index j = 0; j < x_.cols; ++j) sum += facts.column_norms[to_size(j)] * std::abs(x_(c, j));
    return sum * facts.scale.b / facts.scale.a + facts.b_norms[to_size(c)];
  }

  const Setting& setting_;
  ConstView x_;
  std::vector<double> change2_, residual2_;
};

}  // namespace

Shortened shorten(const Setting& setting, ConstView N, ConstView from, View x) {
  constexpr double max_growth = 1024.0;  // changes no digit that matters
  const MappedMatrix* mapped = as_mapped(setting.problem.A());
  if (!mapped || N.cols == 0) return {};
  const std::optional<Buffer> found = steps_to_shortest(mapped->map(), N, x);
  if (!found) return {.all = false};
  const ConstView steps = found->view();
  const Buffer total = sum_of(from, x);
  FitGuard guard(setting, total.view());
  Shortened out;
  for (Index c = 0; c < x.rows; ++c) {
    const bool made =
        largest_of(steps.row(c), x.cols) <= max_growth * largest_of(x.row(c), x.cols) ||
        guard.permits(c, steps);
    for (Index j = 0; j < x.cols && made; ++j) x(c, j) += steps(c, j);
    out.all = out.all && made;
  }
  out.rows_read = guard.rows_read();
  return out;
}

}  // namespace polyak
