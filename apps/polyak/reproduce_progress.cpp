#include "reproduce_progress.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "progress.hpp"
#include "signals.hpp"

namespace polyak::cli {
namespace {

constexpr double rewrite_every_s = 0.2;
constexpr double print_every_s = 10.0;

}  // namespace

std::string time_left(double seconds) {
  if (seconds < 100.0) return fmt::format("about {:.0f} s left", seconds);
  return fmt::format("about {:.0f} min left", seconds / 60.0);
}

ReproduceProgress::ReproduceProgress(Messages& messages)
    : messages_(messages), next_s_(clock_s() + (messages.live() ? 0.0 : print_every_s)) {
  catch_signals(messages.live());
}

void ReproduceProgress::progress(const std::string& what, double done,
                                 std::optional<double> left_s) {
  if (clock_s() < next_s_) return;
  next_s_ = clock_s() + (messages_.live() ? rewrite_every_s : print_every_s);
  nlohmann::ordered_json event{{"event", "progress"}, {"what", what}, {"done", done}};
  if (left_s) event["seconds_left"] = *left_s;
  messages_.event(event);
  const std::string text =
      fmt::format("{:.0f} %, {}{}", 100.0 * done, what, left_s ? ", " + time_left(*left_s) : "");
  if (messages_.live())
    messages_.status(text);
  else
    messages_.note("polyak: " + text);
}

bool ReproduceProgress::stop_requested() { return signal_received() != 0; }

}  // namespace polyak::cli
