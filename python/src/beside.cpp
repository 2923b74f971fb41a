#include "beside.hpp"

#include <chrono>

namespace polyak::python {
namespace {

constexpr double signal_every_s = 0.02;    // Python looks for Ctrl-C this often
constexpr double interrupt_grace_s = 0.2;  // for the call to end by itself

}  // namespace

void CallBeside::end(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  error_ = std::move(error);
  ended_ = true;
  changed_.notify_all();
}

bool CallBeside::ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

bool CallBeside::ended_within(double seconds) {
  const GilReleased released;
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return ended_; });
}

void CallBeside::wait(std::thread thread) {
  std::optional<nb::python_error> raised;
  while (!raised && !ended_within(signal_every_s))
    if (PyErr_CheckSignals() != 0) raised.emplace();
  if (raised) stop = true;
  if (raised && !ended_within(interrupt_grace_s)) {
    thread.detach();
    throw *raised;
  }
  {
    const GilReleased released;
    thread.join();
  }
  if (raised) throw *raised;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace polyak::python
