#include "run.hpp"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

#include "core/without_signals.hpp"
#include "polyak/error.hpp"
#include "record.hpp"

namespace polyak::python {
using namespace polyak::internal;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds signal_every{0.02};    // Python looks for Ctrl-C this often
constexpr Seconds progress_every{0.1};   // and shows progress
constexpr Seconds interrupt_grace{0.2};  // for the run to end by itself

nb::object measurement(const Measurement& m) {
  const auto value = [](const std::optional<double>& v) {
    return v ? nb::cast(*v) : nb::object(nb::none());
  };
  return nb::make_tuple(m.iteration, m.row_products, m.seconds, m.residual_norm, m.gradient_norm,
                        value(m.relative_residual), value(m.relative_gradient), value(m.error));
}

// d × c, as users see it.
nb::object numpy_x(const std::vector<double>& x, Index vectors) {
  const Index length = vectors > 0 ? std::ssize(x) / vectors : 0;
  std::vector<double> out(x.size());
  for (Index c = 0; c < vectors; ++c)
    for (Index j = 0; j < length; ++j) out[to_size(j * vectors + c)] = x[to_size(c * length + j)];
  return new_array(out.data(), {to_size(length), to_size(vectors)});
}

// The Python side of a run: callbacks and signals. Used with the GIL, in one thread.
class Caller {
 public:
  explicit Caller(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}

  bool wants_measurements() const { return !callbacks_.measured.is_none(); }
  bool failed() const { return raised_ != nullptr; }
  std::shared_ptr<nb::python_error> raised() const { return raised_; }

  void measured(const Measurement& m, const std::vector<double>& x, Index vectors) {
    guarded([&] { callbacks_.measured(numpy_x(x, vectors), measurement(m)); });
  }
  void look_around(const Progress& now) {
    guarded([&] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (callbacks_.progress.is_none() || Clock::now() - shown_ < progress_every) return;
      shown_ = Clock::now();
      callbacks_.progress(now.iteration, now.row_products, now.residual);
    });
  }

 private:
  // The first exception is kept; nothing is called after it.
  template <class Call>
  void guarded(Call call) {
    if (failed()) return;
    try {
      call();
    } catch (nb::python_error& error) {
      raised_ = std::make_shared<nb::python_error>(error);
    }
  }

  Callbacks callbacks_;
  Clock::time_point shown_ = Clock::now();
  std::shared_ptr<nb::python_error> raised_;
};

// ---- Small problems: everything in the thread of the caller ------------------------

class DirectObserver final : public Observer {
 public:
  DirectObserver(Caller& caller, RunRecord& record) : caller_(caller), record_(record) {}

  void measured_x(ConstView x) override { record_.measured_x(x); }
  void measured(const Measurement& m) override {
    record_.measured(m);
    if (!caller_.wants_measurements()) return;
    const PythonUse use;
    if (use.refused()) return;
    const nb::gil_scoped_acquire gil;
    caller_.measured(m, record_.latest_x(), record_.vectors());
  }
  void progress(Index iteration, Index row_products) override {
    record_.progress(iteration, row_products);
  }
  bool stop_requested() override {
    const auto now = Clock::now();
    if (now - looked_ >= signal_every) {
      looked_ = now;
      const PythonUse use;
      if (use.refused()) return false;
      const nb::gil_scoped_acquire gil;
      caller_.look_around(record_.now());
    }
    return caller_.failed();
  }

 private:
  Caller& caller_;
  RunRecord& record_;
  Clock::time_point looked_ = Clock::now();
};

std::shared_ptr<const Report> shared_report(Report report) {
  return std::make_shared<const Report>(std::move(report));
}

// A function of Python that A is made of may raise in the middle of a step.
Ended run_here(const Problem& problem, const SolveOptions& options, Caller& caller) {
  RunRecord record;
  DirectObserver observer(caller, record);
  std::shared_ptr<const Report> report;
  try {
    const GilReleased released;
    report = shared_report(solve(problem, options, &observer));
  } catch (nb::python_error& error) {
    return {shared_report(record.report(problem, options)),
            std::make_shared<nb::python_error>(error)};
  }
  return {std::move(report), caller.raised()};
}

// ---- Large problems: in a second thread, so that the caller can leave --------------

// Shared by the two threads, and alive until the later of them has left.
struct Shared {
  Shared(Problem p, SolveOptions o) : problem(std::move(p)), options(std::move(o)) {}

  const Problem problem;
  const SolveOptions options;
  std::atomic<bool> stop = false;

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  RunRecord record;
  bool wants_call = false;  // of the callback, for the latest measurement
  bool ended = false;
  std::shared_ptr<const Report> report;
  std::exception_ptr error;
};

class RemoteObserver final : public Observer {
 public:
  RemoteObserver(Shared& shared, bool calls) : shared_(shared), calls_(calls) {}

  void measured_x(ConstView x) override {
    const std::lock_guard lock(shared_.mutex);
    shared_.record.measured_x(x);
  }
  void measured(const Measurement& m) override {
    std::unique_lock lock(shared_.mutex);
    shared_.record.measured(m);
    if (!calls_ || shared_.stop) return;
    shared_.wants_call = true;
    shared_.changed.notify_all();
    shared_.changed.wait(lock, [&] { return !shared_.wants_call || shared_.stop; });
  }
  void progress(Index iteration, Index row_products) override {
    const std::lock_guard lock(shared_.mutex);
    shared_.record.progress(iteration, row_products);
  }
  bool stop_requested() override { return shared_.stop; }

 private:
  Shared& shared_;
  bool calls_;
};

