#include "experiments/claims.hpp"

#include <fmt/format.h>

#include "experiments/claim_checks.hpp"

namespace polyak::experiments {
namespace {

std::string filled(std::string text, double c) {
  const auto at = text.find("{c}");
  return at == std::string::npos ? text : text.replace(at, 3, fmt::format("{:g}", c));
}

Claim checked(const Figure& figure, const ClaimSpec& claim, const Pool& pool, bool several) {
  Claim out;
  out.figure = figure.spec.name;
  out.claim = claim.text;
  if (several) out.panel = pool.title();
  try {
    if (claim.rows && *claim.rows != pool.facts().rows)
      throw NotApplicable{
          fmt::format("it is about {} rows, here are {}", *claim.rows, pool.facts().rows)};
    const Verdict verdict = checks().at(claim.check)(claim, pool);
    out.expected = verdict.expected;
    out.measured = verdict.measured;
    out.pass = verdict.pass;
  } catch (const NotApplicable& no) {
    out.reason = no.reason;
  }
  return out;
}

std::vector<ClaimSpec> for_each_c(const ClaimSpec& claim) {
  if (claim.c.empty()) return {claim};
  std::vector<ClaimSpec> out;
  for (double c : claim.c) {
    ClaimSpec one = claim;
    one.text = filled(one.text, c);
    for (std::string& label : one.series) label = filled(label, c);
    one.than = filled(one.than, c);
    out.push_back(one);
  }
  return out;
}

}  // namespace

std::vector<Claim> check_claims(const Figure& figure) {
  std::vector<std::string> order;
  std::map<std::string, Pool> pools;
  for (const PanelResult& panel : figure.panels) {
    const std::string key = panel.spec->problem.key();
    if (!pools.contains(key)) order.push_back(key);
    pools[key].add(panel);
  }
  std::vector<Claim> out;
  for (const ClaimSpec& claim : figure.spec.claims)
    for (const ClaimSpec& one : for_each_c(claim))
      for (const std::string& key : order)
        out.push_back(checked(figure, one, pools.at(key), order.size() > 1));
  return out;
}

}  // namespace polyak::experiments
