#pragma once

// Shared by all subjects: options, threads, the peers' script, the test problem of
// the goals, and the results.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/contenders.hpp"
#include "bench/harness.hpp"
#include "bench/processes.hpp"
#include "polyak/generate.hpp"
#include "polyak/options.hpp"
#include "polyak/problem.hpp"

namespace polyak::bench::internal {

/// The machine, without threads, peers and huge_bytes. What the system does not say is
/// "unknown" or 0.
Machine this_machine();
Index last_cache_bytes();
/// The memory of this process in huge pages.
Index huge_bytes_now();

/// A vector as a matrix of one column.
inline ConstView column(const std::vector<double>& v) { return {v.data(), std::ssize(v), 1, 1}; }

/// A dense matrix in memory, with x, b and weights for a gradient.
struct Dense {
  Dense(Index rows, Index cols, std::uint64_t seed, polyak::internal::ThreadTeam& team);

  ConstView A() const { return {values.data(), matrix->rows(), matrix->cols(), matrix->cols()}; }
  ConstView b_view() const { return {b.data(), matrix->rows(), 1, 1}; }
  ConstView x_view() const { return {x.data(), 1, matrix->cols(), matrix->cols()}; }
  double row_bytes() const { return 8.0 * static_cast<double>(matrix->cols()); }

  std::vector<double> values, b, x;
  std::vector<double> weights;  // enough for any batch
  MatrixPtr matrix;             // a view of the values
};

class Session {
 public:
  Session(const Options& options, std::function<void(const std::string&)> progress);

  const Options& options() const { return options_; }
  polyak::internal::ThreadTeam& team() { return team_; }
  polyak::internal::ThreadTeam& single() { return single_; }
  ScriptPeer* peer() { return peer_ && peer_->ready() ? peer_.get() : nullptr; }
  /// The matrix of the kernels; made at the first call.
  const Dense& dense();
  void forget_dense() { dense_.reset(); }

  /// The batches of `all` that are not larger than A.
  std::vector<Index> batches(std::vector<Index> all) const;

  /// Adds the script as a contender, if there is one.
  void add_peer(Race& race, const std::string& name, const std::string& request);
  /// Runs the race for this fraction of the subject's time.
  void run(Race& race, double fraction, Index min_rounds = 5);
  /// The same if each run is a single long call that was made once before.
  void run_single_calls(Race& race, double fraction, Index min_rounds);
  /// Adds the table of a finished race to the results.
  void keep(const Race& race);
  void note(const std::string& text) { notes.push_back(text); }
  /// Reports the current step to the caller of run().
  void show_step(const std::string& text) const {
    if (progress_) progress_(text);
  }

  std::vector<Table> tables;
  std::vector<SolvedCase> solved;
  std::vector<VariedCase> varied;
  std::vector<Promise> promises;
  std::vector<Goal> verdict;  // goals of the subjects solve, auto and plan
  std::vector<std::string> notes;
  Index huge_bytes = 0;

 private:
  Pace pace_for(double fraction, Index min_rounds);

  Options options_;
  std::function<void(const std::string&)> progress_;
  std::unique_ptr<ScriptPeer> peer_;  // started before the threads of the team
  polyak::internal::ThreadTeam team_, single_;
  std::unique_ptr<Dense> dense_;
  CacheFlush flush_;
};

// The test problem of the goals (solves.cpp): algebraic spectrum, rho = 1, kappa = 100,
// consistent with a known x.
Problem paper_problem(Session& session);

/// Options of a method; with a batch, the ends of the spectrum are given.
SolveOptions paper_options(const Session& session, const std::string& method, Index batch = 0);

/// B* of the paper: from this batch on, sampling costs no iterations.
Index paper_batch(const Problem& problem);

// The subjects.
void measure_kernels(Session& session);
void measure_sampling(Session& session);
void measure_iterations(Session& session);
void measure_replicates(Session& session);
void measure_tomography(Session& session);
void measure_solve(Session& session);
void measure_auto(Session& session);
void measure_plan(Session& session);
void measure_python(Session& session);

// Parts of kernels (gradients.cpp) and of iterations (solves.cpp).
void measure_gradients(Session& session);
void measure_sparse(Session& session);
void measure_solves(Session& session, const Problem& problem);

}  // namespace polyak::bench::internal
