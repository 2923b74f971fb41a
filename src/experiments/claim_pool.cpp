#include <fmt/format.h>

#include <algorithm>

#include "experiments/claim_checks.hpp"
#include "polyak/error.hpp"

namespace polyak::experiments {

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
