#include "experiments/claims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "polyak/error.hpp"

namespace polyak::experiments {
namespace {

std::string with_c(std::string text, double c) {
  const auto at = text.find("{c}");
  return at == std::string::npos ? text : text.replace(at, 3, fmt::format("{:g}", c));
}

Claim check_claim(const Figure& figure, const ClaimSpec& claim, const Pool& pool, bool several) {
  Claim out;
  out.figure = figure.spec.name;
  out.claim = claim.text;
  if (several) out.panel = pool.title();
  try {
    if (claim.rows && *claim.rows != pool.facts().rows)
      throw NotApplicable{fmt::format("the claim is about {} rows, the problem has {}", *claim.rows,
                                      pool.facts().rows)};
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
    one.text = with_c(one.text, c);
    for (std::string& label : one.series) label = with_c(label, c);
    one.than = with_c(one.than, c);
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
        out.push_back(check_claim(figure, one, pools.at(key), order.size() > 1));
  return out;
}

void Pool::add(const PanelResult& panel) {
  panels_.push_back(&panel);
  for (const Series& series : panel.series) series_.push_back(&series);
}

const Series& Pool::find(const std::string& label) const {
  const Series& s = named(label);
  if (s.capped)
    throw NotApplicable{fmt::format("B = {:g} B* = {:.0f} is more than the {} rows there are", s.c,
                                    s.wanted_batch, facts().rows)};
  return s;
}

const Series* Pool::fitting(const std::string& label) const {
  const Series& s = named(label);
  return s.capped ? nullptr : &s;
}

const Series& Pool::named(const std::string& label) const {
  const auto found = std::find_if(series_.begin(), series_.end(),
                                  [&](const Series* s) { return s->label == label; });
  if (found != series_.end()) return **found;
  throw Error(ErrorCode::usage, {.what = "a claim names a series that is not in the figure",
                                 .where = "'" + label + "'"});
}

}  // namespace polyak::experiments
