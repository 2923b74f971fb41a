#include "reproduce.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <string>

#include "polyak/experiments.hpp"
#include "signals.hpp"

namespace polyak::python {
namespace {

using experiments::Claim;
using experiments::Outcome;

template <class Value>
nb::object or_none(const std::optional<Value>& value) {
  return value ? nb::cast(*value) : nb::object(nb::none());
}

// Looks for Ctrl-C, and shows progress with it.
class PythonWatcher final : public experiments::Watcher {
 public:
  explicit PythonWatcher(nb::object show) : show_(std::move(show)) {}

  void progress(const std::string& what, double done, std::optional<double> left_s) override {
    what_ = what;
    done_ = done;
    left_s_ = left_s;
  }
  bool stop_requested() override {
    return look_.raised([&] {
      if (!show_.is_none()) show_(what_, done_, or_none(left_s_));
    });
  }
  void rethrow() const { look_.rethrow(); }

 private:
  nb::object show_;
  SignalLook look_;
  std::string what_;
  double done_ = 0.0;
  std::optional<double> left_s_;
};

nb::dict line(const Claim& claim) {
  nb::dict out;
  out["figure"] = claim.figure;
  out["panel"] = claim.panel;
  out["claim"] = claim.claim;
  out["expected"] = claim.expected;
  out["measured"] = claim.measured;
  out["holds"] = or_none(claim.pass);
  out["reason"] = claim.reason;
  return out;
}

nb::dict fields(const Outcome& outcome) {
  nb::dict out;
  nb::list claims;
  for (const Claim& claim : outcome.claims) claims.append(line(claim));
  out["claims"] = claims;
  out["files"] = outcome.files;
  out["runs_made"] = outcome.runs_made;
  out["runs_kept"] = outcome.runs_kept;
  out["notes"] = outcome.notes;
  out["seconds"] = outcome.seconds;
  return out;
}

nb::dict reproduce_python(const std::string& what, const std::string& folder,
                          std::optional<Index> trials, std::optional<Index> rows,
                          std::optional<std::uint64_t> seed, Index threads, bool force,
                          nb::object show) {
  const experiments::Options options{.out = folder,
                                     .trials = trials,
                                     .rows = rows,
                                     .seed = seed,
                                     .threads = threads,
                                     .force = force};
  PythonWatcher watcher(std::move(show));
  std::optional<Outcome> outcome;
  {
    const GilReleased released;
    outcome = experiments::reproduce(what, options, watcher);
  }
  watcher.rethrow();
  return fields(*outcome);
}

nb::list figures() {
  nb::list out;
  for (const auto& figure : experiments::figure_names())
    out.append(nb::make_tuple(figure.name, figure.title));
  return out;
}

}  // namespace

void define_reproduce(nb::module_& module) {
  module.def("reproduce", &reproduce_python, nb::arg("what"), nb::arg("folder"),
             nb::arg("trials").none(), nb::arg("rows").none(), nb::arg("seed").none(),
             nb::arg("threads"), nb::arg("force"), nb::arg("show").none());
  module.def("figures", &figures, "Names and titles of the figures.");
}

}  // namespace polyak::python
