#include "bench/solve_contest.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "polyak/io.hpp"
#include "polyak/solve.hpp"

namespace polyak::bench {
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

}  // namespace polyak::bench
