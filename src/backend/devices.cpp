#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "backend/device_backend.hpp"
#include "backend/device_library.hpp"
#include "backend/host_backend.hpp"
#include "kernels/dense.hpp"
#include "polyak/option_table.hpp"
#include "polyak/simd.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

struct Devices {
  std::mutex mutex;
  std::map<std::string, MakeBackend> makers;
};

Devices& devices() {
  static Devices all{{}, {{"cpu", [](const BackendProblem& problem) -> std::unique_ptr<Backend> {
                             return std::make_unique<HostBackend>(problem);
                           }}}};
  return all;
}

double rounded(double rate) { return std::exp2(std::round(2.0 * std::log2(rate)) / 2.0); }

DeviceRates measured_rates(int device) {
  device::Rates found;
  check(cuda_library().rates(device, &found));
  return {rounded(found.read_bytes), rounded(found.bus_bytes), rounded(found.gram_products),
          rounded(found.start_seconds)};
}

}  // namespace

std::vector<double> Backend::host_copy(const Block& block) {
  std::vector<double> out(to_size(block.size()));
  const bool unknowns = block.kind() == Block::Kind::unknowns;
  const Index rows = unknowns ? block.vectors() : block.length();
  const Index cols = unknowns ? block.length() : block.vectors();
  read(block, {out.data(), rows, cols, cols});
  return out;
}

void Backend::axpby(double alpha, const Block& x, double beta, const Block& y) {
  alphas_.assign(to_size(y.vectors()), alpha);
  betas_.assign(alphas_.size(), beta);
  axpby(alphas_, x, betas_, y);
}

void Backend::accelerated_row_steps(std::span<const Index> rows,
                                    std::span<const AcceleratedStep> steps, double unit,
                                    const Block& x, const Block& v) {
  const Block y = make(Block::Kind::unknowns, x.vectors());
  const Block s = make(Block::Kind::unknowns, x.vectors());
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const auto [step, al, be, g] = steps[t];
    const Batch row{rows.subspan(t, 1), {&steps[t].step, 1}};
    copy(v, y);
    axpby(1.0 - al, x, al, y);
    batch_gradient({&row, 1}, y, s, nullptr);
    copy(y, x);
    axpby(-unit, s, 1.0, x);
    axpby(1.0 - be, y, be, v);
    axpby(-g * unit, s, 1.0, v);
  }
}

void internal::register_device(const std::string& name, MakeBackend make) {
  const std::lock_guard lock(devices().mutex);
  devices().makers[name] = make;
}

std::vector<std::string> internal::device_names() {
  const std::lock_guard lock(devices().mutex);
  std::vector<std::string> out;
  for (const auto& [name, make] : devices().makers) out.push_back(name);
  return out;
}

std::string device_named(const std::string& asked) {
  if (asked == "auto") return "cpu";
  const std::vector<std::string> names = device_names();
  if (std::find(names.begin(), names.end(), asked) != names.end()) return asked;
  if (const int number = cuda_number(asked); number >= 0) {
    const std::string name = cuda_device_named(asked);
    register_device(name, [number](const BackendProblem& problem) -> std::unique_ptr<Backend> {
      return std::make_unique<DeviceBackend>(number, problem);
    });
    return name;
  }
  std::string expected = "auto";
  for (const std::string& name : names) expected += ", " + name;
  throw Error(ErrorCode::usage, {.what = "there is no such device",
                                 .where = option_name("device"),
                                 .found = asked,
                                 .expected = expected + ", cuda[:N]"});
}

// The instructions of the kernels and what was measured on this processor to choose them.
static std::string cpu_description() {
  const bool by_software = kernels::choose_range_prefetch();
  return "the threads of this process, " + simd_target() +
         (by_software ? ", rows prefetched by software" : ", rows prefetched by the processor");
}

DeviceList list_devices() {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  DeviceList out;
  out.devices.push_back({"cpu", cpu_description(), "",
                         page * static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)),
                         page * static_cast<std::uint64_t>(::sysconf(_SC_AVPHYS_PAGES))});
  try {
    int count = 0;
    check(cuda_library().count(&count));
    for (int i = 0; i < count; ++i) {
      device::Facts facts;
      check(cuda_library().facts(i, &facts));
      out.devices.push_back({"cuda:" + std::to_string(i), facts.name,
                             std::to_string(facts.major) + "." + std::to_string(facts.minor),
                             facts.memory_bytes, facts.free_bytes});
    }
  } catch (const Error& e) {
    out.no_cuda = e.parts().what + (e.parts().hint.empty() ? "" : "; " + e.parts().hint);
  }
  return out;
}

std::unique_ptr<Backend> internal::make_backend(const std::string& device,
                                                const BackendProblem& problem) {
  const std::string name = device_named(device);
  const auto make = [&] {
    const std::lock_guard lock(devices().mutex);
    return devices().makers.at(name);
  }();
  return make(problem);
}

std::optional<DeviceRates> internal::device_rates(const std::string& device) {
  static std::mutex mutex;
  static std::map<int, DeviceRates> known;
  const int number = cuda_number(device_named(device));
  if (number < 0) return std::nullopt;
  const std::lock_guard lock(mutex);
  const auto found = known.find(number);
  return found != known.end() ? found->second
                              : known.emplace(number, measured_rates(number)).first->second;
}

std::shared_ptr<RowSums> internal::copied_rows(const std::string& device,
                                               const BackendProblem& problem) {
  const int number = cuda_number(device_named(device));
  if (number < 0 || !DeviceRows::independent_of_norms(problem.A)) return nullptr;
  return std::make_shared<DeviceRows>(number, problem);
}

}  // namespace polyak