void work(const std::shared_ptr<Shared>& shared, bool calls) {
  std::shared_ptr<const Report> report;
  std::exception_ptr error;
  try {
    RemoteObserver observer(*shared, calls);
    report = shared_report(solve(shared->problem, shared->options, &observer));
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(shared->mutex);
  shared->report = std::move(report);
  shared->error = error;
  shared->ended = true;
  shared->changed.notify_all();
}

// Python's signal handlers run in the main thread only, so the thread of a run gets no signals but
// those it causes itself.
std::thread start(std::shared_ptr<Shared> shared, bool calls) {
  const WithoutSignals masked;
  auto counted = std::make_unique<GoesOn>();
  return std::thread([counted = std::move(counted), shared = std::move(shared), calls]() mutable {
    work(shared, calls);
    shared.reset();
  });
}

class RemoteRun {
 public:
  RemoteRun(Problem problem, SolveOptions options, Caller& caller)
      : caller_(caller),
        shared_(std::make_shared<Shared>(std::move(problem), std::move(options))) {}
  /// Where an exception has left run(): the run goes on to its next look, without this thread.
  ~RemoteRun() {
    if (!thread_.joinable()) return;
    stop();
    thread_.detach();
  }
  RemoteRun(const RemoteRun&) = delete;
  RemoteRun& operator=(const RemoteRun&) = delete;

  Ended run() {
    thread_ = start(shared_, caller_.wants_measurements());
    while (!wait(signal_every)) attend();
    return caller_.failed() ? leave() : finish();
  }

 private:
  // Without the GIL, until the run ends, calls, or the time is over. True where this thread has
  // nothing more to wait for.
  bool wait(Seconds time) {
    const GilReleased released;
    std::unique_lock lock(shared_->mutex);
    const auto ready = [&] { return shared_->ended || shared_->wants_call; };
    shared_->changed.wait_for(lock, time, ready);
    return shared_->ended || shared_->stop;
  }

  // With the GIL: the callback, signals, progress.
  void attend() {
    bool wanted = false;
    Measurement line;
    std::vector<double> x;
    Index vectors = 0;
    Progress now;
    {
      const std::lock_guard lock(shared_->mutex);
      wanted = shared_->wants_call;
      if (wanted) {
        line = shared_->record.history().back();
        x = shared_->record.latest_x();
        vectors = shared_->record.vectors();
      }
      now = shared_->record.now();
    }
    if (wanted) caller_.measured(line, x, vectors);
    caller_.look_around(now);
    if (caller_.failed()) return stop();
    if (!wanted) return;
    const std::lock_guard lock(shared_->mutex);
    shared_->wants_call = false;
    shared_->changed.notify_all();
  }

  void stop() {
    const std::lock_guard lock(shared_->mutex);
    shared_->wants_call = false;
    shared_->stop = true;
    shared_->changed.notify_all();
  }

  void join() {
    const GilReleased released;
    thread_.join();
  }

  Ended finish() {
    join();
    if (!shared_->error) return {shared_->report, caller_.raised()};
    try {
      std::rethrow_exception(shared_->error);
    } catch (nb::python_error& error) {
      return {recorded(), std::make_shared<nb::python_error>(error)};
    }
  }

  // An exception of Python ends the run. It has a moment to end by itself and give its report;
  // inside a long step (a factorisation) it is left behind and ends later.
  Ended leave() {
    if (!ends_soon()) {
      thread_.detach();
      return {recorded(), caller_.raised()};
    }
    join();
    return {shared_->report ? shared_->report : recorded(), caller_.raised()};
  }

  bool ends_soon() {
    const GilReleased released;
    std::unique_lock lock(shared_->mutex);
    shared_->changed.wait_for(lock, interrupt_grace, [&] { return shared_->ended; });
    return shared_->ended;
  }

  std::shared_ptr<const Report> recorded() {
    const std::lock_guard lock(shared_->mutex);
    return shared_report(shared_->record.report(shared_->problem, shared_->options));
  }

  Caller& caller_;
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

// Work that ends within milliseconds, or soon looks for signals; a thread would cost more.
bool is_small(const Problem& problem) {
  constexpr double max_entries = 2e5, max_products = 2e7;
  const auto entries = static_cast<double>(problem.A().nonzeros());
  return entries <= max_entries && entries * static_cast<double>(problem.cols()) <= max_products;
}

}  // namespace

Ended run_solve(Problem problem, SolveOptions options, Callbacks callbacks) {
  Caller caller(std::move(callbacks));
  if (is_small(problem)) return run_here(problem, options, caller);
  return RemoteRun(std::move(problem), std::move(options), caller).run();
}

std::atomic<int>& PythonUse::inside() {
  static std::atomic<int> count{0};
  return count;
}

std::atomic<std::thread::id>& PythonUse::ended_by() {
  static std::atomic<std::thread::id> thread{};
  return thread;
}

std::atomic<int>& GoesOn::count() {
  static std::atomic<int> count{0};
  return count;
}

// A run that goes on must not use what the end of the process destroys, so the process ends
// before that, when Python has ended already. A forked process has one thread: the runs of the
// others do not exist there.
void define_runs(nb::module_&) {
  ::pthread_atfork(nullptr, nullptr, [] { PythonUse::inside() = GoesOn::count() = 0; });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    PythonUse::ended_by() = std::this_thread::get_id();
    if (GoesOn::count() > 0) nb::set_leak_warnings(false);  // their data are in use to the end
    const GilReleased released;
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (PythonUse::inside() > 0 && std::chrono::steady_clock::now() < last)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }));
  ::on_exit(
      [](int status, void*) {
        if (GoesOn::count() <= 0) return;
        std::fflush(nullptr);
        ::_exit(status);
      },
      nullptr);
}

}  // namespace polyak::python
