#pragma once

// One record per method: its name and options, how it is made, how its parameters are chosen,
// what it reads, how much memory it takes, and when the method auto considers it. A new method
// is one file that ends with its record, and one line in the list at the end of this header.

#include <optional>
#include <span>
#include <string>

#include "method/costs.hpp"
#include "method/method.hpp"
#include "polyak/options.hpp"
#include "theory/parameters.hpp"

namespace polyak {

/// The facts from which parameters are chosen, in the scaled problem's units.
struct PlanInputs {
  const Problem& problem;
  const MatrixFacts& facts;
  const SolveOptions& options;
  ThreadTeam& team;
  double eta = 1.0;         ///< of the sampling law
  double lambda_min = 0.0;  ///< with the ridge; 0 where not known
  double lambda_max = 0.0;

  bool step_is_given() const { return options.step_size || options.step_sequence; }
  bool momentum_is_given() const { return options.momentum || options.momentum_sequence; }
};

/// The parameters of a run. What a method does not use stays as it is here.
struct ChosenParameters {
  double step_size = 0.0;                  ///< alpha
  double momentum = 0.0;                   ///< beta
  Index batch = 0;                         ///< B; all rows for methods that do not sample
  bool project_on_rows = false;            ///< randomized Kaczmarz: step 1/‖a_j‖² exactly
  std::optional<double> mu = {}, nu = {};  ///< accelerated Kaczmarz
  /// Of a sketched preconditioner. The step then applies to the preconditioned problem and
  /// does not change with the units of A.
  std::optional<Index> sketch_rows = {};
  double rows_read = 0.0;           ///< in order to choose these
  std::optional<double> rate = {};  ///< where the method itself predicts it
  std::string rate_kind = {};       ///< by which reasoning
};

/// The bounds from which parameters for a batch are computed.
struct SampledModel {
  const theory::Model& worst_case;  ///< over every A with these ends of the spectrum
  double lambda_min, lambda_max;    ///< with the ridge
  double energy;                    ///< eta·‖A‖_F²
};

/// How step, momentum and batch are chosen. Null where a method has no such choice.
struct Planning {
  /// For exact gradients and a spectrum within [lambda_min, lambda_max].
  theory::StepAndMomentum (*step_and_momentum)(const PlanInputs&) = nullptr;
  /// For gradients sampled by batches of B rows.
  theory::Parameters (*tuned)(const SampledModel&, Index batch) = nullptr;
  /// Parameters of this method alone, once step, momentum and batch are chosen.
  void (*complete)(const PlanInputs&, ChosenParameters&) = nullptr;
  /// The factor per iteration by which the error falls with exact gradients.
  double (*rate)(const PlanInputs&, const ChosenParameters&) = nullptr;
  bool proved_when_sampled = false;  ///< the rate holds for sampled rows as well
  /// The recurrence by which theory predicts sampled runs.
  theory::Method recurrence = theory::Method::heavy_ball;
};

/// How `polyak plan` predicts the iterations of a method; none: it is not in its table.
enum class Prediction { none, factorisation, krylov, momentum, single_row, minibatch };

/// Facts from a subset of the rows that was solved directly (solve/auto/subset_stages.hpp).
struct SubsetFacts {
  Index rows_solved = 0;
  Index rank = 0;          ///< of the subset
  bool full_rank = false;  ///< the subset, and therefore A, has full column rank
  /// Columns that depend on each other vary in many rows of the subset each: they depend
  /// on each other in nearly all rows too.
  bool dependent = false;
  double condition = 0.0;   ///< of the subset with scaled columns, σ_1/σ_rank; may be infinite
  bool unresolved = false;  ///< solved by normal equations, which do not resolve its condition
  double relative_residual = 0.0;  ///< ‖r‖/‖b‖ over the rows that check the solution

