#include "polyak/bench.hpp"

#include "bench/session.hpp"
#include "polyak/error.hpp"

namespace polyak::bench {
using namespace polyak::bench::internal;

namespace {

// A figure in a line of a table. `title` may be the end of the table's title.
struct Wanted {
  const char *what, *title, *line, *figure;
  double at_least, aim;
  bool smaller_is_better = false;
};

// For a million rows of a hundred doubles. Only ratios, which hold on any machine.
const std::vector<Wanted>& goals() {
  static const char *fused = "fused, double", *of_rows = "of rows only read",
                    *of_stream = "of streaming", *share = "polyak, sampling alone",
                    *csr = "fused, CSR, 1 thread";
  static const std::vector<Wanted> table = {
      {"gradient, of rows only read, B = 1e3", "gradient, B = 1000", fused, of_rows, 88, 95},
      {"gradient, of rows only read, B = 1e4", "gradient, B = 10000", fused, of_rows, 88, 95},
      {"gradient, of rows only read, B = 1e5", "gradient, B = 100000", fused, of_rows, 88, 95},
      {"gradient, of rows only read, B = 4e5", "gradient, B = 400000", fused, of_rows, 88, 95},
      {"gradient, of streaming, B = 1e3", "gradient, B = 1000", fused, of_stream, 55, 62},
      {"gradient, of streaming, B = 1e4", "gradient, B = 10000", fused, of_stream, 62, 70},
      {"gradient, of streaming, B = 1e5", "gradient, B = 100000", fused, of_stream, 75, 85},
      {"gradient, of streaming, B = 4e5", "gradient, B = 400000", fused, of_stream, 80, 88},
      {"gradient against NumPy, B = 1e4", "gradient, B = 10000", fused, "NumPy", 5, 6},
      {"gradient against NumPy, B = 1e5", "gradient, B = 100000", fused, "NumPy", 6, 7},
      {"gradient against NumPy, B = 4e5", "gradient, B = 400000", fused, "NumPy", 7, 8},
      {"gradient against OpenBLAS, B = 1e4", "gradient, B = 10000", fused, "OpenBLAS", 2.5, 3},
      {"gradient against OpenBLAS, B = 1e5", "gradient, B = 100000", fused, "OpenBLAS", 3.5, 4},
      {"gradient against OpenBLAS, B = 4e5", "gradient, B = 400000", fused, "OpenBLAS", 5, 5.5},
      {"gradient of all rows, of streaming", "gradient of all rows", fused, of_stream, 90, 95},
      {"float against double, B = 1e4", "gradient, B = 10000", "fused, float", "double", 1.25, 1.6},
      {"float against double, B = 1e5", "gradient, B = 100000", "fused, float", "double", 1.25,
       1.6},
      {"float against double, B = 4e5", "gradient, B = 400000", "fused, float", "double", 1.25,
       1.6},
      {"gradient, 1 thread to all, B = 1e3", "gradient, B = 1000", fused, "1 thread", 1.8, 1.95},
      {"gradient, 1 thread to all, B = 1e4", "gradient, B = 10000", fused, "1 thread", 1.8, 1.95},
      {"gradient, 1 thread to all, B = 1e5", "gradient, B = 100000", fused, "1 thread", 1.8, 1.95},
      {"gradient, 1 thread to all, B = 4e5", "gradient, B = 400000", fused, "1 thread", 1.8, 1.95},
      {"Gram matrix against NumPy", "Gram matrix", "polyak", "NumPy", 2, 3},
      {"sparse against SciPy, 1 thread, 58 entries", "all rows, 58 entries a row", csr, "SciPy",
       1.5, 2},
      {"sparse against SciPy, 1 thread, 20 entries", "all rows, 20 entries a row", csr, "SciPy",
       1.5, 2},
      {"iteration against NumPy, 0.01 B*", "(0.01 B*)", "polyak", "NumPy", 10, 15},
      {"iteration against NumPy, 0.1 B*", "(0.1 B*)", "polyak", "NumPy", 15, 20},
      {"iteration against NumPy, B*", "(B*)", "polyak", "NumPy", 20, 25},
      {"sampling, of an iteration, B = 1e3", "HBM iteration, B = 1000", share, "of an iteration",
       12, 8, true},
      {"sampling, of an iteration, 0.01 B*", "(0.01 B*)", share, "of an iteration", 12, 8, true},
      {"sampling, of an iteration, 0.1 B*", "(0.1 B*)", share, "of an iteration", 12, 8, true},
      {"sampling, of an iteration, B*", "(B*)", share, "of an iteration", 12, 8, true},
      {"fixed cost, Minibatch-HBM", "one iteration of one row, B = 1", "Minibatch-HBM, B = 1",
       "above the row's own", 150, 60, true},
      {"fixed cost, randomized Kaczmarz", "one iteration of one row, B = 1", "randomized Kaczmarz",
       "above the row's own", 150, 60, true},
      {"tuned HBM against Kaczmarz, to 1e-6", "to an error of 1e-06 in x, set-up excluded",
       "Minibatch-HBM, tuned, B = 128", "Kaczmarz", 1.8, 2.5},
      {"set-up and solve against NumPy", "B = 128, to 1e-10", "polyak", "NumPy", 4, 4},
      {"replicates shared, B = 1e5", "replicates, B = 100000", "block-shared", "separate runs", 2.8,
       3.5},
      {"replicates shared, B = 4e5", "replicates, B = 400000", "block-shared", "separate runs", 3.8,
       5},
      {"Python, 50 x 5, against NumPy", "Python, 50 x 5", "polyak.solve", "numpy.lstsq", 0.6, 1},
      {"Python, 1000 x 10, against NumPy", "Python, 1000 x 10", "polyak.solve", "numpy.lstsq", 1,
       1.5},
      {"Python, direct, against NumPy", "Python, three times as many columns",
       "polyak.solve-direct", "numpy.lstsq", 1, 2},
      {"projections against ASTRA, line",
       "forward and back, line, 512 x 512 pixels, 725 elements, "
       "720 views",
       "polyak", "ASTRA", 2, 4},
      {"projections against ASTRA, linear",
       "forward and back, linear, 512 x 512 pixels, 725 "
       "elements, 720 views",
       "polyak", "ASTRA", 2, 4},
      {"projections against ASTRA, strip",
       "forward and back, strip, 512 x 512 pixels, 725 "
       "elements, 720 views",
       "polyak", "ASTRA", 2, 4},
  };
  return table;
}

const Figure* find(const std::vector<Table>& tables, const Wanted& wanted) {
  for (const Table& table : tables) {
    if (!table.title.ends_with(wanted.title)) continue;
    for (const Line& line : table.lines)
      for (const Figure& figure : line.figures)
        if (line.name == wanted.line && figure.name == wanted.figure) return &figure;
  }
  return nullptr;
}

// The goals that these tables measure.
std::vector<Goal> goals_for(const std::vector<Table>& tables) {
  std::vector<Goal> out;
  for (const Wanted& wanted : goals()) {
    const Figure* found = find(tables, wanted);
    if (found != nullptr)
      out.push_back({wanted.what, found->unit, wanted.at_least, wanted.aim,
                     wanted.smaller_is_better, found->value});
  }
  return out;
}

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
    {"python", measure_python},
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
  for (const char* long_one : {"solve", "auto", "plan", "python"}) std::erase(out, long_one);
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
