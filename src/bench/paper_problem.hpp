#pragma once

// The problem of the goals: algebraic spectrum, rho = 1, kappa = 100, planted x.

#include "bench/session.hpp"
#include "polyak/generate.hpp"
#include "polyak/options.hpp"
#include "polyak/problem.hpp"

namespace polyak::bench {

Problem paper_problem(Session& session);

/// Minibatch-HBM with the ends of the spectrum given.
SolveOptions paper_options(const Session& session, const std::string& method, Index batch = 0);

/// The batch from which sampling costs no iterations: B* of the paper.
Index paper_batch(const Problem& problem);

}  // namespace polyak::bench
