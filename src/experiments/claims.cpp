#include "experiments/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "polyak/error.hpp"

namespace polyak::experiments {
namespace {

/// Thrown by a check whose premise does not hold.
struct NotApplicable {
  std::string reason;
};

struct Verdict {
  std::string expected, measured;
  bool pass = false;
};

std::string filled(std::string text, double c) {
  const auto at = text.find("{c}");
  return at == std::string::npos ? text : text.replace(at, 3, fmt::format("{:g}", c));
}

// The series of all panels that share one problem.
class Pool {
 public:
  void add(const PanelResult& panel) {
    panels_.push_back(&panel);
    for (const Series& series : panel.series) series_.push_back(&series);
  }
  const ProblemFacts& facts() const { return panels_[0]->facts; }
  const std::string& title() const { return panels_[0]->spec->title; }
  Index k() const { return panels_[0]->k; }

  /// By label; a batch that had to be cut to n is not the one the claim is about.
  const Series& find(const std::string& label) const {
    const Series& s = named(label);
    if (s.capped)
      throw NotApplicable{fmt::format("B = {:g} B* = {:.0f} is more than the {} rows there are",
                                      s.c, s.wanted_batch, facts().rows)};
    return s;
  }
  /// The same, nothing where the batch was cut.
  const Series* fitting(const std::string& label) const {
    const Series& s = named(label);
    return s.capped ? nullptr : &s;
  }

 private:
  const Series& named(const std::string& label) const {
    const auto found = std::find_if(series_.begin(), series_.end(),
                                    [&](const Series* s) { return s->label == label; });
    if (found != series_.end()) return **found;
    throw Error(ErrorCode::usage, {.what = "a claim names a series that is not in the figure",
                                   .where = "'" + label + "'"});
  }

