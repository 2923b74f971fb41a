#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/contests.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"
#include "polyak/solve.hpp"

// The subject solve: the contest in memory, and the contest of whole processes on files.

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

using Kind = Entrant::Kind;
constexpr Index time_limit_s = 60;     // for one solve by any entrant
constexpr double long_round_s = 30.0;  // a longer first round is followed by one more only,
constexpr double short_round_s = 1.0;  // a shorter one by many

class Contest {
 public:
  Contest(Session& session, const SolveCase& what, const Problem& problem, const Exchange& exchange)
      : session_(session),
        problem_(problem),
        exchange_(exchange),
        judge_(problem, session.team()),
        race_("solve", what.name) {
    outcome_ = {what.name, problem.cols(), what.consistent, what.sampling_wins, {}, {}, {}};
    enter(Kind::automatic, "auto", "auto");
    if (what.consistent) enter(Kind::sampled, "auto, certified by samples", "auto");
    for (const std::string& method : what.methods) enter(Kind::fixed, method, method);
    if (session.peer() == nullptr) return;
    for (const std::string& name : what.peers) enter_peer(name);
  }

  Outcome run() {
    session_.run_single_calls(race_, 1.0 / 20.0, min_rounds());
    for (std::size_t i = 0; i < outcome_.entrants.size(); ++i) {
      Entrant& one = outcome_.entrants[i];
      for (const Race::Round& round : race_.rounds()) one.seconds.push_back(round[i]);
      race_.add_number(line_of(one), "error", one.error);
      race_.add_number(line_of(one), "backward error", one.backward_error);
    }
    compare();
    session_.keep(race_);
    return std::move(outcome_);
  }

 private:
  Index min_rounds() const {
    if (first_round_s_ > long_round_s) return 1;
    return first_round_s_ > short_round_s ? 3 : 15;
  }

  // Different names for a method and a peer of the same name.
  static std::string line_of(const Entrant& one) {
    return one.kind == Kind::peer ? "peer: " + one.name : one.name;
  }

  void enter(Kind kind, const std::string& name, const std::string& method) {
    SolveOptions options;
    options.method = method;
    options.certify = kind == Kind::sampled ? "sampled" : "full";
    options.threads = session_.options().threads;
    options.seed = session_.options().seed;
    options.time_limit_s = static_cast<double>(time_limit_s);
    const double start = now_s();
    const Report report = solve(problem_, options);
    const double seconds = now_s() - start;
    if (report.status != Status::converged) race_.note(name + ": " + report.reason);
    if (kind == Kind::automatic)
      record_stages(report);
    else if (seconds >= options.time_limit_s)
      return skip(name);
    add({name, kind, report.status == Status::converged}, report.x.view(), seconds,
        [this, options](Index) {
          const double from = now_s();
          const Report again = solve(problem_, options);
          return now_s() - from;
        });
  }

  void enter_peer(const std::string& name) {
    ScriptPeer& script = *session_.peer();
    const double seconds =
        script.measure(fmt::format("try_{} {} {}", name, exchange_.path(), time_limit_s), 1);
    if (std::isinf(seconds)) return skip("peer: " + name);
    const Array x = read_array(exchange_.file("x.npy"), true);
    add({name, Kind::peer}, x.view(), seconds, [this, name, &script](Index) {
      return script.measure(fmt::format("solve_{} {}", name, exchange_.path()), 1);
    });
  }

  void add(Entrant one, ConstView x, double seconds, std::function<double(Index)> run) {
    one.error = judge_.error(x);
    one.backward_error = judge_.backward_error(x);
    first_round_s_ += seconds;
    race_.add({line_of(one), 0.0, std::move(run)});
    outcome_.entrants.push_back(std::move(one));
  }

  void skip(const std::string& name) {
    race_.note(
        fmt::format("{}: skipped, because it failed or took more than {} s", name, time_limit_s));
  }

  void record_stages(const Report& report) {
    outcome_.stages = report.stages;
    if (report.stages.empty()) outcome_.stages = {{report.method, "", {}, 0.0, report.reason}};
    for (const Stage& stage : outcome_.stages)
      race_.note(fmt::format("auto took {}{}: {}", stage.method,
                             stage.predicted_seconds
                                 ? fmt::format(" (predicted {:.3g} s)", *stage.predicted_seconds)
                                 : "",
                             stage.outcome));
  }

  // auto is compared with all entrants, auto certified by samples with the peers.
  void compare() {
    for (const Entrant& one : outcome_.entrants) {
      if (one.kind == Kind::automatic || one.kind == Kind::sampled) continue;
      race_.faster("auto", line_of(one), line_of(one));
      if (one.kind == Kind::peer)
        race_.faster("auto, certified by samples", line_of(one), line_of(one));
    }
  }

  Session& session_;
  const Problem& problem_;
  const Exchange& exchange_;
  Judge judge_;
  Race race_;
  Outcome outcome_;
  double first_round_s_ = 0.0;
};

// End to end: from files to a file, each in its own process, with the files in the page
// cache. The start of Python and the import of NumPy are reported separately; polyak, its
// start included, is compared with the rest.

constexpr const char *ours = "polyak solve, process", *theirs = "NumPy, load to save",
                     *whole = "NumPy, process", *imports = "NumPy, import alone";

// As from a shell, so that the choice of BLAS kernels at the start is measured too.
std::vector<std::string> plain_environment() {
  std::vector<std::string> out = peer_environment(1);
  std::erase_if(out, [](const std::string& entry) { return entry.starts_with("OPENBLAS_"); });
  return out;
}

