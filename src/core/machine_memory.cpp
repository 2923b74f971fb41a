#include "polyak/machine_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

namespace polyak {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

// The number in a file that holds nothing else; `otherwise` if there is no number
// ("max") or no such file.
double number_in(const std::string& path, double otherwise) {
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

// A hierarchy of control groups that limits memory, as /proc/self/mountinfo shows it: `point` is
// the folder that shows group `root` of it.
struct Hierarchy {
  std::string root, point, file;  // file: of the limit, in the folder of a group
  bool unified;                   // version 2
};

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

// Lines are "id parent major:minor root point options [fields] - type source options".
std::vector<Hierarchy> hierarchies(const std::string& proc) {
  std::vector<Hierarchy> out;
  std::ifstream file(proc + "/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string skipped, root, point, type, source, options;
    words >> skipped >> skipped >> skipped >> root >> point;
    while (words >> skipped && skipped != "-") continue;
    words >> type >> source >> options;
    if (type == "cgroup2") out.push_back({root, point, "memory.max", true});
    if (type == "cgroup" && has_word(options, "memory"))
      out.push_back({root, point, "memory.limit_in_bytes", false});
  }
  return out;
}

// The group of this process. Lines are "number:controllers:path", "0::path" in version 2.
std::string group_in(const std::string& proc, const Hierarchy& hierarchy) {
  std::ifstream file(proc + "/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (hierarchy.unified ? controllers.empty() : has_word(controllers, "memory"))
      return line.substr(second + 1);
  }
  return "/";
}

// The least limit of a group and of all those that contain it.
double limit_in(const std::string& sys, const Hierarchy& hierarchy, std::string group) {
  if (hierarchy.root != "/" && group.starts_with(hierarchy.root))
    group = group.substr(hierarchy.root.size());
  double least = no_limit;
  for (;;) {
    while (group.ends_with('/')) group.pop_back();
    const std::string path = sys + hierarchy.point + group + "/" + hierarchy.file;
    least = std::min(least, number_in(path, no_limit));
    if (group.empty()) return least;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

double control_group_limit(const std::string& root) {
  const std::string proc = root + "/proc";
  double least = no_limit;
  for (const Hierarchy& hierarchy : hierarchies(proc))
    least = std::min(least, limit_in(root, hierarchy, group_in(proc, hierarchy)));
  return least;
}

MachineMemory machine_memory() {
  const double machine =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double total = std::min(machine, control_group_limit());
  return {total, std::min(total, available_now(total))};
}

}  // namespace polyak
