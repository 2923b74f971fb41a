#pragma once

// One record per method: its name and options, how it is made, how its parameters are
// chosen, what it reads, how much memory it takes, and when the method auto considers it.
// A new method is one file with its record, and one line in table.cpp.

#include <optional>
#include <string>

#include "method/candidate.hpp"
#include "method/method.hpp"
#include "method/working_memory.hpp"
#include "polyak/options.hpp"
#include "theory/parameters.hpp"

namespace polyak {

/// What is known when parameters are chosen, in the scaled problem's units.
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
  bool land_on_rows = false;               ///< randomized Kaczmarz: step 1/‖a_j‖² exactly
  std::optional<double> mu = {}, nu = {};  ///< accelerated Kaczmarz
  /// Of a sketched preconditioner. The step then applies to the preconditioned problem and
  /// does not change with the units of A.
  std::optional<Index> sketch_rows = {};
  double rows_read = 0.0;           ///< in order to choose these
  std::optional<double> rate = {};  ///< where the method itself predicts it …
  std::string rate_kind = {};       ///< … and by which reasoning
};

/// The bounds that parameters tuned for a batch rest on.
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
  bool proved_when_sampled = false;  ///< that rate holds for sampled rows as well
  /// The recurrence by which theory predicts sampled runs.
  theory::Method recurrence = theory::Method::heavy_ball;
};

/// How `polyak plan` predicts the iterations of a method; none: it is not in its table.
enum class Prediction { none, factorisation, krylov, momentum, single_row, minibatch };

struct MethodRecord {
  MethodInfo info;
  std::unique_ptr<Method> (*make)(const Setting&) = nullptr;
  Planning plan = {};
  double reads_per_iteration = 1.0;  ///< of the batch, or of all rows
  /// Numbers of eight bytes beside those of every run. Null: the sampling table and the
  /// spectrum, where the method needs them.
  double (*memory)(const WorkingMemory&) = nullptr;
  Turn turn = Turn::never;                                ///< of auto …
  Proposal (*propose)(const CandidateInputs&) = nullptr;  ///< … and its answer then
  /// auto takes its x up to this condition of A, where a factorisation has shown the
  /// condition; beyond it QR follows.
  double trusted_condition = 1e6;
  bool krylov = false;  ///< ‖r‖ and ‖Aᵀr‖ may stand still for long before they fall
  Prediction prediction = Prediction::none;
};

/// Null when there is none of that name.
const MethodRecord* find_record(const std::string& name);
/// All records, in the order of method_table().
std::span<const MethodRecord* const> method_records();
/// Adds a method to the table. Not while other threads solve; Error usage when the name is
/// taken or the table is full. The record must outlive its last use.
void register_method(const MethodRecord& record);

// The records by file. Callers that need one method name it by its record.
const MethodRecord& gradient_descent_record();  // records_gradient.cpp
const MethodRecord& heavy_ball_record();
const MethodRecord& nesterov_record();
const MethodRecord& minibatch_sgd_record();
const MethodRecord& minibatch_heavy_ball_record();
const MethodRecord& minibatch_nesterov_record();
const MethodRecord& sgd_record();  // records_single_row.cpp
const MethodRecord& kaczmarz_record();
const MethodRecord& accelerated_kaczmarz_record();
const MethodRecord& cgls_record();  // records_krylov.cpp
const MethodRecord& lsqr_record();
const MethodRecord& one_read_cg_record();
const MethodRecord& direct_record();  // records_factorisation.cpp
const MethodRecord& normal_record();
const MethodRecord& sketched_heavy_ball_record();
const MethodRecord& active_set_record();  // records_bounded.cpp
const MethodRecord& bounded_cg_record();

}  // namespace polyak
