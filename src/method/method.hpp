#pragma once

// A method: mathematics only. It is prepared once, then told to advance from
// iteration `first` to `last`; advancing 10 equals advancing 4 and then 6,
// bit for bit. Measuring, stopping and reporting belong to the driver.
//
// Units: x is in the user's units. Gradients are those of the scaled problem
// (Ã = A·scale.a, b̃ = b·scale.b), so a step is alpha·unit with
// unit = scale.a/scale.b and alpha in the scaled problem's units. On tame data
// every scale is 1.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/random.hpp"
#include "linalg/factor.hpp"
#include "matrix/products.hpp"
#include "polyak/methods.hpp"
#include "polyak/problem.hpp"
#include "polyak/ranks.hpp"
#include "polyak/state.hpp"
#include "sampling/batch_window.hpp"
#include "spectrum/facts.hpp"

namespace polyak {

/// What the plan hands to a method; a method reads what it needs.
struct Parameters {
  Index batch = 0;                        // B
  std::function<double(Index)> step_size; // alpha_k, in scaled units
  std::function<double(Index)> momentum;  // beta_k
  bool land_on_rows = false;              // randomized Kaczmarz: step 1/‖a_j‖² exactly
  double mu = 0.0, nu = 0.0;              // accelerated Kaczmarz
  Index sketch_rows = 0;                  // of a sketched preconditioner
  bool only_resolved = false;             // normal: no answer where A'A does not resolve A
  std::uint64_t seed = 0, stream = 0;
  Index replicates = 1;  // runs side by side, of streams stream, stream + 1, …
};

struct Setting {
  const Problem& problem;
  const MatrixFacts& facts;
  Products& products;
  const Sampler* sampler;  // null for methods that do not sample
  Parameters parameters;
};

/// What a factorisation tells of the rank of A.
struct RankFound {
  bool known = false;
  Index rank = 0;
  double threshold = 0.0;  ///< singular values up to this part of the largest count as zero
  std::vector<Dependence> dependent;  ///< the columns that others make superfluous, where known
  std::optional<double> condition;    ///< largest to smallest singular value that counts
};

class Method {
 public:
  virtual ~Method() = default;

  /// Iterations first .. last-1.
  virtual void advance(Index first, Index last) = 0;
  /// Nothing more can come (a direct method has its answer, a Krylov method
  /// met an exact zero).
  virtual bool finished() const { return false; }
  /// ‖Ãᵀr̃‖² of each right-hand side at x, where the method has it at hand, and
  /// then one whose ‖r‖ never grows; else nothing.
  virtual std::span<const double> gradient2() const { return {}; }
  /// The condition of A where a factorisation has shown it; most methods have none.
  virtual std::optional<double> condition() const { return std::nullopt; }
  /// Null where no factorisation has told.
  virtual const RankFound* rank() const { return nullptr; }

  /// The current x, c × d; of several replicates one below the other. Where ranks
  /// exchange columns it may be old but for those that rows here touch.
  ConstView x() const { return block(0); }
  /// On every column. Ranks call this together.
  ConstView whole_x();
  /// How ranks exchange columns; null where sums are of all columns.
  const ColumnExchange* columns() const { return exchange_; }
  /// Which of the two, and why; nothing where there was no choice.
  const std::optional<std::string>& exchange_told() const { return exchange_told_; }
  const SolverState& state() const { return state_; }
  void restore(const SolverState& state);
  /// The state as one machine would have it, whatever the number of ranks: what
  /// has a number per row, or per column, is gathered. Ranks call this together.
  virtual SolverState whole_state() const;

 protected:
  /// What a method needs to know of the gradient: `touched` where it goes column by
  /// column, so that every rank can do without the columns its rows do not touch.
  enum class Columns { all, touched };

  /// `blocks` sets of c vectors of length d; block 0 is x and starts at x0,
  /// like every other one (x_1 = x_0).
  Method(const Setting& setting, Index blocks, Columns columns = Columns::all);

  View block(Index i) { return view(state_.vectors[to_size(i)]); }
  ConstView block(Index i) const {
    const auto& v = state_.vectors[to_size(i)];
    return {v.data(), columns_, d_, d_};
  }
  View view(std::vector<double>& v) const { return {v.data(), columns_, d_, d_}; }
  void project(View x) const;  // onto the bounds, if there are any
  /// step(from, count) for the entries of a block that this rank keeps up.
  template <class Step>
  void for_kept(Step step) const {
    if (!exchange_) return step(Index{0}, columns_ * d_);
    const ColumnRange held = exchange_->held();
    for (Index c = 0; c < columns_; ++c) step(c * d_ + held.first, held.last - held.first);
  }

  Setting setting_;
  Index columns_, d_;
  ColumnExchange* exchange_ = nullptr;
  std::optional<std::string> exchange_told_;
  double unit_;        // scale.a/scale.b
  /// Of unknown j, in scaled units: one factor at a time, scale.a² may not be a double.
  double ridge(Index j) const {
    const double a = setting_.facts.scale.a;
    return setting_.problem.ridge(j) * a * a;
  }
  /// Σ_j ridge_j v_j².
  double ridge_curvature(const double* v) const;
  bool has_ridge() const { return setting_.problem.ridge() > 0.0; }

  SolverState state_;  // all that a continued run needs
};

/// The stochastic gradient of the paper, (1/B)Σ(1/p_j) w_j ã_j r̃_j over a
/// batch drawn for iteration k, or the full one; plus the exact ridge term. Of
/// several replicates each draws its own batch, and one sweep over A serves all.
class GradientSource {
 public:
  explicit GradientSource(const Setting& setting, ColumnExchange* columns = nullptr);
  /// g = gradient at x, as Products has it; returns the rows it read.
  Index operator()(Index k, ConstView x, View g);

 private:
  void expect(const BatchDrawer* next) const;
  Index sampled(Index k, ConstView x, View g);
  Index full(ConstView x, View g);

  const Setting& setting_;
  ColumnExchange* columns_;
  std::vector<BatchWindow> draws_;  // of each replicate
  std::vector<Batch> batches_;
  std::vector<double> residual2_;
};

/// Not even rounding moves what A does not see: the step of a zero column is 0
/// (with a ridge it is the ridge's).
void keep_unseen(const Setting& setting, View step);

std::unique_ptr<Method> make_method(const std::string& name, const Setting& setting);

// One per file.
std::unique_ptr<Method> make_gradient_descent(const Setting& setting);
std::unique_ptr<Method> make_heavy_ball(const Setting& setting);
std::unique_ptr<Method> make_nesterov(const Setting& setting);
std::unique_ptr<Method> make_kaczmarz(const Setting& setting);
std::unique_ptr<Method> make_accelerated_kaczmarz(const Setting& setting);
std::unique_ptr<Method> make_cgls(const Setting& setting);
std::unique_ptr<Method> make_lsqr(const Setting& setting);
std::unique_ptr<Method> make_one_read_cg(const Setting& setting);
std::unique_ptr<Method> make_direct(const Setting& setting);
std::unique_ptr<Method> make_normal(const Setting& setting);
std::unique_ptr<Method> make_sketched_heavy_ball(const Setting& setting);
std::unique_ptr<Method> make_active_set(const Setting& setting);
std::unique_ptr<Method> make_bounded_cg(const Setting& setting);

}  // namespace polyak
