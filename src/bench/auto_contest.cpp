#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/contests.hpp"
#include "bench/session.hpp"
#include "polyak/generate.hpp"
#include "polyak/io.hpp"
#include "polyak/solve.hpp"
#include "problem/varied.hpp"

// The subject auto: auto against each method, and the judge of their x.

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

constexpr double allowed_error = 1e-6;    // for well-conditioned problems
constexpr double allowed_over_qr = 10.0;  // times the error of QR
constexpr double allowed_norm = 1.01;     // times the least norm

double norm(const std::vector<double>& v) {
  double sum = 0.0;
  for (const double one : v) sum += one * one;
  return std::sqrt(sum);
}

using Kind = Entrant::Kind;

const std::vector<std::string> names = {"normal", "direct", "sketch-hbm", "cg",
                                        "cgls",   "lsqr",   "rk",         "minibatch-hbm"};
constexpr double auto_limit_s = 120.0;  // time limit of auto
constexpr double near_best = 2.0;       // a method slower than this factor does not race
constexpr double short_s = 0.1;         // a trial shorter than this is made twice
constexpr int peer_limit_s = 20;        // of the normal equations in NumPy
constexpr double peer_error = 1e-8;     // up to which their x is good

struct Tried {
  Report report;
  double seconds = 0.0;
};

class SeedContest {
 public:
  SeedContest(Session& session, std::uint64_t seed)
      : session_(session),
        what_(varied_problem(seed)),
        problem_(problem_of(varied::system_of(seed, session.team()))),
        judge_(problem_, session.team()),
        race_("auto", fmt::format("seed {}: {}", seed, what_.text)) {
    out_.seed = seed;
    out_.kind = what_.kind;
    out_.text = what_.text;
    out_.matrix = problem_.A().kind();
    out_.rows = problem_.rows();
    out_.cols = problem_.cols();
    out_.nonzeros = problem_.A().nonzeros();
    out_.noise = what_.relative_noise;
    out_.unique = judge_.unique();
    out_.allowed_error = judge_.allowed();
  }

  VariedCase run() {
    try_auto();
    for (const std::string& name : names) try_method(name);
    enter_best_methods();
    if (session_.peer() != nullptr) enter_normal_equations(*session_.peer());
    session_.run_single_calls(race_, 0.0, min_rounds());
    for (std::size_t i = 0; i < outcome_.entrants.size(); ++i)
      for (const Race::Round& round : race_.rounds())
        outcome_.entrants[i].seconds.push_back(round[i]);
    out_.solved = summary(outcome_);
    set_least_times();
    for (const Entrant& one : outcome_.entrants) race_.add_number(one.name, "error", one.error);
    session_.keep(race_);
    return std::move(out_);
  }

 private:
  static Problem problem_of(GeneratedProblem made) {
    ProblemData parts;
    parts.A = std::move(made.A);
    parts.b = std::move(made.b);
    return Problem(std::move(parts));
  }

  SolveOptions options_for(const std::string& method, double limit_s) const {
    SolveOptions out;
    out.method = method;
    out.threads = session_.options().threads;
    out.seed = session_.options().seed;
    out.time_limit_s = limit_s;
    return out;
  }

  Tried once(const SolveOptions& options) const {
    Tried out;
    for (int k = 0; k < 2; ++k) {
      const double start = now_s();
      out.report = solve(problem_, options);
      const double seconds = now_s() - start;
      out.seconds = k == 0 ? seconds : std::min(seconds, out.seconds);
      if (out.seconds > short_s) break;
    }
    return out;
  }

  void enter(const std::string& name, Kind kind, const Tried& tried, bool good) {
    const SolveOptions options = options_for(name, auto_limit_s);
    race_.add({name, 0.0, [this, options](Index) {
                 const double start = now_s();
                 const Report again = solve(problem_, options);
                 return now_s() - start;
               }});
    const bool converged = tried.report.status == Status::converged;
    outcome_.entrants.push_back({name,
                                 kind,
                                 converged,
                                 judge_.error(tried.report.x.view()),
                                 tried.report.backward_error.value_or(1.0),
                                 {},
                                 good});
    round_s_ += tried.seconds;
  }

