// The panels, problems, series and claims of a spec.

#include <algorithm>
#include <filesystem>

#include "experiments/spec.hpp"
#include "experiments/toml_table.hpp"
#include "polyak/error.hpp"
#include "polyak/methods.hpp"

namespace polyak::experiments::internal {
namespace {

// All remaining keys are options of `polyak solve`, with _ or -.
void read_options(TomlTable& t, SeriesSpec& out) {
  for (const std::string& key : t.unread()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    const auto* record = find_option(solve_options(), name);
    const bool reserved = name == "seed" || name == "threads" || name.starts_with("max-") ||
                          name == "time-limit" || name == "measure-every" || name == "tol";
    if (record == nullptr || reserved || name == "batch") continue;
    try {
      set_option(*record, out.options, t.as_text(key));
    } catch (const Error& error) {
      ErrorParts parts = error.parts();
      parts.where = t.where(key);
      throw Error(error.code(), std::move(parts));
    }
  }
}

// Checks for_batch and coverage, which set the step size or lambda_min from the matrix.
void check_derived(TomlTable& t, const SeriesSpec& out, unsigned traits) {
  const SolveOptions& o = out.options;
  if (out.for_batch) {
    if (!(*out.for_batch >= 1.0))
      t.refuse("for_batch", "a batch has at least one row", "1 or more");
    if ((o.method != "hbm" && o.method != "minibatch-hbm") || o.step_size)
      t.refuse("for_batch", "this sets the step size of heavy ball",
               "hbm or minibatch-hbm, and no step_size");
    if (!o.momentum || !(*o.momentum > 0.0 && *o.momentum < 1.0))
      t.refuse("for_batch", "the step follows from the momentum", "momentum above 0 and below 1");
  }
  if (out.coverage) {
    if (!(*out.coverage > 1.0))
      t.refuse("coverage", "this is lambda_max over lambda_min", "a number above 1");
    if (!(traits & trait::lambda_min) || o.step_size || o.lambda_min || out.for_batch)
      t.refuse("coverage", "this sets lambda_min",
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

namespace fs = std::filesystem;

std::string relative_to_spec(const std::string& file, const std::string& path) {
  if (path.empty() || fs::path(path).is_absolute()) return path;
  return (fs::path(file).parent_path() / path).string();
}

// The value of a key, which must be one of `known`.
std::string one_of(TomlTable& t, const std::string& key, const std::string& fallback,
                   const std::vector<std::string>& known, const std::string& what) {
  const std::string out = t.text(key, fallback);
  if (std::find(known.begin(), known.end(), out) != known.end()) return out;
  std::string listed;
  for (std::size_t i = 0; i < known.size(); ++i)
    listed += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + known[i];
  t.refuse(key, what, listed);
}

Index integer_up_to(TomlTable& t, const std::string& key, Index fallback, Index maximum) {
  const Index out = t.integer(key, fallback, 1);
  if (out > maximum) t.refuse(key, "this is too large", std::to_string(maximum) + " or less");
  return out;
}

ScanSpec read_scan(TomlTable& t) {
  ScanSpec out;
  out.size = integer_up_to(t, "size", out.size, 4096);
  out.detectors = integer_up_to(t, "detectors", out.detectors, 1 << 20);
  out.views = integer_up_to(t, "views", out.views, 1 << 20);
  out.turn = t.number("turn", out.turn);
  if (!(out.turn > 0.0 && out.turn <= 360.0))
    t.refuse("turn", "the views must cover a positive angle", "degrees above 0, up to 360");
  out.spacing = t.number("spacing", out.spacing);
  if (!(out.spacing > 0.0 && out.spacing <= 1e6))
    t.refuse("spacing", "the detector spacing must be positive", "pixels, a number above 0");
  out.projector = one_of(t, "projector", out.projector, {"line", "linear", "strip"},
                         "there is no such projector");
  out.phantom = one_of(t, "phantom", out.phantom, {"walnut", "shepp-logan", "disc", "rectangle"},
                       "there is no such phantom");
  return out;
}

void read_made(TomlTable& t, ProblemSpec& out) {
  out.rows = t.integer("rows", out.rows, 1);
  out.cols = t.integer("cols", out.cols, 1);
  out.noise = t.number("noise", 0.0);
  if (out.kind != "spectrum") return;
  out.decay = one_of(t, "decay", out.decay, {"exponential", "algebraic"}, "there is no such decay");
  out.kappa = t.number("kappa", out.kappa);
  out.rho = t.number("rho", out.rho);
}

}  // namespace

std::uint64_t read_seed(TomlTable& t, std::uint64_t fallback) {
  return static_cast<std::uint64_t>(t.integer("seed", static_cast<Index>(fallback), 0));
}

PanelSpec read_panel(TomlTable t, const std::string& file, Index iterations, std::uint64_t seed) {
  PanelSpec out;
  out.title = t.required_text("title");
  out.iterations = t.integer("iterations", iterations, 1);
  out.problem = read_problem(t.table("problem"), file, seed);
  t.finish();
  return out;
}

SeriesSpec read_series(TomlTable t) {
  SeriesSpec out;
  out.where = t.where();
  out.label = t.required_text("label");
  out.legend = t.text("legend", out.label);
  out.bound = t.flag("bound", false);
  out.times_heuristic = t.numbers("times_heuristic");
  for (double b : t.numbers("batches")) {
    if (!(b >= 1.0 && b < 0x1p53)) t.refuse("batches", "a batch has at least one row", "1 or more");
    out.batches.push_back(static_cast<Index>(b));
  }
  for (double c : out.times_heuristic)
    if (!(c > 0.0)) t.refuse("times_heuristic", "a batch must be positive", "numbers above 0");
  out.panels = t.texts("panels");
  if (t.has("iterations")) out.iterations = t.integer("iterations", 1, 1);
  if (t.has("trials")) out.trials = t.integer("trials", 1, 1);
  if (t.has("for_batch")) out.for_batch = t.number("for_batch", 0.0);
  if (t.has("coverage")) out.coverage = t.number("coverage", 0.0);
  out.image = t.flag("image", false);
  out.every = t.integer("every", 1, 1);
  out.steps_per_tick = t.number("steps_per_tick", 1.0);
  if (t.has("style")) out.style = static_cast<int>(t.integer("style", 0, 0));
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
  out.text = t.required_text("text");
  out.check = t.required_text("check");
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
  if (t.has("rows")) out.rows = t.integer("rows", 1, 1);
  if (out.series.empty() && out.check != "fact")
    t.refuse("series", "the claim names no series", "labels of this figure");
  if (out.k.size() != out.values.size())
    t.refuse("values", "there must be one value for each k", "lists of the same length");
  t.finish();
  return out;
}

ProblemSpec read_problem(TomlTable t, const std::string& file, std::uint64_t seed) {
  ProblemSpec out;
  out.matrix = relative_to_spec(file, t.text("matrix"));
  out.kind = out.matrix.empty()
                 ? one_of(t, "kind", out.kind,
                          {"spectrum", "sampling", "stacked", "gaussian", "tomography"},
                          "there is no such problem")
                 : "file";
  out.seed = read_seed(t, seed);
  out.x0 = t.numbers("x0");
  if (out.kind == "file")
    out.rhs = relative_to_spec(file, t.text("rhs"));
  else if (out.kind == "stacked")
    out.copies = t.integer("copies", out.copies, 1);
  else if (out.kind == "tomography")
    out.scan = read_scan(t);
  else
    read_made(t, out);
  t.finish();
  return out;
}

}  // namespace polyak::experiments::internal
