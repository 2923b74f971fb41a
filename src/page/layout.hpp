#pragma once

// Where the parts of a picture stand, in pixels: panels in a grid, the legend
// below.

#include <algorithm>

#include "page/chart.hpp"

namespace polyak::page {

struct Layout {
  explicit Layout(const Chart& chart)
      : columns(std::max(1, std::min(chart.columns, static_cast<int>(chart.panels.size())))),
        rows((static_cast<int>(chart.panels.size()) + columns - 1) / columns),
        panel_width(chart.panel_width),
        panel_height(chart.panel_height),
        gap_x(chart.square ? 10 : 26),
        left(chart.square ? 12 : 72),
        below(chart.square ? 8 : 34),
        bottom(chart.square ? 0 : 24) {}

  int columns, rows, panel_width, panel_height, gap_x, left, below, bottom;
  int above = 26;  // a panel's title
  int legend_rows = 1;

  int legend() const { return legend_rows * 24 + 16; }
  int width() const { return left + columns * panel_width + (columns - 1) * gap_x + 14; }
  int height() const { return rows * (above + panel_height + below) + bottom + legend(); }
};

}  // namespace polyak::page