  /// AᵀA would not resolve A.
  bool ill_conditioned() const;
};

/// Largest condition of A that AᵀA still resolves well enough for refined steps to reach
/// the accuracy of QR.
constexpr double max_normal_condition = 1.6e7;

/// One method as auto would run it.
struct Candidate {
  std::string method;
  std::string why;
  double seconds = 0.0;               ///< predicted, on the nominal machine of Costs
  double reads = 0.0;                 ///< of all rows, about; 0: not predicted
  std::optional<double> tol = {};     ///< where it differs from the requested one
  std::optional<double> passes = {};  ///< a trial: at most this many
  bool may_continue = false;          ///< a trial that continues where it will soon converge
  /// The run ends where more iterations than this are extrapolated.
  std::optional<double> max_expected_iterations = {};
};

/// A candidate, or the reason why there is none. Both empty: the method is not meant for
/// problems of this kind.
struct Proposal {
  std::optional<Candidate> candidate = {};
  std::string ruled_out = {};
};

inline Proposal propose(Candidate candidate) { return {std::move(candidate), {}}; }
inline Proposal rule_out(std::string why) { return {std::nullopt, std::move(why)}; }

/// When the record of a method is called for a proposal. Later turns get the candidates of
/// earlier ones.
enum class Turn {
  never,          ///< runs only where the user names it
  factorisation,  ///< gets no other candidate
  iteration,      ///< gets the factorisations
  trial,          ///< a short trial before all others; gets them by ascending seconds
  last            ///< where all others fail
};

/// The facts, computed once for all candidates.
struct CandidateInputs {
  const ProblemShape& shape;
  const Costs& costs;
  double tol;
  double n, d;                               ///< rows and columns
  const std::optional<SubsetFacts>& subset;  ///< where a subset was solved directly
  std::optional<double> cg_iterations;  ///< of cg on all rows, extrapolated from cg on a subset
  bool subset_first;                    ///< auto solves a subset of the rows before it chooses
  bool small;                           ///< QR takes at most Costs::at_once
  std::span<const Candidate> factorisations = {};  ///< of the first turn
  /// Of all turns before; by ascending seconds for `trial` and `last`.
  std::span<const Candidate> others = {};

  bool dependent() const { return subset && subset->dependent; }
  bool ill_conditioned() const { return subset && subset->ill_conditioned(); }
  /// min(n, d) is small enough for a dense factorisation.
  bool can_factor() const;
};

// Texts and numbers that several records share.
namespace candidate {
constexpr double max_square_bytes = 4e9;   ///< of matrices of d × d
constexpr double unknown_iterations = 50;  ///< of conjugate gradients, where nothing is known
/// Of the seconds of the next method: what a trial of conjugate gradients may take.
constexpr double trial_share = 0.25;
Proposal small_problem();
std::string too_large_to_factor();
std::string dependent_columns(const CandidateInputs& in);
/// The tolerance that gives a good x, not only a small residual: at a condition of kappa
/// that takes a backward error of tol/kappa.
double tol_for_x(const CandidateInputs& in);
double tol_for_x(double tol, double condition);
}  // namespace candidate

struct MethodRecord {
  MethodInfo info;
  std::unique_ptr<Method> (*make)(const Setting&) = nullptr;
  Planning plan = {};
  double reads_per_iteration = 1.0;  ///< of the batch, or of all rows
  /// Numbers of eight bytes beside those of every run. Null: the sampling table and the
  /// spectrum, where the method needs them.
  double (*memory)(const WorkingMemory&) = nullptr;
  Turn turn = Turn::never;                                ///< of auto
  Proposal (*propose)(const CandidateInputs&) = nullptr;  ///< in that turn
  /// auto accepts its x up to this condition of A, where a factorisation has computed the
  /// condition; above it QR follows.
  double trusted_condition = 1e6;
  /// Works on AᵀA and Aᵀb, which the first read of A then gives (Setting::normal).
  bool by_normal_equations = false;
  bool krylov = false;  ///< ‖r‖ and ‖Aᵀr‖ may stay constant for long before they fall
  Prediction prediction = Prediction::none;
};

/// The constructor of a class as MethodRecord::make.
template <class Algorithm>
std::unique_ptr<Method> construct(const Setting& setting) {
  return std::make_unique<Algorithm>(setting);
}

/// Null when there is none of that name.
const MethodRecord* find_record(const std::string& name);
/// Whether a run uses the norm of each row: methods that sample, unless all rows have the same
/// probability. Null: false.
bool uses_row_norms(const MethodRecord* record, const SolveOptions& options);
/// All records, in the order of method_table().
std::span<const MethodRecord* const> method_records();
/// Adds a method to the table. Not while other threads solve; Error usage when the name is
/// taken or the table is full. The record must outlive its last use.
void register_method(const MethodRecord& record);

// The methods of the library, in the order of help and reports. METHOD(name) declares
// `const MethodRecord& name_record()`, which ends the file of the algorithm; record.cpp
// makes the table from the same list.
#define POLYAK_METHODS(METHOD) \
  METHOD(gradient_descent)     \
  METHOD(heavy_ball)           \
  METHOD(nesterov)             \
  METHOD(sgd)                  \
  METHOD(kaczmarz)             \
  METHOD(minibatch_sgd)        \
  METHOD(minibatch_heavy_ball) \
  METHOD(minibatch_nesterov)   \
  METHOD(accelerated_kaczmarz) \
  METHOD(cgls)                 \
  METHOD(lsqr)                 \
  METHOD(one_read_cg)          \
  METHOD(direct)               \
  METHOD(normal)               \
  METHOD(sketched_heavy_ball)  \
  METHOD(active_set)           \
  METHOD(bounded_cg)

#define POLYAK_DECLARE_RECORD(name) const MethodRecord& name##_record();
POLYAK_METHODS(POLYAK_DECLARE_RECORD)
#undef POLYAK_DECLARE_RECORD

}  // namespace polyak
