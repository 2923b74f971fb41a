// Checks of what was paid, and of facts about the problem.

#include <fmt/format.h>

#include <cmath>

#include "experiments/claim_checks.hpp"
#include "polyak/error.hpp"

namespace polyak::experiments {

// More iterations and fewer row products than another.
Verdict costs(const ClaimSpec& claim, const Pool& pool) {
  const Series& a = pool.find(claim.series[0]);
  const Series& b = pool.find(claim.than);
  const auto sa = steps_to(a.result, claim.tol), sb = steps_to(b.result, claim.tol);
  if (!sa || !sb)
    throw NotApplicable{fmt::format("{} does not reach {:g} in this run",
                                    sa ? claim.than : claim.series[0], claim.tol)};
  const double ra = static_cast<double>(*sa) * a.result.rows_per_iteration;
  const double rb = static_cast<double>(*sb) * b.result.rows_per_iteration;
  return {
      fmt::format("more iterations and fewer row products than {} to {:g}", claim.than, claim.tol),
      fmt::format("{} against {} iterations, {:.3g} against {:.3g} row products", *sa, *sb, ra, rb),
      *sa > *sb && ra < rb};
}

// So many row products as this many passes over the rows.
Verdict passes(const ClaimSpec& claim, const Pool& pool) {
  const auto count = [&](const Series& s) {
    return static_cast<double>(s.result.iterations.back()) * s.result.rows_per_iteration /
           static_cast<double>(pool.facts().rows);
  };
  const double read = count(pool.find(claim.series[0]));
  std::string measured = fmt::format("{:.3g} passes", read);
  if (!claim.than.empty())
    measured += fmt::format(" against {:.3g} of {}", count(pool.find(claim.than)), claim.than);
  return {fmt::format("{:g} ± {:g} % passes over the rows", claim.expected, 100.0 * claim.within),
          measured, std::abs(read / claim.expected - 1.0) <= claim.within};
}

Verdict fact(const ClaimSpec& claim, const Pool& pool) {
  const std::map<std::string, double> known = {{"eta", pool.facts().eta_uniform},
                                               {"kappa", pool.facts().kappa()},
                                               {"B*", pool.facts().heuristic}};
  const auto found = known.find(claim.fact);
  if (found == known.end())
    throw Error(ErrorCode::usage, {.what = "a claim names a fact that is not known",
                                   .where = "'" + claim.fact + "'",
                                   .found = {},
                                   .expected = "eta, kappa or B*"});
  return {fmt::format("{:g} ± {:g} %", claim.expected, 100.0 * claim.within),
          fmt::format("{:.3g}", found->second),
          std::abs(found->second / claim.expected - 1.0) <= claim.within};
}

}  // namespace polyak::experiments
