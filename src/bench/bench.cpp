#include "polyak/bench.hpp"

#include "bench/goals.hpp"
#include "bench/machine.hpp"
#include "bench/session.hpp"
#include "polyak/error.hpp"

namespace polyak::bench {
namespace {

struct Subject {
  const char* name;
  void (*measure)(Session&);
};

constexpr Subject table[] = {
    {"kernels", measure_kernels},
    {"sampling", measure_sampling},
    {"replicates", measure_replicates},
    {"iterations", measure_iterations},
    {"tomography", measure_tomography},
    {"solve", measure_solve},
    {"auto", measure_auto},
    {"plan", measure_plan},
};

const Subject& find(const std::string& name) {
  for (const Subject& subject : table)
    if (name == subject.name) return subject;
  throw Error(ErrorCode::usage, {.what = "there is no such subject", .found = "'" + name + "'"});
}

}  // namespace

const std::vector<std::string>& subjects() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Subject& subject : table) out.push_back(subject.name);
    return out;
  }();
  return names;
}

std::vector<std::string> usual_subjects() {
  std::vector<std::string> out = subjects();
  for (const char* long_one : {"solve", "auto", "plan"}) std::erase(out, long_one);
  return out;
}

Results run(const std::vector<std::string>& names, const Options& options,
            const std::function<void(const std::string&)>& progress) {
  std::vector<Subject> chosen;
  for (const std::string& name : names) chosen.push_back(find(name));
  Session session(options, progress);
  for (const Subject& subject : chosen) subject.measure(session);
  Results out;
  out.machine = this_machine();
  out.machine.threads = session.team().size();
  out.machine.huge_bytes = session.huge_bytes;
  if (session.peer() != nullptr) out.machine.peers = session.peer()->name();
  out.options = session.options();
  out.tables = std::move(session.tables);
  out.notes = std::move(session.notes);
  out.solved = std::move(session.solved);
  out.varied = std::move(session.varied);
  out.promises = std::move(session.promises);
  if (options.quick) return out;
  out.goals = goals_for(out.tables);
  out.goals.insert(out.goals.end(), session.verdict.begin(), session.verdict.end());
  return out;
}

}  // namespace polyak::bench
