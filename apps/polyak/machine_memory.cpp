#include "machine_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace polyak::cli {
namespace {

// A number alone in a file; `otherwise` where there is none ("max", no such file).
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
  const double allowed =
      std::min(number_in("/sys/fs/cgroup/memory.max", machine),
               number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", machine));
  const double total = std::min(machine, allowed);
  return {total, std::min(total, available_now(total))};
}

}  // namespace polyak::cli
