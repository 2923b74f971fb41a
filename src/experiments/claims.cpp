#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/figure.hpp"
#include "polyak/error.hpp"

// The kinds of check, and the claims of a figure.

namespace polyak::experiments::internal {
namespace {

std::string number(double v) { return std::isinf(v) ? "infinite" : fmt::format("{:.3g}", v); }

// The speed of a series: steps to the tolerance, and if it is not reached the error at the end.
struct Pace {
  std::optional<Index> steps;
  double error = 0.0;  ///< at the end of the shorter run of the two compared
};
Pace pace(const Series& s, double tol, Index end) {
  return {steps_to(s.result, tol), s.result.error.median[measurement_at(s.result, end)]};
}
bool is_no_slower(const Pace& a, const Pace& b) {
  if (a.steps && b.steps) return *a.steps <= *b.steps;
  if (a.steps || b.steps) return a.steps.has_value();
  return a.error <= b.error;
}
std::string pace_text(const Pace& p) {
  return p.steps ? fmt::format("{} steps", *p.steps)
                 : fmt::format("error {} at the end", number(p.error));
}
Index common_end(const Series& a, const Series& b) {
  return std::min(a.result.iterations.back(), b.result.iterations.back());
}

// The final level of a curve: the median of its last tenth.
double floor_of(const Curve& curve) {
  const std::size_t from = (curve.median.size() - 1) * 9 / 10;
  std::vector<double> last(curve.median.begin() + static_cast<std::ptrdiff_t>(from),
                           curve.median.end());
  std::sort(last.begin(), last.end());
  return last[last.size() / 2];
}

Verdict below(const ClaimSpec& claim, const Pool& pool) {
  const RunResult& a = pool.find(claim.series[0]).result;
  const RunResult& b = pool.find(claim.than).result;
  double worst = 0.0;
  Index at = 0;
  for (std::size_t m = 0; m < a.iterations.size() && a.iterations[m] <= b.iterations.back(); ++m) {
    const double ratio = a.error.median[m] / b.error.median[measurement_at(b, a.iterations[m])];
    if (a.error.median[m] <= claim.floor || ratio <= worst) continue;
    worst = ratio;
    at = a.iterations[m];
  }
  return {"never above " + claim.than, fmt::format("largest ratio {:.3g} (k = {})", worst, at),
          worst <= 1.0};
}

Verdict better(const ClaimSpec& claim, const Pool& pool) {
  const Series& a = pool.find(claim.series[0]);
  const Series& b = pool.find(claim.than);
  const Index end = common_end(a, b);
  const Pace pa = pace(a, claim.tol, end), pb = pace(b, claim.tol, end);
  bool pass = is_no_slower(pa, pb);
  std::string measured = pace_text(pa) + " against " + pace_text(pb);
  if (pa.steps && pa.steps == pb.steps) {  // equal numbers of steps: compare the errors there
    const double ea = a.result.error.median[measurement_at(a.result, *pa.steps)];
    const double eb = b.result.error.median[measurement_at(b.result, *pb.steps)];
    pass = ea <= eb;
    measured += fmt::format(", errors {} and {}", number(ea), number(eb));
  }
  return {fmt::format("fewer steps to {:g} than {}", claim.tol, claim.than), measured, pass};
}

Verdict ordered(const ClaimSpec& claim, const Pool& pool) {
  Verdict out{fmt::format("steps to {:g} in ascending order", claim.tol), "", true};
  const Series* last = nullptr;
  int used = 0;
  std::string skipped;
  for (const std::string& label : claim.series) {
    const Series* s = pool.fitting(label);
    if (s == nullptr) {
      skipped += (skipped.empty() ? "" : ", ") + label;
      continue;
    }
    const Index end = last ? common_end(*last, *s) : s->result.iterations.back();
    const Pace now = pace(*s, claim.tol, end);
    if (last && !is_no_slower(pace(*last, claim.tol, end), now)) out.pass = false;
    out.measured += (last ? "; " : "") + pace_text(now);
    last = s;
    ++used;
  }
  if (used < 2) throw NotApplicable{"fewer than two of the batches fit into the rows"};
  if (!skipped.empty()) out.measured += " (left out, more than n: " + skipped + ")";
  return out;
}

Verdict steps_within(const ClaimSpec& claim, const Pool& pool) {
  const Series& s = pool.find(claim.series[0]);
  const auto of = steps_to(pool.find(claim.than).result, claim.tol);
  if (!of)
    throw NotApplicable{fmt::format("{} does not reach {:g} in this run", claim.than, claim.tol)};
  const double max_steps = claim.factor * static_cast<double>(*of);
  const auto took = steps_to(s.result, claim.tol);
  return {fmt::format("at most {:.1f} steps ({:.3g} times {}'s {})", max_steps, claim.factor,
                      claim.than, *of),
          took ? fmt::format("{} steps", *took) : "not reached",
          took && static_cast<double>(*took) <= max_steps};
}

Verdict error_within(const ClaimSpec& claim, const Pool& pool) {
  const RunResult& a = pool.find(claim.series[0]).result;
  const RunResult& b = pool.find(claim.than).result;
  const Index k = pool.k() > 0 ? pool.k() : std::min(a.iterations.back(), b.iterations.back());
  const double ea = a.error.median[measurement_at(a, k)], eb = b.error.median[measurement_at(b, k)];
  return {
      fmt::format("at most {:g} times {}'s {} (k = {})", claim.factor, claim.than, number(eb), k),
      fmt::format("{}, {:.3g} times", number(ea), ea / eb), ea <= claim.factor * eb};
}

Verdict diverges(const ClaimSpec& claim, const Pool& pool) {
  const Series& s = pool.find(claim.series[0]);
  const double last = s.result.error.median.back();
  return {"median error above 1 at the end", number(last), last > 1.0};
}

Verdict values(const ClaimSpec& claim, const Pool& pool) {
  const RunResult& r = pool.find(claim.series[0]).result;
  Verdict out{fmt::format("within a factor {:g} of", claim.factor), "", true};
  for (std::size_t i = 0; i < claim.k.size(); ++i) {
    const auto k = static_cast<Index>(claim.k[i]);
    const double value = r.error.median[measurement_at(r, k)], ratio = value / claim.values[i];
    if (r.iterations.back() < k) throw NotApplicable{"the runs are shorter"};
    out.expected += fmt::format("{} {} (k = {})", i ? "," : "", number(claim.values[i]), k);
    out.measured += fmt::format("{}{} ({:.2f})", i ? ", " : "", number(value), ratio);
    out.pass = out.pass && ratio <= claim.factor && 1.0 / ratio <= claim.factor;
  }
  return out;
}

Verdict floor_ratio(const ClaimSpec& claim, const Pool& pool) {
  const double a = floor_of(pool.find(claim.series[0]).result.error);
  const double b = floor_of(pool.find(claim.than).result.error);
  const double ratio = a / b;
  return {fmt::format("{:.3g} ± {:g} %", claim.expected, 100.0 * claim.within),
          fmt::format("{:.3g} ({} over {})", ratio, number(a), number(b)),
          std::abs(ratio / claim.expected - 1.0) <= claim.within};
}

Verdict residual_within(const ClaimSpec& claim, const Pool& pool) {
  const Series& s = pool.find(claim.series[0]);
  if (s.result.residual.empty()) throw NotApplicable{"residual norms were not computed"};
  // Residuals are relative to the first, which is ‖b‖ for x = 0.
  const double best = pool.facts().residual_norm / pool.facts().b_norm;
  if (!(best > 0.0)) throw NotApplicable{"the best residual is zero"};
  const double ratio = floor_of(s.result.residual) / best;
  return {fmt::format("at most {:g} times the best residual", 1.0 + claim.within),
          fmt::format("{:.5f} times", ratio), ratio <= 1.0 + claim.within};
}

// More iterations but fewer row products than another series.
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

// The number of passes over the rows: row products divided by n.
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
    throw Error(ErrorCode::usage, {.what = "a claim names an unknown fact",
                                   .where = "'" + claim.fact + "'",
                                   .found = {},
                                   .expected = "eta, kappa or B*"});
  return {fmt::format("{:g} ± {:g} %", claim.expected, 100.0 * claim.within),
          fmt::format("{:.3g}", found->second),
          std::abs(found->second / claim.expected - 1.0) <= claim.within};
}

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

const std::map<std::string, Check>& checks() {
  static const std::map<std::string, Check> table = {{"below", below},
                                                     {"better", better},
                                                     {"ordered", ordered},
                                                     {"steps_within", steps_within},
                                                     {"error_within", error_within},
                                                     {"diverges", diverges},
                                                     {"values", values},
                                                     {"floor_ratio", floor_ratio},
                                                     {"residual_within", residual_within},
                                                     {"costs", costs},
                                                     {"passes", passes},
                                                     {"fact", fact}};
  return table;
}

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

}  // namespace polyak::experiments::internal
