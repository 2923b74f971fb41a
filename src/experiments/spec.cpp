#include "experiments/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>

#include "experiments/toml_table.hpp"
#include "polyak/error.hpp"

namespace polyak::experiments::internal {
namespace {

namespace fs = std::filesystem;

Kind kind_named(TomlTable& t) {
  const std::string name = t.text("kind", "curves");
  if (name == "curves") return Kind::curves;
  if (name == "batches") return Kind::batches;
  if (name == "paths") return Kind::paths;
  if (name == "table") return Kind::table;
  t.refuse("kind", "there is no such kind of figure", "curves, batches, paths or table");
}

std::string figure_name(TomlTable& t) {
  const std::string name = t.required_text("name");
  const bool is_valid = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  if (!is_valid || name.starts_with('-'))
    t.refuse("name", "the name is used for file names", "letters, digits, - and _");
  return name;
}

void read_parts(TomlTable& t, const std::string& file, Spec& out) {
  const Index iterations = t.integer("iterations", 100, 1);
  for (TomlTable& panel : t.tables("panel"))
    out.panels.push_back(read_panel(panel, file, iterations, out.seed));
  for (TomlTable& series : t.tables("series")) out.series.push_back(read_series(series));
  for (TomlTable& claim : t.tables("claim")) out.claims.push_back(read_claim(claim));
  if (out.panels.empty()) t.refuse("panel", "the spec has no panel", "[[panel]] with a problem");
  if (out.series.empty()) t.refuse("series", "the spec has no series", "[[series]] with a method");
}

void check_images(const Spec& spec) {
  for (const SeriesSpec& series : spec.series)
    for (const PanelSpec& panel : spec.panels)
      if (series.image && belongs(series, panel) && panel.problem.kind != "tomography")
        throw Error(ErrorCode::usage,
                    {.what = "only a scan has an image",
                     .where = series.where + ": image",
                     .found = "panel '" + panel.title + "', " + panel.problem.kind,
                     .expected = "kind = \"tomography\"",
                     .hint = "name the panels of the series: panels = [...]"});
}

Spec read_root(TomlTable& t, const std::string& file) {
  Spec out;
  out.name = figure_name(t);
  out.title = t.text("title", out.name);
  out.kind = kind_named(t);
  out.text = t.texts("text");
  out.differs = t.texts("differs");
  out.trials = t.integer("trials", out.trials, 1);
  out.seed = read_seed(t, out.seed);
  out.columns = static_cast<int>(t.integer("columns", out.columns, 1));
  out.residuals = t.flag("residuals", false);
  out.steps_of = t.text("steps_of");
  out.steps_tol = t.number("steps_tol", out.steps_tol);
  out.prediction = t.flag("prediction", false);
  const auto range = t.numbers("y_range");
  if (!range.empty()) {
    if (range.size() != 2 || !(range[0] > 0.0 && range[0] < range[1]))
      t.refuse("y_range", "this is not a range", "two positive numbers, the smaller first");
    out.y_range = std::pair{range[0], range[1]};
  }
  read_parts(t, file, out);
  t.finish();
  check_images(out);
  return out;
}

// Path, size and modification time: a changed file is a different problem. For "file.h5:/dataset"
// those of file.h5.
std::string stamp(const std::string& path) {
  std::error_code ignored;
  const std::string file = fs::exists(path, ignored) ? path : path.substr(0, path.rfind(':'));
  return fmt::format("{} {} {}", path, fs::file_size(file, ignored),
                     fs::last_write_time(file, ignored).time_since_epoch().count());
}

}  // namespace

bool belongs(const SeriesSpec& series, const PanelSpec& panel) {
  return series.panels.empty() ||
         std::find(series.panels.begin(), series.panels.end(), panel.title) != series.panels.end();
}

Index ProblemSpec::row_count() const {
  if (kind == "stacked") return 2 * copies;
  return kind == "tomography" ? scan.views * scan.detectors : rows;
}

void ProblemSpec::set_rows(Index n) {
  rows = n;
  scan.views = std::clamp<Index>(n / scan.detectors, 1, scan.views);
}

std::string ProblemSpec::key() const {
  std::string out = fmt::format("{} seed {}", kind, seed);
  if (kind == "file") {
    out += " " + stamp(matrix) + (rhs.empty() ? "" : " rhs " + stamp(rhs));
  } else if (kind == "stacked") {
    out += fmt::format(" copies {}", copies);
  } else if (kind == "tomography") {
    out += fmt::format(" {0} x {0} pixels, {1} views over {2}, {3} elements at {4}, {5}, {6}",
                       scan.size, scan.views, scan.turn, scan.detectors, scan.spacing,
                       scan.projector, scan.phantom);
  } else {
    out += fmt::format(" {} x {} noise {}", rows, cols, noise);
  }
  if (kind == "spectrum") out += fmt::format(" {} kappa {} rho {}", decay, kappa, rho);
  for (double x : x0) out += fmt::format(" x0 {}", x);
  return out;
}

namespace {

// The library takes memory that is refused for a wrong number: a text that is wrong is so twice.
toml::table parsed(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error&) {
    return toml::parse(text, file);
  }
}

}  // namespace

Spec parse_spec(const std::string& text, const std::string& file) {
  try {
    const toml::table table = parsed(text, file);
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
  if (text.bad()) throw std::bad_alloc();  // else a part of the file would be the whole
  if (!file || fs::is_directory(path))
    throw Error(
        ErrorCode::no_input,
        {.what = "the spec cannot be read", .where = path, .found = {}, .expected = "a TOML file"});
  return parse_spec(text.str(), path);
}

}  // namespace polyak::experiments::internal
