#include "page/looks.hpp"

#include <fmt/format.h>

#include <array>

namespace polyak::page {
namespace {

struct Style {
  const char* colour;
  const char* dash;
};
// Okabe and Ito's colours, without the yellow that is lost on white.
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

}  // namespace

const char* colour_of(int style) { return style_of(style).colour; }

std::string drawn(const Line& line) {
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

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\n' || c == '\r') c = ' ';
    out += c == '\'' ? std::string("''") : std::string(1, c);
  }
  return out + "'";
}

}  // namespace polyak::page
