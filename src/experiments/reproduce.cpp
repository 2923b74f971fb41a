#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <sstream>

#include "core/clock.hpp"
#include "experiments/figure.hpp"
#include "experiments/progress.hpp"
#include "page/chart.hpp"
#include "page/html.hpp"
#include "polyak/files.hpp"
#include "polyak/images.hpp"
#include "polyak/io.hpp"

namespace polyak::experiments {
using namespace polyak::experiments::internal;
using namespace polyak::internal;

namespace {

using Figures = std::vector<std::unique_ptr<Figure>>;  // by pointer: panels point into their spec

void apply(const Options& options, Spec& spec) {
  if (options.trials) spec.trials = *options.trials;
  if (options.seed) spec.seed = *options.seed;
  for (PanelSpec& panel : spec.panels) {
    if (options.seed) panel.problem.seed = *options.seed;
    if (options.rows) panel.problem.set_rows(*options.rows);
  }
}

std::vector<Spec> specs_of(const std::string& what) {
  std::vector<Spec> out;
  for (const CarriedSpec& carried : carried_specs())
    if (what == "all" || what == carried.name)
      out.push_back(parse_spec(carried.text, carried.name + ".toml"));
  if (out.empty()) out.push_back(read_spec(what));
  return out;
}

// The files that are read: the spec, if it is none of ours, and the data that specs name.
std::vector<std::string> files_read(const std::string& what, const Figures& figures) {
  std::vector<std::string> out;
  const auto& carried = carried_specs();
  const bool is_ours = what == "all" || std::any_of(carried.begin(), carried.end(),
                                                    [&](const auto& c) { return c.name == what; });
  if (!is_ours) out.push_back(what);
  for (const auto& figure : figures)
    for (const PanelSpec& panel : figure->spec.panels)
      for (const std::string& path : {panel.problem.matrix, panel.problem.rhs})
        if (!path.empty()) out.push_back(path);
  return out;
}

// Images have the names of their series; those that are there from an earlier run may be links.
void add_images(const Spec& spec, const std::string& folder, std::vector<std::string>& out) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    for (std::size_t p = 0; p < spec.panels.size(); ++p)
      if (spec.panels[p].problem.kind == "tomography" && name.ends_with(".png") &&
          name.starts_with(fmt::format("{}-{}-", spec.name, p + 1)))
        out.push_back(entry.path().string());
  }
}

// The files that are written, also those of figures that gnuplot may be missing for.
std::vector<std::string> files_written(const Figures& figures, const std::string& folder) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    out.push_back((std::filesystem::path(folder) / name).string());
  };
  for (const auto& figure : figures) {
    for (const char* ending : {".csv", ".svg", ".png"}) add(figure->spec.name + ending);
    add_images(figure->spec, folder, out);
  }
  add("claims.json");
  add("index.html");
  return out;
}

Figures figures_of(const std::string& what, const Options& options, Progress& progress) {
  Figures out;
  for (Spec& spec : specs_of(what)) {
    apply(options, spec);
    add_figure_work(spec, progress);
    out.push_back(std::make_unique<Figure>());
    out.back()->panels.resize(spec.panels.size());
    out.back()->spec = std::move(spec);
  }
  return out;
}

