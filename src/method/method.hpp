#pragma once

// A method: mathematics only. It is made once, then advances from iteration `first` to
// `last`; advancing 10 equals advancing 4 and then 6, bit for bit. Measuring, stopping and
// reporting belong to the driver. Its vectors live in the backend (backend/backend.hpp).
//
// Units: x is in the user's units. Gradients are those of the scaled problem
// (Ã = A·scale.a, b̃ = b·scale.b), so a step is alpha·unit with
// unit = scale.a/scale.b and alpha in the scaled problem's units. Unless numbers are very
// large or very small, every scale is 1.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "backend/backend.hpp"
#include "core/random.hpp"
#include "linalg/factor.hpp"
#include "polyak/methods.hpp"
#include "polyak/problem.hpp"
#include "polyak/ranks.hpp"
#include "polyak/state.hpp"
#include "sampling/batches.hpp"
#include "spectrum/normal_equations.hpp"

namespace polyak::internal {

/// The parameters of a plan; each method reads those that it needs.
struct Parameters {
  Index batch = 0;                         // B
  std::function<double(Index)> step_size;  // alpha_k, in scaled units
  std::function<double(Index)> momentum;   // beta_k
  bool project_on_rows = false;            // randomized Kaczmarz: step 1/‖a_j‖² exactly
  double mu = 0.0, nu = 0.0;               // accelerated Kaczmarz
  Index sketch_rows = 0;                   // of a sketched preconditioner
  bool only_resolved = false;              // normal: end without an x where A'A does not resolve A
  std::uint64_t seed = 0, stream = 0;
  Index replicates = 1;  // runs side by side, of streams stream, stream + 1, …
};

struct Setting {
  const Problem& problem;
  const MatrixFacts& facts;
  Backend& backend;
  ThreadTeam& team;
  const Sampler* sampler;  // null for methods that do not sample
  Parameters parameters;
  const NormalEquations* normal = nullptr;  // of the problem, where they are known
};

/// The rank of A as a factorisation found it.
struct RankFound {
  bool known = false;
  Index rank = 0;
  double threshold = 0.0;  ///< singular values up to this part of the largest count as zero
  std::vector<Dependence> dependent;  ///< columns that are combinations of others, where known
  std::optional<double> condition;    ///< largest to smallest singular value that counts
  /// Where the solution is not unique: whether it is the nearest to the start in the user's
  /// variables; false where that one would not fit as well, by rounding.
  bool nearest = true;
};

class Method {
 public:
  virtual ~Method() = default;

  /// Iterations first .. last-1.
  virtual void advance(Index first, Index last) = 0;
  /// True if further iterations cannot change x: a direct method has computed it, or the
  /// gradient of a Krylov method is exactly zero.
  virtual bool finished() const { return false; }
  /// ‖Ãᵀr̃‖² of each right-hand side at x, for methods that compute it and whose ‖r‖ never
  /// grows; empty for all others.
  virtual std::span<const double> gradient2() const { return {}; }
  /// The condition of A, for methods that factor A, AᵀA or a sketch.
  virtual std::optional<double> condition() const { return std::nullopt; }
  /// Null without a factorisation.
  virtual const RankFound* rank() const { return nullptr; }
  /// The residual near x without a read of A; null for methods that do not compute AᵀA.
  virtual const NormalModel* model() const { return nullptr; }
  /// A was read at x(): the gradient ÃᵀWr̃ (c × d) and ‖r̃‖², both without a ridge.
  virtual void measured(ConstView /*x*/, ConstView /*g*/, std::span<const double> /*residual2*/) {}

  Index iteration() const { return counters_.iteration; }
  Index row_products() const { return counters_.row_products; }

  /// The current x, c vectors of d; of several replicates one below the other. Where ranks
  /// exchange columns it is up to date only in the columns that rows stored here use.
  const Block& x() const { return x_; }
  /// x in every column. Collective.
  const Block& whole_x();
  /// How ranks exchange columns; null where sums are of all columns.
  const ColumnExchange* exchange() const { return exchange_; }
  /// Which of the two was chosen, and why; nothing if there was no choice.
  const std::optional<std::string>& exchange_choice() const { return exchange_choice_; }

  /// A copy of everything a continued run needs, the same for any number of ranks and for
  /// any device. Collective.
  SolverState save();
  /// Continues from a saved state.
  void restore(const SolverState& state);

 protected:
  /// Which columns of the gradient a method needs: `used` if it works column by column, so
  /// that a rank needs only the columns in which its rows have entries.
  enum class Columns { all, used };

  explicit Method(const Setting& setting, Columns columns = Columns::all);

