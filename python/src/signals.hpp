#pragma once

// Ctrl-C during a long call that stays in the thread of the caller.

#include <chrono>
#include <memory>

#include "python.hpp"

namespace polyak::python {

/// Asked often, without the GIL, in the thread that Python called; looks for signals, and calls
/// whatever else Python has to do, every 20 ms. The first exception is kept.
class SignalLook {
 public:
  /// True once Python has raised an exception. `also` is called with the GIL.
  template <class Also>
  bool raised(Also also) {
    const auto now = Clock::now();
    if (raised_ || now - looked_ < every) return raised_ != nullptr;
    looked_ = now;
    const PythonUse use;
    if (use.refused()) return false;  // a daemon thread: the end of the process ends it
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      also();
    } catch (nb::python_error& error) {
      raised_ = std::make_shared<nb::python_error>(error);
    }
    return raised_ != nullptr;
  }
  bool raised() {
    return raised([] {});
  }
  /// With the GIL.
  void rethrow() const {
    if (raised_) throw *raised_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds every{20};

  Clock::time_point looked_ = Clock::now();
  std::shared_ptr<nb::python_error> raised_;
};

}  // namespace polyak::python
