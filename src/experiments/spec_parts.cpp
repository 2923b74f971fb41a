#include "experiments/spec_parts.hpp"

#include <algorithm>

#include "polyak/error.hpp"
#include "polyak/methods.hpp"

namespace polyak::experiments {
namespace {

// What is left are options of `polyak solve` by their names, with _ or -.
void read_options(TomlTable& t, SeriesSpec& out) {
  for (const std::string& key : t.unread()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    const auto* record = find_option(solve_options(), name);
    const bool ours = name == "seed" || name == "threads" || name.starts_with("max-") ||
                      name == "time-limit" || name == "measure-every" || name == "tol";
    if (record == nullptr || ours || name == "batch") continue;
    try {
      set_option(*record, out.options, t.as_text(key));
    } catch (const Error& error) {
      ErrorParts parts = error.parts();
      parts.where = t.where(key);
      throw Error(error.code(), std::move(parts));
    }
  }
}

// Step and momentum that follow from the matrix, once it is there.
void check_derived(TomlTable& t, const SeriesSpec& out, unsigned traits) {
  const SolveOptions& o = out.options;
  if (out.for_batch) {
    if (!(*out.for_batch >= 1.0))
      t.refuse("for_batch", "a batch has at least one row", "1 or more");
    if ((o.method != "hbm" && o.method != "minibatch-hbm") || o.step_size)
      t.refuse("for_batch", "this is a way to say the step of heavy ball",
               "hbm or minibatch-hbm, and no step_size");
    if (!o.momentum || !(*o.momentum > 0.0 && *o.momentum < 1.0))
      t.refuse("for_batch", "the step follows from the momentum", "momentum above 0 and below 1");
  }
  if (out.coverage) {
    if (!(*out.coverage > 1.0))
      t.refuse("coverage", "this is lambda_max over lambda_min", "a number above 1");
    if (!(traits & trait::lambda_min) || o.step_size || o.lambda_min || out.for_batch)
      t.refuse("coverage", "this stands for lambda_min",
               "a method that needs it, and neither step_size, lambda_min nor for_batch");
  }
}

void check_method(TomlTable& t, SeriesSpec& out) {
  const MethodInfo* method = find_method(out.options.method);
  if (method == nullptr || method->name == "direct" || method->name == "active-set")
    t.refuse("method", "a series needs an iterative method", "hbm, minibatch-hbm, rk, …");
  const bool batched = !out.batches.empty() || !out.times_heuristic.empty();
  if (batched && !(method->traits & trait::batch))
    t.refuse("method", "the method has no batch", "no batches, or a minibatch method");
  check_derived(t, out, method->traits);
}

}  // namespace

std::uint64_t read_seed(TomlTable& t, std::uint64_t fallback) {
  return static_cast<std::uint64_t>(t.whole("seed", static_cast<Index>(fallback), 0));
}

PanelSpec read_panel(TomlTable t, const std::string& file, Index iterations, std::uint64_t seed) {
  PanelSpec out;
  out.title = t.needed_text("title");
  out.iterations = t.whole("iterations", iterations, 1);
  out.problem = read_problem(t.table("problem"), file, seed);
  t.finish();
  return out;
}

SeriesSpec read_series(TomlTable t) {
  SeriesSpec out;
  out.where = t.where();
  out.label = t.needed_text("label");
  out.legend = t.text("legend", out.label);
  out.bound = t.flag("bound", false);
  out.times_heuristic = t.numbers("times_heuristic");
  for (double b : t.numbers("batches")) {
    if (!(b >= 1.0 && b < 0x1p53)) t.refuse("batches", "a batch has at least one row", "1 or more");
    out.batches.push_back(static_cast<Index>(b));
  }
  for (double c : out.times_heuristic)
    if (!(c > 0.0)) t.refuse("times_heuristic", "a batch is above zero", "numbers above 0");
  out.panels = t.texts("panels");
  if (t.has("iterations")) out.iterations = t.whole("iterations", 1, 1);
  if (t.has("trials")) out.trials = t.whole("trials", 1, 1);
  if (t.has("for_batch")) out.for_batch = t.number("for_batch", 0.0);
  if (t.has("coverage")) out.coverage = t.number("coverage", 0.0);
  out.image = t.flag("image", false);
  out.every = t.whole("every", 1, 1);
  out.steps_per_tick = t.number("steps_per_tick", 1.0);
  if (t.has("style")) out.style = static_cast<int>(t.whole("style", 0, 0));
  if (!out.bound) read_options(t, out);
  t.finish();
  if (!out.bound) check_method(t, out);
  return out;
}

ClaimSpec read_claim(TomlTable t) {
  static const std::vector<std::string> checks = {
      "below",  "better",      "ordered",         "steps_within", "error_within", "diverges",
      "values", "floor_ratio", "residual_within", "costs",        "passes",       "fact"};
  ClaimSpec out;
  out.text = t.needed_text("text");
  out.check = t.needed_text("check");
  if (std::find(checks.begin(), checks.end(), out.check) == checks.end())
    t.refuse("check", "there is no such check",
             "below, better, ordered, steps_within, error_within, diverges, values, floor_ratio, "
             "residual_within, costs, passes or fact");
  out.series = t.texts("series");
  out.than = t.text("than");
  out.c = t.numbers("c");
  out.tol = t.number("tol", 1e-6);
  out.factor = t.number("factor", 1.0);
  out.within = t.number("within", 0.0);
  out.expected = t.number("expected", 0.0);
  out.floor = t.number("floor", 0.0);
  out.k = t.numbers("k");
  out.values = t.numbers("values");
  out.fact = t.text("fact");
  if (t.has("rows")) out.rows = t.whole("rows", 1, 1);
  if (out.series.empty() && out.check != "fact")
    t.refuse("series", "the claim names no series", "labels of this figure");
  if (out.k.size() != out.values.size())
    t.refuse("values", "there must be one value for each k", "lists of the same length");
  t.finish();
  return out;
}

}  // namespace polyak::experiments
