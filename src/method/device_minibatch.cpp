#include <cstdint>
#include <utility>
#include <vector>

#include "backend/device_backend.hpp"
#include "backend/device_library.hpp"
#include "method/method.hpp"

namespace polyak::internal {
namespace {

enum class Momentum : int { none = 0, heavy_ball = 1, nesterov = 2 };  // as in device::Iterations

// The minibatch methods on a device that runs iterations first .. last−1 in one launch: draws,
// look-up, gradient and step. The rows drawn are those of the CPU; a state has the same vectors
// as there (gradient_methods.cpp), so that a run can be continued on either.
class DeviceMinibatch final : public Method {
 public:
  DeviceMinibatch(const Setting& setting, DeviceBackend& device, Momentum momentum)
      : Method(setting), device_(device), momentum_(momentum), previous_(saved_start()) {
    if (momentum != Momentum::none) save_block(previous_);
    const std::vector<std::uint64_t> starts = setting.sampler->table().starts();
    check(device_.problem().write_sampling(starts.data()));
  }

  void advance(Index first, Index last) override {
    if (last <= first) return;
    const Parameters& p = setting_.parameters;
    for (auto* schedule : {&alpha_, &beta_}) schedule->assign(to_size(last - first), 0.0);
    for (Index k = first; k < last; ++k) {
      alpha_[to_size(k - first)] = unit_ * p.step_size(k);
      if (momentum_ != Momentum::none) beta_[to_size(k - first)] = p.momentum(k);
    }
    check(
        device_.problem().iterate({static_cast<int>(momentum_), p.seed, stream::sampling + p.stream,
                                   p.batch, first, last, alpha_.data(), beta_.data()},
                                  device_.data(x_), device_.data(previous_)));
    counters_.row_products += (last - first) * p.batch;
    counters_.iteration = last;
  }

 private:
  DeviceBackend& device_;
  Momentum momentum_;
  Block previous_;  // x_{k−1}
  std::vector<double> alpha_, beta_;
};

// Null where one launch does not cover the setting: the operations of the backend do.
std::unique_ptr<Method> make(const Setting& setting, Momentum momentum) {
  auto* device = dynamic_cast<DeviceBackend*>(&setting.backend);
  const Parameters& p = setting.parameters;
  const bool covered = device && setting.sampler && p.replicates == 1 &&
                       setting.problem.right_hand_sides() == 1 && setting.problem.ridge() == 0.0 &&
                       setting.problem.lower().empty() && device->problem().iterates();
  if (!covered) return nullptr;
  return std::make_unique<DeviceMinibatch>(setting, *device, momentum);
}

}  // namespace

std::unique_ptr<Method> make_device_gradient_descent(const Setting& setting) {
  return make(setting, Momentum::none);
}
std::unique_ptr<Method> make_device_heavy_ball(const Setting& setting) {
  return make(setting, Momentum::heavy_ball);
}
std::unique_ptr<Method> make_device_nesterov(const Setting& setting) {
  return make(setting, Momentum::nesterov);
}

}  // namespace polyak::internal