  std::vector<const PanelResult*> panels_;
  std::vector<const Series*> series_;
};

std::string number(double v) { return std::isinf(v) ? "infinite" : fmt::format("{:.3g}", v); }

// Who is further: fewer steps to the tolerance, else the smaller error at the end.
struct Pace {
  std::optional<Index> steps;
  double error = 0.0;  ///< at the end of the shorter of the two runs
};
Pace pace(const Series& s, double tol, Index end) {
  return {steps_to(s.result, tol), s.result.error.median[place_of(s.result, end)]};
}
bool no_slower(const Pace& a, const Pace& b) {
  if (a.steps && b.steps) return *a.steps <= *b.steps;
  if (a.steps || b.steps) return a.steps.has_value();
  return a.error <= b.error;
}
std::string told(const Pace& p) {
  return p.steps ? fmt::format("{} steps", *p.steps)
                 : fmt::format("still {} at the end", number(p.error));
}
Index common_end(const Series& a, const Series& b) {
  return std::min(a.result.iterations.back(), b.result.iterations.back());
}

// The level at which a curve ends: its median over the last tenth.
double floor_of(const Curve& curve) {
  const std::size_t from = (curve.median.size() - 1) * 9 / 10;
  std::vector<double> last(curve.median.begin() + static_cast<std::ptrdiff_t>(from),
                           curve.median.end());
  std::sort(last.begin(), last.end());
  return last[last.size() / 2];
}

using Check = std::function<Verdict(const ClaimSpec&, const Pool&)>;

Verdict below(const ClaimSpec& claim, const Pool& pool) {
  const RunResult& a = pool.find(claim.series[0]).result;
  const RunResult& b = pool.find(claim.than).result;
  double worst = 0.0;
  Index at = 0;
  for (std::size_t m = 0; m < a.iterations.size() && a.iterations[m] <= b.iterations.back(); ++m) {
    const double ratio = a.error.median[m] / b.error.median[place_of(b, a.iterations[m])];
    if (a.error.median[m] <= claim.floor || ratio <= worst) continue;
    worst = ratio;
    at = a.iterations[m];
  }
  return {"at most 1 of " + claim.than, fmt::format("{:.3g} at worst (k = {})", worst, at),
          worst <= 1.0};
}

Verdict better(const ClaimSpec& claim, const Pool& pool) {
  const Series& a = pool.find(claim.series[0]);
  const Series& b = pool.find(claim.than);
  const Index end = common_end(a, b);
  const Pace pa = pace(a, claim.tol, end), pb = pace(b, claim.tol, end);
  bool pass = no_slower(pa, pb);
  std::string measured = told(pa) + " against " + told(pb);
  if (pa.steps && pa.steps == pb.steps) {  // as many steps: then the error there decides
    const double ea = a.result.error.median[place_of(a.result, *pa.steps)];
    const double eb = b.result.error.median[place_of(b.result, *pb.steps)];
    pass = ea <= eb;
    measured += fmt::format(", errors {} and {}", number(ea), number(eb));
  }
  return {fmt::format("sooner at {:g} than {}", claim.tol, claim.than), measured, pass};
}

Verdict ordered(const ClaimSpec& claim, const Pool& pool) {
  Verdict out{fmt::format("steps to {:g} that never fall", claim.tol), "", true};
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
    if (last && !no_slower(pace(*last, claim.tol, end), now)) out.pass = false;
    out.measured += (last ? "; " : "") + told(now);
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
  const double most = claim.factor * static_cast<double>(*of);
  const auto took = steps_to(s.result, claim.tol);
  return {fmt::format("at most {:.1f} steps ({:.3g} times {}'s {})", most, claim.factor, claim.than,
                      *of),
          took ? fmt::format("{} steps", *took) : "not reached",
          took && static_cast<double>(*took) <= most};
}

Verdict error_within(const ClaimSpec& claim, const Pool& pool) {
  const RunResult& a = pool.find(claim.series[0]).result;
  const RunResult& b = pool.find(claim.than).result;
  const Index k = pool.k() > 0 ? pool.k() : std::min(a.iterations.back(), b.iterations.back());
  const double ea = a.error.median[place_of(a, k)], eb = b.error.median[place_of(b, k)];
  return {fmt::format("at most {:g} times {}'s {} (k = {})", claim.factor, claim.than, number(eb), k),
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
    const double value = r.error.median[place_of(r, k)], ratio = value / claim.values[i];
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
  if (s.result.residual.empty()) throw NotApplicable{"residual norms were not noted"};
  // Relative to the first, which from x = 0 is ‖b‖.
  const double best = pool.facts().residual_norm / pool.facts().b_norm;
  if (!(best > 0.0)) throw NotApplicable{"the best residual is zero"};
  const double ratio = floor_of(s.result.residual) / best;
  return {fmt::format("at most {:g} times the best residual", 1.0 + claim.within),
          fmt::format("{:.5f} times", ratio), ratio <= 1.0 + claim.within};
}

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
  return {fmt::format("more iterations and fewer row products than {} to {:g}", claim.than,
                      claim.tol),
          fmt::format("{} against {} iterations, {:.3g} against {:.3g} row products", *sa, *sb, ra,
                      rb),
          *sa > *sb && ra < rb};
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
  return {fmt::format("{:g} ± {:g} %", claim.expected, 100.0 * claim.within), number(found->second),
          std::abs(found->second / claim.expected - 1.0) <= claim.within};
}

const std::map<std::string, Check>& checks() {
  static const std::map<std::string, Check> table = {
      {"below", below},           {"better", better},
      {"ordered", ordered},       {"steps_within", steps_within},
      {"error_within", error_within}, {"diverges", diverges},
      {"values", values},         {"floor_ratio", floor_ratio},
      {"residual_within", residual_within}, {"costs", costs},
      {"fact", fact}};
  return table;
}

Claim checked(const Figure& figure, const ClaimSpec& claim, const Pool& pool, bool several) {
  Claim out;
  out.figure = figure.spec.name;
  out.claim = claim.text;
  if (several) out.panel = pool.title();
  try {
    if (claim.rows && *claim.rows != pool.facts().rows)
      throw NotApplicable{fmt::format("it is about {} rows, here are {}", *claim.rows,
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
