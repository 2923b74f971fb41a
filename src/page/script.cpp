#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "page/chart.hpp"

namespace polyak::internal::page {
namespace {

// Sizes in pixels: panels in a grid, the legend below them.
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
  int above = 26;  // height of a panel's title
  int legend_rows = 1;

  int legend() const { return legend_rows * 24 + 16; }
  int width() const { return left + columns * panel_width + (columns - 1) * gap_x + 14; }
  int height() const { return rows * (above + panel_height + below) + bottom + legend(); }
};

struct Style {
  const char* colour;
  const char* dash;
};
// The colours of Okabe and Ito for colour-blind readers, without yellow, which is too pale on
// white; each has its own dash pattern for grey prints.
constexpr std::array<Style, 9> styles = {{{"#000000", "solid"},
                                          {"#0072B2", "(12,3)"},
                                          {"#D55E00", "(8,3,2,3)"},
                                          {"#009E73", "(5,3)"},
                                          {"#CC79A7", "(2,2)"},
                                          {"#E69F00", "(12,3,2,3,2,3)"},
                                          {"#56B4E9", "(8,3)"},
                                          {"#777777", "(1,3)"},
                                          {"#777777", "(6,4)"}}};
const Style& style_of(int index) { return styles[static_cast<std::size_t>(index) % styles.size()]; }

const char* colour_of(int style) { return style_of(style).colour; }

// The gnuplot style after "plot DATA".
std::string plot_style(const Line& line) {
  const Style& s = style_of(line.style);
  switch (line.look) {
    case Look::thin: return "with lines lw 0.6 dt 1 lc rgb '#aaaaaa'";
    case Look::points:
      return fmt::format("with points pt {} lw 1 lc rgb '{}'",
                         line.style == 0 ? "1 ps 1" : "7 ps 0.5", s.colour);
    case Look::path:
      return fmt::format("with linespoints pt {} ps 0.35 lw 1 dt {} lc rgb '{}'",
                         line.style % 2 ? 7 : 5, s.dash, s.colour);
    default: return fmt::format("with lines lw 1.8 dt {} lc rgb '{}'", s.dash, s.colour);
  }
}

// A gnuplot string on one line.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\n' || c == '\r') c = ' ';
    out += c == '\'' ? std::string("''") : std::string(1, c);
  }
  return out + "'";
}

double clamped(double value, bool log) {
  if (!log) return std::clamp(value, -1e300, 1e300);
  return std::clamp(value, 1e-300, 1e300);  // keeps zero and infinity on a logarithmic axis
}

class Script {
 public:
  Script(const Chart& chart, Picture kind) : chart_(chart), layout_(chart), kind_(kind) {
    collect_legend();
    const int per_row = std::max(1, layout_.width() / 200);
    layout_.legend_rows = (static_cast<int>(legend_.size()) + per_row - 1) / per_row;
  }

