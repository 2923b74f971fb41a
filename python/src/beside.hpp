#pragma once

// A long call of the library in a second thread, so that Ctrl-C ends the wait for it at once. A
// step that never looks for a request to stop is left behind, and its result is dropped.

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/without_signals.hpp"
#include "python.hpp"

namespace polyak::python {

/// Starts a thread that may outlive the call of Python. Python's signal handlers run in the main
/// thread only, so this one gets no signals but those it causes itself.
template <class Body>
std::thread start_thread(Body body) {
  const WithoutSignals masked;
  auto counted = std::make_unique<GoesOn>();
  return std::thread(
      [counted = std::move(counted), held = std::optional<Body>(std::move(body))]() mutable {
        (*held)();
        held.reset();  // while it is counted
      });
}

/// Shared by the two threads, and alive until the later of them has left.
class CallBeside {
 public:
  std::atomic<bool> stop = false;

  /// In the second thread.
  void end(std::exception_ptr error);
  /// With the GIL, in the thread of the caller: returns when the call has ended, and throws what it
  /// has thrown. After Ctrl-C `stop` is true, and a call that does not end soon is left behind.
  void wait(std::thread thread);

  bool ended();

 private:
  bool ended_within(double seconds);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::exception_ptr error_;
};

/// work(stop) in a second thread. `work` owns all that it uses. Where Ctrl-C has ended the wait and
/// the call has ended soon after it, salvage(error, value) may keep what it has made.
template <class Work, class Salvage>
auto beside(Work work, Salvage salvage) {
  using Value = std::invoke_result_t<Work&, const std::atomic<bool>&>;
  struct Call : CallBeside {
    std::optional<Value> value;
  };
  const auto call = std::make_shared<Call>();
  auto body = [call, work = std::move(work)]() mutable {
    std::exception_ptr error;
    try {
      call->value.emplace(work(std::as_const(call->stop)));
    } catch (...) {
      error = std::current_exception();
    }
    call->end(std::move(error));
  };
  try {
    call->wait(start_thread(std::move(body)));
  } catch (nb::python_error& error) {
    if (call->ended() && call->value) salvage(error, std::move(*call->value));
    throw;
  }
  return std::move(*call->value);
}

template <class Work>
auto beside(Work work) {
  return beside(std::move(work), [](auto&, auto&&) {});
}

}  // namespace polyak::python
