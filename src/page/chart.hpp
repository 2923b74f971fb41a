#pragma once

// A picture as a value: panels in a grid, one legend below them.
// gnuplot as a function: a script in, a picture out.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace polyak::page {

enum class Look {
  line,    ///< coloured and dashed by its style
  thin,    ///< grey and thin: contours, guides
  points,  ///< markers only
  path,    ///< a thin line with a dot at every point
};

struct Line {
  std::string label;  ///< in the legend, once for all panels; empty for none
  int style = 0;      ///< 0 is black and solid
  Look look = Look::line;
  std::vector<double> x, y;
  std::vector<double> low, high;  ///< a shaded band, where not empty
};

/// A dotted line across the panel.
struct Mark {
  bool vertical = true;
  double at = 0.0;
  std::string label;
};

using Range = std::optional<std::pair<double, double>>;

struct Panel {
  std::string title;
  std::vector<Line> lines;
  std::vector<Mark> marks;
  Range x_range, y_range;  ///< those of the data where absent
};

struct Chart {
  std::vector<Panel> panels;
  int columns = 1;
  std::string x_label, y_label;
  bool log_x = false, log_y = true;
  bool square = false;  ///< the same unit on both axes, and no numbers on them
  int panel_width = 260, panel_height = 210;
};

enum class Picture { svg, png };

/// All that gnuplot needs, data included; it draws to standard output.
std::string gnuplot_script(const Chart& chart, Picture kind);

/// Whether a gnuplot is to be found in PATH.
bool has_gnuplot();

struct Drawing {
  bool ok = false;
  std::string bytes;    ///< the picture
  std::string message;  ///< what gnuplot said, where it failed
};
/// Runs gnuplot on the script; never throws because of gnuplot.
Drawing run_gnuplot(const std::string& script);

}  // namespace polyak::page