// Ordered by problem, not by figure: each problem is generated once.
void run_all(Figures& figures, Lab& lab, Progress& progress) {
  std::vector<std::string> keys;
  for (const auto& figure : figures)
    for (const PanelSpec& panel : figure->spec.panels) {
      const std::string key = panel.problem.key();
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  for (const std::string& key : keys)
    for (const auto& figure : figures)
      for (std::size_t p = 0; p < figure->panels.size(); ++p)
        if (figure->spec.panels[p].problem.key() == key) run_panel(*figure, p, lab, progress);
}

// Writes the files of the figures and lists them in the outcome.
class Writer {
 public:
  Writer(const Options& options, Outcome& outcome) : folder_(options.out), outcome_(outcome) {
    if (!page::has_gnuplot())
      outcome_.notes.push_back(
          "gnuplot is not installed: the numbers and claims are written, the pictures are not");
  }

  void write(const std::string& name, const std::string& text) {
    write_text(path(name), text);
    outcome_.files.push_back(path(name));
  }

  // The contents of a file in the output folder; empty if there is none.
  std::string contents(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (text.bad()) throw std::bad_alloc();  // else what is missing would be lost
    return text.str();
  }

  // Writes the images as files and returns them side by side as HTML.
  std::string write_images(const Figure& figure) {
    std::string out;
    for (const Gallery& gallery : galleries_of(figure)) {
      std::vector<page::Shot> shots;
      for (const Image& image : gallery.images)
        shots.push_back({write_shot(image, gallery), image.caption, image.detail});
      out += "<h3>" + page::escaped(gallery.title) + "</h3>\n";
      out += page::gallery(shots);
    }
    return out;
  }

  // Draws and writes the picture; returns its SVG, or "" if it was not drawn.
  std::string draw(const Figure& figure) {
    const auto chart = chart_of(figure);
    if (!chart || !page::has_gnuplot()) return {};
    std::string svg;
    for (const auto kind : {page::Picture::svg, page::Picture::png}) {
      const page::Drawing drawn = page::run_gnuplot(page::gnuplot_script(*chart, kind));
      const bool is_svg = kind == page::Picture::svg;
      const std::string name = figure.spec.name + (is_svg ? ".svg" : ".png");
      if (!drawn.ok) {
        outcome_.notes.push_back(fmt::format("{} was not drawn: {}", name, drawn.message));
        continue;
      }
      write(name, drawn.bytes);
      if (is_svg) svg = drawn.bytes;
    }
    return svg;
  }

 private:
  std::string path(const std::string& name) const {
    return (std::filesystem::path(folder_) / name).string();
  }

  // Writes the image and returns the bytes of the file for the page.
  std::string write_shot(const Image& image, const Gallery& gallery) {
    ImageOptions shades;
    shades.black = gallery.black;
    shades.white = gallery.white;
    write_image(path(image.file), image.pixels.view(), shades);
    outcome_.files.push_back(path(image.file));
    return contents(image.file);
  }

  std::string folder_;
  Outcome& outcome_;
};

std::string command_of(const std::string& what, const Options& options) {
  std::string out = "polyak reproduce " + what;
  if (options.rows) out += fmt::format(" --rows {}", *options.rows);
  if (options.trials) out += fmt::format(" --trials {}", *options.trials);
  if (options.seed) out += fmt::format(" --seed {}", *options.seed);
  return out;
}

void write_all(const Figures& figures, const std::string& what, const Options& options,
               double started, Outcome& outcome) {
  Writer writer(options, outcome);
  PageParts parts;
  for (const auto& figure : figures) {
    const std::vector<Claim> claims = check_claims(*figure);
    writer.write(figure->spec.name + ".csv", csv_of(*figure));
    parts.figures.push_back(figure.get());
    parts.sections.push_back(
        section_of(*figure, claims, writer.draw(*figure), writer.write_images(*figure)));
    parts.claims.insert(parts.claims.end(), claims.begin(), claims.end());
  }
  outcome.claims = parts.claims;
  std::vector<std::string> names;
  for (const auto& figure : figures) names.push_back(figure->spec.name);
  writer.write("claims.json", claims_json(outcome.claims, names, writer.contents("claims.json")));
  parts.complete = what == "all";
  parts.command = command_of(what, options);
  parts.seconds = now_s() - started;
  writer.write("index.html", page_of(parts));
}

}  // namespace

std::vector<FigureName> figure_names() {
  std::vector<FigureName> out;
  for (const CarriedSpec& carried : carried_specs())
    out.push_back({carried.name, parse_spec(carried.text, carried.name + ".toml").title});
  return out;
}

Outcome reproduce(const std::string& what, const Options& options, Watcher& watcher) {
  const double started = now_s();
  Outcome outcome;
  Progress progress(watcher);
  Figures figures = figures_of(what, options, progress);
  const KeptFiles kept(files_read(what, figures), files_written(figures, options.out));
  Lab lab(options, progress);
  try {
    run_all(figures, lab, progress);
  } catch (const Interrupted&) {
    outcome.interrupted = true;
  }
  outcome.runs_made = lab.runs_made();
  outcome.runs_kept = lab.runs_kept();
  if (!outcome.interrupted) write_all(figures, what, options, started, outcome);
  outcome.seconds = now_s() - started;
  return outcome;
}

}  // namespace polyak::experiments
