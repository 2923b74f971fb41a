#include "cli/memory.hpp"

#include <fmt/format.h>

namespace polyak::cli {

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < 1e6) return fmt::format("{:.3g} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.3g} MB", bytes / 1e6);
  return bytes < 1e12 ? fmt::format("{:.3g} GB", bytes / 1e9)
                      : fmt::format("{:.4g} TB", bytes / 1e12);
}

}  // namespace polyak::cli
