#pragma once

// One case of `bench solve`: auto, the methods that could do it, and the peers,
// from arrays in memory to x, each paying for its own set-up.

#include "bench/session.hpp"
#include "bench/solve_cases.hpp"
#include "bench/solve_exchange.hpp"
#include "bench/solve_outcome.hpp"

namespace polyak::bench {

/// How good an x is, measured alike for everybody.
class Judge {
 public:
  Judge(const Problem& problem, ThreadTeam& team);
  /// ‖x − best‖/‖best‖, not below 1e-17; x is d × 1.
  double error(ConstView x) const;
  /// The smaller of ‖r‖/(‖A‖_F‖x‖+‖b‖) and ‖Aᵀr‖/(‖A‖_F‖r‖), not below 1e-17.
  double backward_error(ConstView x) const;

 private:
  const Problem& problem_;
  ThreadTeam& team_;
  double frobenius_ = 0.0, b_norm_ = 0.0;
};

/// Every contender runs once to be judged, then all in turns. `exchange` has the
/// problem where there are peers.
Outcome contest(Session& session, const SolveCase& what, const Problem& problem,
                const Exchange& exchange);

/// `polyak solve` as a process on files against NumPy's load, normal equations
/// and save.
FromFile file_contest(Session& session, const SolveCase& what, const Problem& problem,
                      const Exchange& exchange);

/// The suite's cases, with those of --data, as --cases chooses.
std::vector<SolveCase> cases_of(Session& session);

}  // namespace polyak::bench