  void try_auto() {
    const Tried tried = once(options_for("auto", auto_limit_s));
    auto_s_ = tried.seconds;
    const bool converged = tried.report.status == Status::converged;
    out_.good = converged && judge_.good(tried.report.x.view());
    outcome_.name = out_.text;
    outcome_.cols = problem_.cols();
    outcome_.stages = tried.report.stages;
    if (outcome_.stages.empty())
      outcome_.stages = {{tried.report.method, "", {}, 0.0, tried.report.reason}};
    for (const Stage& stage : outcome_.stages)
      out_.stages.push_back(fmt::format(
          "{}{}{}: {}", stage.method,
          stage.predicted_seconds ? fmt::format(" ({:.3g} s)", *stage.predicted_seconds) : "",
          stage.why.empty() ? "" : ", because " + stage.why, stage.outcome));
    enter("auto", Kind::automatic, tried, out_.good);
  }

  // These methods have a set-up that does not check the time limit. They are left out if the
  // set-up alone would take much longer than auto.
  std::optional<std::string> too_long(const std::string& name) const {
    const auto n = static_cast<double>(problem_.rows()), d = static_cast<double>(problem_.cols());
    const double max_seconds = 5.0 + 10.0 * auto_s_;
    double seconds = 0.0;
    if (name == "direct" || name == "sketch-hbm") seconds = 2.0 * n * d * d / 2e10;
    if (name == "sketch-hbm") seconds = std::min(seconds, 24.0 * d * d * d / 2e10);
    if (name == "normal")
      seconds = (problem_.A().gram_products() + d * d * d / 3.0) / 1e10 + d * d * 8.0 / 1e9;
    if (name == "minibatch-hbm") seconds = 10.0 * d * d * d / 1e10;
    if (seconds <= max_seconds) return std::nullopt;
    return fmt::format("left out: would take about {:.2g} s", seconds);
  }

  // The time limit is 1.5 times that of auto: a slower method is not the best one.
  void try_method(const std::string& name) {
    Trial trial{name, "", {}, {}};
    if (const auto why = too_long(name)) {
      trial.outcome = *why;
    } else {
      const double limit = 1.5 * auto_s_ + 0.05;
      Tried tried = once(options_for(name, limit));
      trial.outcome = tried.report.status == Status::converged ? "converged" : tried.report.reason;
      trial.seconds = tried.seconds;
      trial.error = judge_.error(tried.report.x.view());
      trial.good = tried.report.status == Status::converged && judge_.good(tried.report.x.view());
      tried_.push_back(std::move(tried));
      places_.push_back(out_.trials.size());
    }
    out_.trials.push_back(std::move(trial));
  }

  void enter_best_methods() {
    double least = std::numeric_limits<double>::infinity();
    for (const Trial& trial : out_.trials)
      if (trial.good) least = std::min(least, *trial.seconds);
    for (std::size_t k = 0; k < tried_.size(); ++k) {
      Trial& trial = out_.trials[places_[k]];
      if (!trial.good || *trial.seconds > near_best * least) continue;
      trial.raced = true;
      enter(trial.method, Kind::fixed, tried_[k], true);
    }
  }

  // In NumPy: one product of matrices and a solve. Only where their x is accurate.
  void enter_normal_equations(ScriptPeer& script) {
    exchange_.emplace();
    exchange_->put(problem_);
    const bool dense = problem_.A().nonzeros() == problem_.rows() * problem_.cols();
    const std::string name = dense ? "normal" : "sparse_normal";
    const std::string folder = exchange_->path();
    const double seconds =
        script.measure(fmt::format("try_{} {} {}", name, folder, peer_limit_s), 1);
    if (std::isinf(seconds)) return;
    const double error = judge_.error(read_array(exchange_->file("x.npy"), true).view());
    out_.trials.push_back({"NumPy, " + name, "error of x", seconds, error, error <= peer_error});
    if (!(error <= peer_error)) return;
    race_.add({"NumPy, " + name, 0.0, [name, folder, &script](Index) {
                 return script.measure(fmt::format("solve_{} {}", name, folder), 1);
               }});
    outcome_.entrants.push_back({"NumPy, " + name, Kind::peer, true, error, 1.0, {}, true});
    round_s_ += seconds;
  }

