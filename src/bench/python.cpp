// The Python package beside NumPy, SciPy and scikit-learn: whole calls from arrays to x, all of
// them made by the script bench/python.py, on the problems of the subject solve and on some that
// the script makes itself.

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/contests.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"

namespace polyak::bench {
namespace {

using Names = std::vector<std::string>;

constexpr int time_limit_s = 60;  // for a first call
constexpr double long_round_s = 20.0, short_round_s = 1.0;

const Names dense = {"polyak.solve",        "polyak.LeastSquares", "polyak.lsmr",
                     "polyak.lsqr",         "numpy.lstsq",         "scipy.lsmr",
                     "scipy.lsqr",          "sklearn.Ridge",       "sklearn.LinearRegression",
                     "sklearn.SGDRegressor"};
const Names sparse = {"polyak.solve", "polyak.lsmr", "polyak.lsqr",
                      "scipy.lsmr",   "scipy.lsqr",  "sklearn.Ridge"};
const Names exact = {"polyak.solve", "polyak.LeastSquares", "numpy.lstsq", "scipy.lstsq",
                     "sklearn.LinearRegression"};
const Names within_bounds = {"polyak.lsq_linear", "polyak.nnls", "scipy.lsq_linear", "scipy.nnls"};

// The figures: how many times as long the second takes.
void compare(Race& race, const Names& contenders) {
  for (const std::string& name : contenders)
    if (!name.starts_with("polyak.")) race.faster("polyak.solve", name, name);
  static const std::vector<std::pair<std::string, std::string>> replaced = {
      {"polyak.lsqr", "scipy.lsqr"},
      {"polyak.lsmr", "scipy.lsmr"},
      {"polyak.LeastSquares", "sklearn.LinearRegression"},
      {"polyak.lsq_linear", "scipy.lsq_linear"},
      {"polyak.nnls", "scipy.nnls"}};
  for (const auto& [own, other] : replaced) race.faster(own, other, other);
}

// ---- Problems of the script, small ones among them: many calls in a round ----------

struct PythonCase {
  std::string name, title;
  Names contenders;
};

const std::vector<PythonCase>& python_cases() {
  static const std::vector<PythonCase> table = {
      {"50x5", "50 x 5", exact},
      {"1000x10", "1000 x 10", exact},
      {"tall-single", "single precision", exact},
      {"units", "units of columns from 1e-8 to 1e8", exact},
      {"bounds", "bounds on all unknowns", within_bounds}};
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
  compare(race, one.contenders);
  for (std::size_t k = 0; k < errors.size(); ++k)
    race.add_number(one.contenders[k], "error", errors[k]);
  session.keep(race);
}

// ---- Problems of the subject solve, which the script reads from files --------------

class SuiteRace {
 public:
  SuiteRace(Session& session, const SolveCase& what)
      : session_(session), problem_(what.make()), race_("python", "Python, " + what.name) {
    exchange_.put(problem_);
    const RowMatrix& A = problem_.A();
    contenders_ = A.nonzeros() == A.rows() * A.cols() ? dense : sparse;
  }

  void run(double share) {
    const Judge judge(problem_, session_.team());
    std::vector<std::pair<std::string, double>> errors;
    for (const std::string& name : contenders_)
      if (enter(name)) errors.emplace_back(name, judge.error(answer().view()));
    session_.run_single_calls(race_, share, rounds());
    compare(race_, contenders_);
    for (const auto& [name, error] : errors) race_.add_number(name, "error", error);
    session_.keep(race_);
  }

 private:
  // A first call in a process of its own, which leaves x. False where it fails or takes too long.
  bool enter(const std::string& name) {
    const std::string& folder = exchange_.path();
    const double seconds =
        session_.peer()->measure(fmt::format("try {} {} {}", folder, name, time_limit_s), 1);
    if (std::isinf(seconds)) {
      race_.note(
          fmt::format("{}: skipped, because it failed or took more than {} s", name, time_limit_s));
      return false;
    }
    first_round_s_ += seconds;
    session_.add_peer(race_, name, fmt::format("run {} {}", folder, name));
    return true;
  }
  Array answer() const { return read_array(exchange_.file("x.npy"), true); }
  Index rounds() const {
    if (first_round_s_ > long_round_s) return 1;
    return first_round_s_ > short_round_s ? 3 : 9;
  }

  Session& session_;
  const Exchange exchange_;
  const Problem problem_;
  Race race_;
  Names contenders_;
  double first_round_s_ = 0.0;
};

}  // namespace

void measure_python(Session& session) {
  if (!session.options().peers)
    throw Error(ErrorCode::usage, {.what = "the subject python needs its script",
                                   .where = "--peers",
                                   .found = "nothing",
                                   .expected = "bench/python.py",
                                   .hint = {}});
  if (session.peer() == nullptr) return;  // the session has noted why
  const std::vector<SolveCase> suite = cases_of(session);
  const double share = 1.0 / static_cast<double>(python_cases().size() + suite.size());
  for (const PythonCase& one : python_cases()) measure_case(session, one, share);
  for (const SolveCase& what : suite) {
    session.show_step("making " + what.name);
    SuiteRace(session, what).run(share);
  }
}

}  // namespace polyak::bench
