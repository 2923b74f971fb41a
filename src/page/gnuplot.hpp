#pragma once

// gnuplot as a function: a script in, a picture out.

#include <string>

namespace polyak::page {

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