  void set_least_times() {
    std::optional<double> others;
    for (const Entrant& one : outcome_.entrants) {
      if (one.kind == Kind::peer) continue;
      const double least = *std::min_element(one.seconds.begin(), one.seconds.end());
      if (one.kind == Kind::automatic)
        out_.least_seconds = least;
      else
        others = std::min(least, others.value_or(least));
    }
    if (others) out_.least_times = out_.least_seconds / *others;
  }

  Index min_rounds() const {
    if (round_s_ > 20.0) return 1;
    if (round_s_ > 4.0) return 3;
    return round_s_ > 0.4 ? 5 : 11;
  }

  Session& session_;
  std::optional<Exchange> exchange_;
  const VariedProblem what_;
  const Problem problem_;
  const QualityJudge judge_;
  Race race_;
  Outcome outcome_;
  VariedCase out_;
  std::vector<Tried> tried_;
  std::vector<std::size_t> places_;  // index of each in out_.trials
  double auto_s_ = 0.0, round_s_ = 0.0;
};

}  // namespace

QualityJudge::QualityJudge(const Problem& problem, ThreadTeam& team)
    : problem_(problem),
      best_(refined_least_squares(problem.A(), problem.b(), team)),
      norms_(to_size(problem.cols()), 0.0) {
  std::vector<double> of_rows(to_size(problem.rows()));
  problem.A().norms(0, problem.rows(), 1.0, of_rows, norms_);
  for (double& one : norms_) one = std::sqrt(one);
  allowed_ = allowed_error;
  if (unique()) allowed_ = std::max(allowed_, allowed_over_qr * best_.error);
  if (!best_.x_qr.empty())
    allowed_ = std::max(allowed_, allowed_over_qr * error(column(best_.x_qr)));
}

double QualityJudge::error(ConstView x) const {
  if (!unique()) return fit_error(x);
  std::vector<double> distance, size;
  for (Index j = 0; j < problem_.cols(); ++j) {
    const double d = norms_[to_size(j)], best = best_.x[to_size(j)];
    distance.push_back(d * (x(j, 0) - best));
    size.push_back(d * best);
  }
  const double all = norm(size);
  return all > 0.0 ? norm(distance) / all : norm(distance);
}

double QualityJudge::fit_error(ConstView x) const {
  const Index n = problem_.rows(), d = problem_.cols();
  std::vector<double> both;  // x − x* and x*
  for (Index j = 0; j < d; ++j) both.push_back(x(j, 0) - best_.x[to_size(j)]);
  both.insert(both.end(), best_.x.begin(), best_.x.end());
  std::vector<double> y(to_size(2 * n));
  problem_.A().multiply(0, n, {both.data(), 2, d, d}, {y.data(), n, 2, 2});
  double distance = 0.0, size = 0.0;
  for (Index i = 0; i < n; ++i) {
    distance += y[to_size(2 * i)] * y[to_size(2 * i)];
    size += y[to_size(2 * i + 1)] * y[to_size(2 * i + 1)];
  }
  return size > 0.0 ? std::sqrt(distance / size) : std::sqrt(distance);
}

bool QualityJudge::of_least_norm(ConstView x) const {
  std::vector<double> own, scaled, best_scaled;
  for (Index j = 0; j < problem_.cols(); ++j) {
    own.push_back(x(j, 0));
    scaled.push_back(norms_[to_size(j)] * x(j, 0));
    best_scaled.push_back(norms_[to_size(j)] * best_.x[to_size(j)]);
  }
  return norm(own) <= allowed_norm * norm(best_.x) ||
         norm(scaled) <= allowed_norm * norm(best_scaled);
}

bool QualityJudge::good(ConstView x) const {
  return error(x) <= allowed_ && (unique() || of_least_norm(x));
}

void measure_auto(Session& session) {
  const Options& options = session.options();
  for (const std::uint64_t seed : seeds_of(options.seeds, options.parity)) {
    session.show_step(fmt::format("seed {}: {}", seed, varied_problem(seed).text));
    session.varied.push_back(SeedContest(session, seed).run());
  }
  for (Goal& goal : varied_verdict(session.varied)) session.verdict.push_back(std::move(goal));
}

}  // namespace polyak::bench::internal