  /// A block of unknowns that starts at x0 (projected onto the bounds) and is saved.
  Block saved_start();
  /// Blocks and numbers that save() writes, in the order of these calls; x is the first.
  /// They must stay members of the method.
  void save_block(Block& block) { saved_.push_back(&block); }
  void save_numbers(std::vector<double>& numbers) { saved_.push_back(&numbers); }

  Block unknowns() { return backend().make(Block::Kind::unknowns, vectors_); }
  Block equations() { return backend().make(Block::Kind::equations, vectors_); }
  /// A diagonal matrix as one vector of unknowns.
  Block diagonal(const std::vector<double>& entries);
  Backend& backend() const { return setting_.backend; }
  const Problem& problem() const { return setting_.problem; }

  /// x copied to the host, c × d, and back: for methods that compute x there.
  std::vector<double> read_x() { return backend().host_copy(x_); }
  void write_x(const std::vector<double>& x) { backend().write(host_view(x), x_); }
  View host_view(std::vector<double>& v) const { return {v.data(), vectors_, d_, d_}; }
  ConstView host_view(const std::vector<double>& v) const { return {v.data(), vectors_, d_, d_}; }

  /// The columns that this rank keeps up to date.
  ColumnRange columns() const { return exchange_ ? exchange_->held() : ColumnRange{0, d_}; }

  /// Of unknown j, in scaled units. One factor at a time: scale.a² may overflow.
  double ridge(Index j) const {
    const double a = setting_.facts.scale.a;
    return setting_.problem.ridge(j) * a * a;
  }
  std::vector<double> ridges() const;
  /// Σ_j ridge_j v_j².
  double ridge_curvature(const double* v) const;
  bool has_ridge() const { return setting_.problem.ridge() > 0.0; }

  Setting setting_;
  Index vectors_, d_;  // vectors: right-hand sides times replicates
  ColumnExchange* exchange_ = nullptr;
  std::optional<std::string> exchange_choice_;
  double unit_;  // scale.a/scale.b
  struct Counters {
    Index iteration = 0, row_products = 0;
  } counters_;
  Block x_;

 private:
  std::vector<std::variant<Block*, std::vector<double>*>> saved_;
};

/// The stochastic gradient of the paper, (1/B)Σ(1/p_j) w_j ã_j r̃_j over a
/// batch drawn for iteration k, or the full gradient; plus the exact ridge term. Each
/// replicate draws its own batch, and one read of A serves all of them.
class GradientSource {
 public:
  explicit GradientSource(const Setting& setting, ColumnExchange* exchange = nullptr);
  /// g = gradient at x; returns the number of rows read.
  Index operator()(Index k, const Block& x, const Block& g);

 private:
  void prefetch(const BatchDrawer* next) const;
  void read_ahead(Index k);
  Index sampled(Index k, const Block& x, const Block& g);
  Index full(const Block& x, const Block& g);

  const Setting& setting_;
  ColumnExchange* exchange_;
  bool one_rank_;
  std::vector<BatchWindow> draws_;  // of each replicate
  // The same for rows on a disk, which are read some iterations before they are used.
  std::vector<BatchWindow> draws_ahead_;
  Index ahead_ = 0, next_ahead_ = 0;  // iterations
  std::vector<Batch> batches_;
  std::vector<double> residual2_;
  Block ridge_;  // of each unknown
};

/// Sets the step of each zero column to 0, so that rounding does not move its unknown; with
/// a ridge the step stays.
void keep_zero_columns(const Setting& setting, View step);

struct Shortened {
  bool all = true;      ///< false where a step was too long for the fit, and was not made
  Index rows_read = 0;  ///< of A
};
/// Adds to `x` (c × d, a correction to `from` in the working variables) the combination of
/// the null space N (d × k) that makes it shortest in the user's variables: min ‖D(x + N·y)‖,
/// where D are the columns' units, without the intercept. Nothing is done where columns are
/// not scaled: there x is the shortest already.
///
/// A·N is zero up to rounding only, and so is the change of r: a step that would change ‖r‖ by a
/// part that a tolerance can see is not made.
Shortened shorten(const Setting& setting, ConstView N, ConstView from, View x);

using MakeMethod = std::unique_ptr<Method> (*)(const Setting&);

/// A device's own implementation of a method, which make_method calls first. It returns null
/// for settings that it does not implement. `device` is a name ("cuda:0") or a kind of devices
/// ("cuda").
void register_device_method(const std::string& device, const std::string& method, MakeMethod make);

std::unique_ptr<Method> make_method(const std::string& name, const Setting& setting);

// Minibatch methods in one launch of a CUDA device; null where that does not apply.
std::unique_ptr<Method> make_device_gradient_descent(const Setting& setting);
std::unique_ptr<Method> make_device_heavy_ball(const Setting& setting);
std::unique_ptr<Method> make_device_nesterov(const Setting& setting);

}  // namespace polyak::internal
