#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "signals.hpp"

namespace polyak::cli {
namespace {

constexpr double rewrite_every_s = 0.1;
constexpr double print_every_s = 5.0;

void put(nlohmann::ordered_json& object, const char* name, const std::optional<double>& value) {
  if (value) object[name] = *value;
}

}  // namespace

double clock_s() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

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
  show(iteration, row_products);
  next_s_ = clock_s() + (messages_.live() ? rewrite_every_s : print_every_s);
}

void Progress::show(Index iteration, Index row_products) {
  std::string text = fmt::format("iteration {}, {:.4g} passes", iteration,
                                 static_cast<double>(row_products) / rows_);
  if (last_.relative_residual) text += fmt::format(", residual {:.1e}", *last_.relative_residual);
  if (last_.relative_gradient) text += fmt::format(", gradient {:.1e}", *last_.relative_gradient);
  text += fmt::format(", {:.1f} s", clock_s() - started_s_);
  if (messages_.live())
    messages_.status(text);
  else
    messages_.note("polyak: " + text);
}

bool Progress::stop_requested() { return signal_received() != 0; }

}  // namespace polyak::cli
