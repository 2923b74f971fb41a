#pragma once

// A picture as data: panels in a grid with one legend below them; its gnuplot script, and running
// gnuplot on it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace polyak::internal::page {

enum class Look {
  line,    ///< colour and dashes of its style
  thin,    ///< grey and thin: contours, guides
  points,  ///< markers only
  path,    ///< a thin line with a dot at every point
};

struct Line {
  std::string label;  ///< in the legend, which lists each label once; empty: not in the legend
  int style = 0;      ///< 0 is black and solid
  Look look = Look::line;
  std::vector<double> x, y;
  std::vector<double> low, high;  ///< limits of a shaded band; empty: no band
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
  Range x_range, y_range;  ///< absent: the range of the data
};

struct Chart {
  std::vector<Panel> panels;
  int columns = 1;
  std::string x_label, y_label;
  bool log_x = false, log_y = true;
  bool square = false;  ///< equal units on both axes, without tick labels
  int panel_width = 260, panel_height = 210;
};

enum class Picture { svg, png };

/// A complete gnuplot script with the data; the picture goes to standard output.
std::string gnuplot_script(const Chart& chart, Picture kind);

/// True if PATH contains gnuplot.
bool has_gnuplot();

struct Drawing {
  bool ok = false;
  std::string bytes;    ///< the picture
  std::string message;  ///< the first line of the error output of gnuplot
};
/// Runs gnuplot on the script. Failures are reported in the result, not thrown.
Drawing run_gnuplot(const std::string& script);

}  // namespace polyak::internal::page