[[noreturn]] void refuse_times(const std::string& found) {
  throw Error(ErrorCode::io, {.what = "the peers' script gave no time",
                              .where = "file",
                              .found = "'" + found.substr(0, found.find('\n')) + "'",
                              .expected = "the seconds of two parts",
                              .hint = "run without --peers"});
}

class FileContest {
 public:
  FileContest(Session& session, const SolveCase& what, const Problem& problem,
              const Exchange& exchange)
      : session_(session),
        exchange_(exchange),
        judge_(problem, session.team()),
        race_("solve", what.name + ", from files") {
    race_.add({ours, 0.0, [this](Index) { return run_polyak(); }});
    run_polyak();
    read_report();
    if (session.peer() == nullptr) return;
    race_.add({whole, 0.0, [this](Index) { return run_numpy(); }});
    race_.add({theirs, 0.0, [this](Index) { return load_to_save_s_; }});
    race_.add({imports, 0.0, [this](Index) { return import_s_; }});
    run_numpy();
  }

  FromFile run() {
    session_.run_single_calls(race_, 1.0 / 40.0, 5);
    FromFile out = reported_;
    out.seconds = race_.table().lines[0].seconds.median;
    race_.faster(ours, theirs, theirs);
    race_.faster(ours, whole, whole);
    const Table table = race_.table();
    if (session_.peer() != nullptr) out.faster = table.lines[0].figures[0].value;
    race_.add_number(ours, "touched", 100.0 * out.rows_share, "% of rows");
    race_.add_number(ours, "bytes_read", out.bytes_read);
    if (out.pages_read) race_.add_number(ours, "pages_read", *out.pages_read);
    race_.add_number(ours, "error", out.error);
    if (session_.peer() != nullptr) race_.add_number(theirs, "error", error_of("x_numpy.npy"));
    session_.keep(race_);
    return out;
  }

 private:
  int threads() const { return session_.team().size(); }

  double error_of(const char* name) const {
    return judge_.error(read_array(exchange_.file(name), true).view());
  }

  double run_polyak() {
    return run_child({*session_.options().program, "solve", exchange_.file("A.npy"),
                      exchange_.file("b.npy"), "--certify", "sampled", "--tol", "1e-8", "--threads",
                      std::to_string(threads()), "--seed", std::to_string(session_.options().seed),
                      "--output", exchange_.file("x_polyak.npy"), "--report",
                      exchange_.file("report.json"), "--quiet"},
                     plain_environment(), exchange_.file("polyak.txt"))
        .seconds;
  }

  // The same in every run, because the seed is.
  void read_report() {
    std::ifstream file(exchange_.file("report.json"));
    const auto report = nlohmann::json::parse(file);
    const double touched =
        report.at("row_products").get<double>() + report.at("measured_row_products").get<double>();
    reported_.rows_share = touched / report.at("rows").get<double>();
    reported_.bytes_read = report.at("bytes_read").get<double>();
    if (report.contains("pages_read")) reported_.pages_read = report["pages_read"].get<double>();
    reported_.error = error_of("x_polyak.npy");
    race_.note(fmt::format("polyak took {}: {}", report.at("method").get<std::string>(),
                           report.at("reason").get<std::string>()));
  }

  // The script prints the seconds of its imports and of the rest.
  double run_numpy() {
    const Child child =
        run_child({peer_python(), *session_.options().peers, "file", exchange_.path()},
                  peer_environment(threads()), exchange_.file("numpy.txt"));
    char* rest = nullptr;
    import_s_ = std::strtod(child.output.c_str(), &rest);
    load_to_save_s_ = std::strtod(rest, nullptr);
    if (!(import_s_ > 0.0 && load_to_save_s_ > 0.0)) refuse_times(child.output);
    return child.seconds;
  }

  Session& session_;
  const Exchange& exchange_;
  Judge judge_;
  Race race_;
  FromFile reported_;
  double import_s_ = 0.0, load_to_save_s_ = 0.0;
};

Outcome measure(Session& session, const SolveCase& what) {
  session.show_step("making " + what.name);
  const Problem problem = what.make();
  const Exchange exchange;
  const bool as_process = what.from_file && session.options().program;
  if (session.peer() != nullptr || as_process) exchange.put(problem);
  Outcome out = contest(session, what, problem, exchange);
  if (as_process) out.from_file = file_contest(session, what, problem, exchange);
  return out;
}

}  // namespace

FromFile file_contest(Session& session, const SolveCase& what, const Problem& problem,
                      const Exchange& exchange) {
  return FileContest(session, what, problem, exchange).run();
}

Outcome contest(Session& session, const SolveCase& what, const Problem& problem,
                const Exchange& exchange) {
  return Contest(session, what, problem, exchange).run();
}

std::vector<SolveCase> cases_of(Session& session) {
  const Options& options = session.options();
  std::vector<SolveCase> out = solve_cases(options);
  if (options.data)
    for (SolveCase& one : given_cases(*options.data, static_cast<int>(options.threads),
                                      [&](const std::string& text) { session.note(text); }))
      out.push_back(std::move(one));
  return options.cases ? chosen_cases(std::move(out), *options.cases) : out;
}

void measure_solve(Session& session) {
  session.forget_dense();
  std::vector<Outcome> outcomes;
  for (const SolveCase& what : cases_of(session)) {
    outcomes.push_back(measure(session, what));
    session.solved.push_back(summary(outcomes.back()));
  }
  session.verdict = verdict(outcomes);
}

}  // namespace polyak::bench::internal
