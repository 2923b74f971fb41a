#include "experiments/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/toml_table.hpp"
#include "polyak/error.hpp"
#include "polyak/methods.hpp"

namespace polyak::experiments {
namespace {

namespace fs = std::filesystem;

std::string beside(const std::string& file, const std::string& path) {
  if (path.empty() || fs::path(path).is_absolute()) return path;
  return (fs::path(file).parent_path() / path).string();
}

std::uint64_t seed_of(TomlTable& t, std::uint64_t fallback) {
  return static_cast<std::uint64_t>(t.whole("seed", static_cast<Index>(fallback), 0));
}

ProblemSpec read_problem(TomlTable t, const std::string& file, std::uint64_t seed) {
  ProblemSpec out;
  out.matrix = beside(file, t.text("matrix"));
  out.kind = out.matrix.empty() ? t.text("kind", out.kind) : "file";
  out.seed = seed_of(t, seed);
  out.x0 = t.numbers("x0");
  if (out.kind == "file") {
    out.rhs = beside(file, t.text("rhs"));
  } else if (out.kind == "stacked") {
    out.copies = t.whole("copies", out.copies, 1);
  } else if (out.kind == "spectrum" || out.kind == "sampling" || out.kind == "gaussian") {
    out.rows = t.whole("rows", out.rows, 1);
    out.cols = t.whole("cols", out.cols, 1);
    out.noise = t.number("noise", 0.0);
  } else {
    t.refuse("kind", "there is no such problem", "spectrum, sampling, stacked or gaussian");
  }
  if (out.kind == "spectrum") {
    out.decay = t.text("decay", out.decay);
    if (out.decay != "exponential" && out.decay != "algebraic")
      t.refuse("decay", "there is no such decay", "exponential or algebraic");
    out.kappa = t.number("kappa", out.kappa);
    out.rho = t.number("rho", out.rho);
  }
  t.finish();
  return out;
}

PanelSpec read_panel(TomlTable t, const std::string& file, Index iterations, std::uint64_t seed) {
  PanelSpec out;
  out.title = t.needed_text("title");
  out.iterations = t.whole("iterations", iterations, 1);
  out.problem = read_problem(t.table("problem"), file, seed);
  t.finish();
  return out;
}

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

void check_method(TomlTable& t, SeriesSpec& out) {
  const MethodInfo* method = find_method(out.options.method);
  if (method == nullptr || method->name == "direct")
    t.refuse("method", "a series needs an iterative method", "hbm, minibatch-hbm, rk, …");
  const bool batched = !out.batches.empty() || !out.times_heuristic.empty();
  if (batched && !(method->traits & trait::batch))
    t.refuse("method", "the method has no batch", "no batches, or a minibatch method");
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
      "values", "floor_ratio", "residual_within", "costs",        "fact"};
  ClaimSpec out;
  out.text = t.needed_text("text");
  out.check = t.needed_text("check");
  if (std::find(checks.begin(), checks.end(), out.check) == checks.end())
    t.refuse("check", "there is no such check",
             "below, better, ordered, steps_within, error_within, diverges, values, floor_ratio, "
             "residual_within, costs or fact");
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

Kind kind_named(TomlTable& t) {
  const std::string name = t.text("kind", "curves");
  if (name == "curves") return Kind::curves;
  if (name == "batches") return Kind::batches;
  if (name == "paths") return Kind::paths;
  if (name == "table") return Kind::table;
  t.refuse("kind", "there is no such kind of figure", "curves, batches, paths or table");
}

std::string plain_name(TomlTable& t) {
  const std::string name = t.needed_text("name");
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_';
  });
  if (!plain || name.starts_with('-'))
    t.refuse("name", "files are named after this", "letters, digits, - and _");
  return name;
}

void read_parts(TomlTable& t, const std::string& file, Spec& out) {
  const Index iterations = t.whole("iterations", 100, 1);
  for (TomlTable& panel : t.tables("panel"))
    out.panels.push_back(read_panel(panel, file, iterations, out.seed));
  for (TomlTable& series : t.tables("series")) out.series.push_back(read_series(series));
  for (TomlTable& claim : t.tables("claim")) out.claims.push_back(read_claim(claim));
  if (out.panels.empty()) t.refuse("panel", "the spec has no panel", "[[panel]] with a problem");
  if (out.series.empty()) t.refuse("series", "the spec has no series", "[[series]] with a method");
}

Spec read_root(TomlTable& t, const std::string& file) {
  Spec out;
  out.name = plain_name(t);
  out.title = t.text("title", out.name);
  out.kind = kind_named(t);
  out.text = t.texts("text");
  out.differs = t.texts("differs");
  out.trials = t.whole("trials", out.trials, 1);
  out.seed = seed_of(t, out.seed);
  out.columns = static_cast<int>(t.whole("columns", out.columns, 1));
  out.residuals = t.flag("residuals", false);
  out.steps_of = t.text("steps_of");
  out.steps_tol = t.number("steps_tol", out.steps_tol);
  out.prediction = t.flag("prediction", false);
  const auto range = t.numbers("y_range");
  if (!range.empty()) {
    if (range.size() != 2 || !(range[0] > 0.0 && range[0] < range[1]))
      t.refuse("y_range", "this is no range", "two positive numbers, the smaller first");
    out.y_range = std::pair{range[0], range[1]};
  }
  read_parts(t, file, out);
  t.finish();
  return out;
}

}  // namespace

std::string ProblemSpec::key() const {
  std::string out = fmt::format("{} seed {}", kind, seed);
  if (kind == "file") {
    std::error_code ignored;
    const auto size = fs::file_size(matrix, ignored);
    const auto time = fs::last_write_time(matrix, ignored).time_since_epoch().count();
    out += fmt::format(" {} {} {} {}", matrix, rhs, size, time);
  } else if (kind == "stacked") {
    out += fmt::format(" copies {}", copies);
  } else {
    out += fmt::format(" {} x {} noise {}", rows, cols, noise);
  }
  if (kind == "spectrum") out += fmt::format(" {} kappa {} rho {}", decay, kappa, rho);
  for (double x : x0) out += fmt::format(" x0 {}", x);
  return out;
}

Spec parse_spec(const std::string& text, const std::string& file) {
  try {
    const toml::table table = toml::parse(text, file);
    TomlTable root(table, file);
    return read_root(root, file);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::usage, {.what = "the spec is not valid TOML",
                                   .where = fmt::format("{}:{}", file, error.source().begin.line),
                                   .found = std::string(error.description())});
  }
}

Spec read_spec(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || fs::is_directory(path))
    throw Error(ErrorCode::no_input, {.what = "the spec cannot be read",
                                      .where = path,
                                      .found = {},
                                      .expected = "a TOML file"});
  return parse_spec(text.str(), path);
}

}  // namespace polyak::experiments
