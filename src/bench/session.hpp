#pragma once

// What all subjects share: sizes, the team, the peers' script, and where the
// tables go.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/data.hpp"
#include "bench/harness.hpp"
#include "bench/script_peer.hpp"
#include "polyak/problem.hpp"

namespace polyak::bench {

/// A matrix in memory with all that a gradient takes besides.
struct Dense {
  Dense(Index rows, Index cols, std::uint64_t seed, ThreadTeam& team);

  ConstView A() const { return {values.data(), matrix->rows(), matrix->cols(), matrix->cols()}; }
  ConstView b_view() const { return {b.data(), matrix->rows(), 1, 1}; }
  ConstView x_view() const { return {x.data(), 1, matrix->cols(), matrix->cols()}; }
  double row_bytes() const { return 8.0 * static_cast<double>(matrix->cols()); }

  std::vector<double> values, b, x;
  std::vector<double> weights;  // as many as any batch has rows
  MatrixPtr matrix;             // a view of the values
};

class Session {
 public:
  Session(const Options& options, std::function<void(const std::string&)> progress);

  const Options& options() const { return options_; }
  ThreadTeam& team() { return team_; }
  ThreadTeam& single() { return single_; }
  ScriptPeer* peer() { return peer_ && peer_->ready() ? peer_.get() : nullptr; }
  /// The matrix of kernels; made when first asked for.
  const Dense& dense();
  void forget_dense() { dense_.reset(); }

  /// Batches to look at: those of `all` that are no larger than A.
  std::vector<Index> batches(std::vector<Index> all) const;

  /// Adds the script as a contender, where there is one.
  void add_peer(Race& race, const std::string& name, const std::string& request);
  /// Runs it, for a `part` of the subject's time.
  void run(Race& race, double part, Index least_rounds = 5);
  /// The same where runs are single long calls that were tried before.
  void run_single_calls(Race& race, double part, Index least_rounds);
  /// Afterwards, with its figures: into the results.
  void keep(const Race& race);
  void note(const std::string& text) { notes.push_back(text); }
  void tell(const std::string& text) const {
    if (progress_) progress_(text);
  }

  std::vector<Table> tables;
  std::vector<SolvedCase> solved;
  std::vector<VariedCase> varied;
  std::vector<Promise> promises;
  std::vector<Goal> verdict;  // on whole solves
  std::vector<std::string> notes;
  Index huge_bytes = 0;

 private:
  Pace pace_for(double part, Index least_rounds);

  Options options_;
  std::function<void(const std::string&)> progress_;
  std::unique_ptr<ScriptPeer> peer_;  // before the team: it inherits nothing from it
  ThreadTeam team_, single_;
  std::unique_ptr<Dense> dense_;
  Wash wash_;
};

// The subjects.
void measure_kernels(Session& session);
void measure_sampling(Session& session);
void measure_iterations(Session& session);
void measure_replicates(Session& session);
void measure_tomography(Session& session);
void measure_solve(Session& session);
void measure_auto(Session& session);
void measure_plan(Session& session);

// Parts of kernels and iterations, by file.
void measure_gradients(Session& session);
void measure_whole_matrix(Session& session);
void measure_sparse(Session& session);
void measure_robustness(Session& session);
void measure_solves(Session& session, const Problem& problem);

}  // namespace polyak::bench
