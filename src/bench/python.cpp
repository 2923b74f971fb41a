// The Python package beside NumPy, SciPy and scikit-learn: whole calls from arrays to x, all of
// them made by the script bench/python.py.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/session.hpp"
#include "polyak/error.hpp"

namespace polyak::bench::internal {
namespace {

struct PythonCase {
  std::string name, title, base;  ///< the figures are relative to `base`
  std::vector<std::string> contenders;
};

const std::vector<PythonCase>& python_cases() {
  static const std::vector<std::string> small = {
      "polyak.solve", "polyak.solve-direct",      "polyak.LeastSquares",
      "numpy.lstsq",  "sklearn.LinearRegression", "scipy.lstsq"};
  static const std::vector<std::string> dense = {
      "polyak.solve",  "polyak.solve-direct", "polyak.LeastSquares",
      "polyak.lsmr",   "polyak.lsqr",         "numpy.lstsq",
      "scipy.lsmr",    "scipy.lsqr",          "sklearn.LinearRegression",
      "sklearn.Ridge", "sklearn.SGDRegressor"};
  static const std::vector<std::string> exact = {"polyak.solve", "polyak.solve-direct",
                                                 "numpy.lstsq", "sklearn.LinearRegression"};
  static const std::vector<std::string> sparse = {"polyak.solve", "polyak.lsmr", "polyak.lsqr",
                                                  "scipy.lsmr", "scipy.lsqr"};
  static const std::vector<PythonCase> table = {
      {"50x5", "50 x 5", "numpy.lstsq", small},
      {"1000x10", "1000 x 10", "numpy.lstsq", small},
      {"tall", "tall, noise of 10 %", "numpy.lstsq", dense},
      {"tall-consistent", "tall, consistent", "numpy.lstsq", dense},
      {"tall-single", "tall, single precision, noise of 10 %", "numpy.lstsq", exact},
      {"condition-1e10", "condition 1e10, noise of 10 %", "numpy.lstsq", exact},
      {"units", "units of columns from 1e-8 to 1e8", "numpy.lstsq", exact},
      {"columns", "three times as many columns", "numpy.lstsq", dense},
      {"sparse", "sparse, 20 entries a row", "scipy.lsqr", sparse},
      {"bounds",
       "bounds on all unknowns",
       "scipy.lsq_linear",
       {"polyak.lsq_linear", "scipy.lsq_linear", "polyak.nnls", "scipy.nnls"}}};
  return table;
}

void measure_case(Session& session, const PythonCase& one, double share) {
  Race race("python", "Python, " + one.title);
  for (const std::string& name : one.contenders)
    session.add_peer(race, name, fmt::format("run {} {}", one.name, name));
  session.show_step(race.title());
  std::vector<double> errors;
  for (const std::string& name : one.contenders)
    errors.push_back(session.peer()->measure(fmt::format("error {} {}", one.name, name), 1));
  session.run(race, share);
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const std::string& name = one.contenders[k];
    if (name != one.base) race.faster(name, one.base, one.base);
    race.add_number(name, "error", errors[k]);
  }
  session.keep(race);
}

}  // namespace

void measure_python(Session& session) {
  if (!session.options().peers)
    throw Error(ErrorCode::usage, {.what = "the subject python needs its script",
                                   .where = "--peers",
                                   .found = "nothing",
                                   .expected = "bench/python.py",
                                   .hint = {}});
  if (session.peer() == nullptr) return;  // the session has noted why
  const auto& cases = python_cases();
  for (const PythonCase& one : cases)
    measure_case(session, one, 1.0 / static_cast<double>(cases.size()));
}

}  // namespace polyak::bench::internal
