#pragma once

// How lines look, in gnuplot's words: colours, dashes, markers.

#include "page/chart.hpp"

namespace polyak::page {

const char* colour_of(int style);
/// What follows "plot DATA": with lines, points or both.
std::string drawn(const Line& line);
/// A text between quotes, in one line.
std::string quoted(const std::string& text);

}  // namespace polyak::page
