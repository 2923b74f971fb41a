#include "solve/observers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/stopping.hpp"
#include "polyak/simd.hpp"

namespace polyak::cli {
namespace {

constexpr double rewrite_every_s = 0.1;  // on a terminal
constexpr double print_every_s = 5.0;

void put(nlohmann::ordered_json& object, const char* name, const std::optional<double>& value) {
  if (value) object[name] = *value;
}

// x0, clipped to the bounds.
std::vector<double> start_of(const Problem& problem) {
  const ConstView x0 = problem.x0();
  std::vector<double> out(x0.data, x0.data + x0.size());
  for (std::size_t i = 0; problem.has_bounds() && i < out.size(); ++i) {
    const std::size_t j = i % static_cast<std::size_t>(problem.cols());
    out[i] = std::clamp(out[i], problem.lower()[j], problem.upper()[j]);
  }
  return out;
}

void set_sizes(const Problem& problem, Report& out) {
  out.rows = problem.rows();
  out.cols = problem.cols();
  out.nnz = problem.A().nonzeros();
  out.right_hand_sides = problem.right_hand_sides();
  out.matrix = problem.A().kind();
  out.simd = simd_target();
}

void set_norms(const Measurement& line, Report& out) {
  out.residual_norm = line.residual_norm;
  out.gradient_norm = line.gradient_norm;
  out.relative_residual = line.relative_residual;
  out.relative_gradient = line.relative_gradient;
  out.error = line.error;
  out.certified = "full";
}

}  // namespace

Progress::Progress(Messages& messages, Index rows)
    : messages_(messages),
      rows_(std::max(1.0, static_cast<double>(rows))),
      started_s_(clock_s()),
      next_s_(started_s_ + (messages.live() ? rewrite_every_s : print_every_s)) {}

void Progress::measured(const Measurement& m) {
  last_ = m;
  if (messages_.json() && !messages_.quiet()) {
    nlohmann::ordered_json object{{"event", "measure"},
                                  {"iteration", m.iteration},
                                  {"row_products", m.row_products},
                                  {"seconds", m.seconds},
                                  {"residual_norm", m.residual_norm},
                                  {"gradient_norm", m.gradient_norm}};
    put(object, "relative_residual", m.relative_residual);
    put(object, "relative_gradient", m.relative_gradient);
    put(object, "error", m.error);
    messages_.event(object);
  }
  progress(m.iteration, m.row_products);
}

void Progress::progress(Index iteration, Index row_products) {
  if (clock_s() < next_s_) return;
  last_shown_ = described(iteration, row_products);
  show(last_shown_);
}

void Progress::within(const std::string& where) {
  if (clock_s() < next_s_) return;
  show(last_shown_.empty() ? where : last_shown_ + "; " + where);
}

std::string Progress::described(Index iteration, Index row_products) const {
  std::string text = fmt::format("iteration {}, {:.4g} passes", iteration,
                                 static_cast<double>(row_products) / rows_);
  if (last_.relative_residual) text += fmt::format(", residual {:.1e}", *last_.relative_residual);
  if (last_.relative_gradient) text += fmt::format(", gradient {:.1e}", *last_.relative_gradient);
  return text;
}

void Progress::show(const std::string& text) {
  const double now = clock_s();
  const std::string line = text + fmt::format(", {:.1f} s", now - started_s_);
  if (messages_.live())
    messages_.status(line);
  else
    messages_.note("polyak: " + line);
  next_s_ = now + (messages_.live() ? rewrite_every_s : print_every_s);
}

bool Progress::stop_requested() { return signal_received() != 0; }

void RunRecord::measured_x(ConstView x) {
  const std::lock_guard lock(mutex_);
  next_x_.assign(x.data, x.data + x.size());
  next_.measured_x(x);
}

void RunRecord::measured(const Measurement& m) {
  const std::lock_guard lock(mutex_);
  keep(m);
  next_.measured(m);
}

// Near the noise level residuals differ only in their last digits; then the later x
// is kept.
void RunRecord::keep(Measurement line) {
  constexpr double equal_within = 1e-6;  // relative
  if (!history_.empty() && line.iteration + previous_.iteration < history_.back().iteration)
    previous_ = history_.back();  // auto has started the next method
  line.iteration += previous_.iteration;
  line.row_products += previous_.row_products;
  line.seconds += previous_.seconds;
  history_.push_back(line);
  if (next_x_.empty()) return;
  if (which_ == KeptIterate::least_residual && !x_.empty() &&
      line.residual_norm > (1.0 + equal_within) * history_[best_].residual_norm)
    return;
  x_.swap(next_x_);
  best_ = history_.size() - 1;
}

void RunRecord::progress(Index iteration, Index row_products) {
  const std::lock_guard lock(mutex_);
  next_.progress(iteration, row_products);
}

bool RunRecord::stop_requested() { return next_.stop_requested(); }

bool RunRecord::snapshot_wanted(bool ending) {
  const std::lock_guard lock(mutex_);
  return next_.snapshot_wanted(ending);
}

void RunRecord::snapshot(Snapshot&& snapshot) {
  const std::lock_guard lock(mutex_);
  next_.snapshot(std::move(snapshot));
}

Report RunRecord::report(Status status, std::optional<double> limit_s) const {
  Report out;
  out.status = status;
  out.stopped_by = status == Status::limit ? StoppedBy::seconds : StoppedBy::request;
  out.reason = status == Status::limit ? fmt::format("time limit of {:g} s reached", *limit_s)
                                       : "stopped on request";
  out.reason += " in the middle of a long step; ";
  out.reason += x_.empty() ? "nothing was measured before, and x is the start"
                           : fmt::format("x is that of iteration {}, which was measured before",
                                         history_[best_].iteration);
  out.history = history_;
  if (history_.empty()) return out;
  out.iterations = history_.back().iteration;
  out.row_products = history_.back().row_products;
  out.seconds.solve = history_.back().seconds;
  if (!x_.empty()) set_norms(history_[best_], out);
  return out;
}

Report report_of(const RunRecord& record, const Problem& problem, const SolveOptions& options,
                 Status status) {
  Report out = record.report(status, options.time_limit_s);
  out.method = options.method;
  out.asked = options;
  out.used.tol = options.tol;
  out.seed = options.seed;
  set_sizes(problem, out);
  out.disk = disk_use(problem.A());
  if (out.rows > 0)
    out.passes = static_cast<double>(out.row_products) / static_cast<double>(out.rows);
  const Index d = problem.cols(), c = problem.right_hand_sides();
  const std::vector<double> x = record.has_x() ? record.x() : start_of(problem);
  out.x = transposed({x.data(), c, d, d});
  return out;
}

}  // namespace polyak::cli