  std::string text() {
    terminal();
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) data(p);
    out_ += "set multiplot\n";
    for (std::size_t p = 0; p < chart_.panels.size(); ++p) panel(p);
    legend();
    out_ += "unset multiplot\n";
    return std::move(out_);
  }

 private:
  template <class... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Values>(values)...);
    out_ += '\n';
  }

  void terminal() {
    const bool svg = kind_ == Picture::svg;
    put("set encoding utf8\ntitle_font = ',{}'\ntics_font = ',{}'", svg ? 13 : 10, svg ? 12 : 9);
    if (svg)
      put("set terminal svg size {},{} dynamic font 'sans-serif,13' background 'white'",
          layout_.width(), layout_.height());
    else
      put("set terminal pngcairo size {},{} fontscale 1.5 linewidth 1.5 dashlength 1.5 font "
          "'sans,9' background 'white'",
          layout_.width() * 3 / 2, layout_.height() * 3 / 2);
    put("set tics nomirror font tics_font\nset border 3 lc rgb '#444444'");
    put("set grid xtics ytics back lt 1 lw 0.5 lc rgb '#dddddd'");
  }

  void collect_legend() {
    for (const Panel& panel : chart_.panels)
      for (const Line& line : panel.lines) {
        const bool known = line.label.empty() ||
                           std::any_of(legend_.begin(), legend_.end(),
                                       [&](auto* other) { return other->label == line.label; });
        if (!known) legend_.push_back(&line);
      }
  }

  void data(std::size_t p) {
    const auto& lines = chart_.panels[p].lines;
    for (std::size_t s = 0; s < lines.size(); ++s) {
      const Line& line = lines[s];
      put("$d{}_{} << END", p, s);
      for (std::size_t i = 0; i < line.x.size(); ++i) {
        const double x = clamped(line.x[i], chart_.log_x), y = clamped(line.y[i], chart_.log_y);
        if (line.low.empty())
          put("{:.6g} {:.6g}", x, y);
        else
          put("{:.6g} {:.6g} {:.6g} {:.6g}", x, y, clamped(line.low[i], chart_.log_y),
              clamped(line.high[i], chart_.log_y));
      }
      put("END");
    }
  }

  void margins(std::size_t p) {
    const int column = static_cast<int>(p) % layout_.columns;
    const int row = static_cast<int>(p) / layout_.columns;
    const double w = layout_.width(), h = layout_.height();
    const int left = layout_.left + column * (layout_.panel_width + layout_.gap_x);
    const int top = row * (layout_.above + layout_.panel_height + layout_.below) + layout_.above;
    put("set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}", left / w,
        (left + layout_.panel_width) / w);
    put("set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}", 1 - top / h,
        1 - (top + layout_.panel_height) / h);
  }

  void axes(std::size_t p) {
    const Panel& panel = chart_.panels[p];
    if (panel.x_range)
      put("set xrange [{:g}:{:g}]", panel.x_range->first, panel.x_range->second);
    else
      put("set xrange [*:*]");
    if (panel.y_range)
      put("set yrange [{:g}:{:g}]", panel.y_range->first, panel.y_range->second);
    else
      put("set yrange [*:*]");
    if (chart_.square) return put("set size ratio -1\nunset tics\nset border 15");
    const bool first = static_cast<int>(p) % layout_.columns == 0;
    const bool last = p + static_cast<std::size_t>(layout_.columns) >= chart_.panels.size();
    put("{} logscale x\n{} logscale y", chart_.log_x ? "set" : "unset",
        chart_.log_y ? "set" : "unset");
    put("set format x '{}'", chart_.log_x ? "10^{%T}" : "%g");
    const bool shared = panel.y_range && chart_.panels[0].y_range == panel.y_range;
    put("set format y '{}'", !first && shared ? "" : chart_.log_y ? "10^{%T}" : "%g");
    tics('x', chart_.log_x, panel.x_range, 7);
    tics('y', chart_.log_y, panel.y_range, 6);
    put("set xlabel {} offset 0,0.2 noenhanced", quoted(last ? chart_.x_label : ""));
    put("set ylabel {} offset 0.5,0 noenhanced", quoted(first ? chart_.y_label : ""));
  }

  // At most `max_tics` ticks, at integer powers of ten.
  void tics(char axis, bool log, const Range& range, int max_tics) {
    if (!log || !range) return put("set {}tics autofreq", axis);
    const double decades = std::log10(range->second / range->first);
    const int step = std::max(1, static_cast<int>(std::ceil(decades / max_tics)));
    const double first = std::ceil(std::log10(range->first) / step - 1e-9) * step;
    put("set {}tics {:g},{:g}", axis, std::pow(10.0, first), std::pow(10.0, step));
    put("unset m{}tics", axis);
  }

  void marks(const Panel& panel) {
    put("unset arrow\nunset label");
    for (const Mark& mark : panel.marks) {
      if (mark.vertical) {
        put("set arrow from {0:.6g},graph 0 to {0:.6g},graph 1 nohead dt (1,3) lc rgb '#444444'",
            mark.at);
        put("set label {} at {:.6g},graph 0.94 right offset -0.5,0 font tics_font noenhanced",
            quoted(mark.label), mark.at);
      } else {
        put("set arrow from graph 0,first {0:.6g} to graph 1,first {0:.6g} nohead dt (1,3) lc rgb "
            "'#444444'",
            mark.at);
        put("set label {} at graph 0.02,first {:.6g} left offset 0,-0.6 font tics_font noenhanced",
            quoted(mark.label), mark.at);
      }
    }
  }

  void panel(std::size_t p) {
    const Panel& panel = chart_.panels[p];
    margins(p);
    axes(p);
    marks(panel);
    put("set title {} offset 0,-0.6 font title_font noenhanced\nunset key", quoted(panel.title));
    std::string plot;
    for (std::size_t s = 0; s < panel.lines.size(); ++s)
      if (!panel.lines[s].low.empty())
        plot += fmt::format(
            "{}$d{}_{} using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb "
            "'{}'",
            plot.empty() ? "" : ", ", p, s, colour_of(panel.lines[s].style));
    for (std::size_t s = 0; s < panel.lines.size(); ++s)
      if (!panel.lines[s].x.empty())
        plot += fmt::format("{}$d{}_{} using 1:2 {}", plot.empty() ? "" : ", ", p, s,
                            plot_style(panel.lines[s]));
    put("plot {}", plot.empty() ? "NaN" : plot);
  }

  // An empty plot below the panels, whose gnuplot key is the common legend.
  void legend() {
    if (legend_.empty()) return;
    put("unset arrow\nunset label\nunset tics\nunset border\nunset grid\nunset title");
    put("set size noratio\nunset logscale\nset xlabel ''\nset ylabel ''");
    put("set xrange [0:1]\nset yrange [0:1]");
    put("set lmargin at screen 0.01\nset rmargin at screen 0.99\nset bmargin at screen 0.005");
    put("set tmargin at screen {:.5f}",
        static_cast<double>(layout_.legend() - 4) / layout_.height());
    put("set key inside center center horizontal maxrows {} Left reverse noenhanced samplen 4 "
        "width 1 font title_font",
        layout_.legend_rows);
    std::string plot;
    for (const Line* line : legend_)
      plot += fmt::format("{}NaN {} title {}", plot.empty() ? "" : ", ", plot_style(*line),
                          quoted(line->label));
    put("plot {}", plot);
  }

  const Chart& chart_;
  Layout layout_;
  Picture kind_;
  std::vector<const Line*> legend_;
  std::string out_;
};

}  // namespace

std::string gnuplot_script(const Chart& chart, Picture kind) { return Script(chart, kind).text(); }

}  // namespace polyak::internal::page
