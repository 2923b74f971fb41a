// The problem of a panel: which keys each kind has.

#include <algorithm>
#include <filesystem>

#include "experiments/spec_parts.hpp"

namespace polyak::experiments {
namespace {

namespace fs = std::filesystem;

std::string beside(const std::string& file, const std::string& path) {
  if (path.empty() || fs::path(path).is_absolute()) return path;
  return (fs::path(file).parent_path() / path).string();
}

// One of a few words, or a refusal that lists them.
std::string word(TomlTable& t, const std::string& key, const std::string& fallback,
                 const std::vector<std::string>& known, const std::string& what) {
  const std::string out = t.text(key, fallback);
  if (std::find(known.begin(), known.end(), out) != known.end()) return out;
  std::string listed;
  for (std::size_t i = 0; i < known.size(); ++i)
    listed += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + known[i];
  t.refuse(key, what, listed);
}

Index whole_up_to(TomlTable& t, const std::string& key, Index fallback, Index most) {
  const Index out = t.whole(key, fallback, 1);
  if (out > most) t.refuse(key, "this is more than can be made", std::to_string(most) + " or less");
  return out;
}

ScanSpec read_scan(TomlTable& t) {
  ScanSpec out;
  out.size = whole_up_to(t, "size", out.size, 4096);
  out.detectors = whole_up_to(t, "detectors", out.detectors, 1 << 20);
  out.views = whole_up_to(t, "views", out.views, 1 << 20);
  out.turn = t.number("turn", out.turn);
  if (!(out.turn > 0.0 && out.turn <= 360.0))
    t.refuse("turn", "the views must go around by some angle", "degrees above 0, up to 360");
  out.spacing = t.number("spacing", out.spacing);
  if (!(out.spacing > 0.0 && out.spacing <= 1e6))
    t.refuse("spacing", "detector elements need a distance", "pixels, a number above 0");
  out.projector = word(t, "projector", out.projector, {"line", "linear", "strip"},
                       "there is no such projector");
  out.phantom = word(t, "phantom", out.phantom, {"walnut", "shepp-logan", "disc", "rectangle"},
                     "there is no such phantom");
  return out;
}

void read_made(TomlTable& t, ProblemSpec& out) {
  out.rows = t.whole("rows", out.rows, 1);
  out.cols = t.whole("cols", out.cols, 1);
  out.noise = t.number("noise", 0.0);
  if (out.kind != "spectrum") return;
  out.decay = word(t, "decay", out.decay, {"exponential", "algebraic"}, "there is no such decay");
  out.kappa = t.number("kappa", out.kappa);
  out.rho = t.number("rho", out.rho);
}

}  // namespace

ProblemSpec read_problem(TomlTable t, const std::string& file, std::uint64_t seed) {
  ProblemSpec out;
  out.matrix = beside(file, t.text("matrix"));
  out.kind =
      out.matrix.empty()
          ? word(t, "kind", out.kind, {"spectrum", "sampling", "stacked", "gaussian", "tomography"},
                 "there is no such problem")
          : "file";
  out.seed = read_seed(t, seed);
  out.x0 = t.numbers("x0");
  if (out.kind == "file")
    out.rhs = beside(file, t.text("rhs"));
  else if (out.kind == "stacked")
    out.copies = t.whole("copies", out.copies, 1);
  else if (out.kind == "tomography")
    out.scan = read_scan(t);
  else
    read_made(t, out);
  t.finish();
  return out;
}

}  // namespace polyak::experiments
