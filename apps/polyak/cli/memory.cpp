#include "cli/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace polyak::cli {
namespace {

// The number in a file that holds nothing else; `otherwise` if there is no number
// ("max") or no such file.
double number_in(const char* path, double otherwise) {
  std::ifstream file(path);
  double value = 0.0;
  return file >> value ? value : otherwise;
}

double available_now(double otherwise) {
  std::ifstream file("/proc/meminfo");
  std::string label;
  for (double kilobytes = 0.0; file >> label; file.ignore(64, '\n'))
    if (label == "MemAvailable:" && file >> kilobytes) return 1024.0 * kilobytes;
  return otherwise;
}

}  // namespace

MachineMemory machine_memory() {
  const double machine =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double allowed =  // by control groups, version 2 and 1
      std::min(number_in("/sys/fs/cgroup/memory.max", machine),
               number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", machine));
  const double total = std::min(machine, allowed);
  return {total, std::min(total, available_now(total))};
}

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < 1e6) return fmt::format("{:.3g} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.3g} MB", bytes / 1e6);
  return bytes < 1e12 ? fmt::format("{:.3g} GB", bytes / 1e9)
                      : fmt::format("{:.4g} TB", bytes / 1e12);
}

}  // namespace polyak::cli
