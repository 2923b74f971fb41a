#include "polyak/simd.hpp"

#include <hwy/highway.h>

#include <cstdint>

namespace polyak {
namespace {

// The targets of this machine and this build, the best first. Determined once, before
// use_simd_target() restricts Highway to one of them.
const std::vector<std::int64_t>& usable() {
  static const std::vector<std::int64_t> all = hwy::SupportedAndGeneratedTargets();
  return all;
}

// Highway asks the processor every time, 20 µs on a virtual machine.
std::int64_t& chosen() {
  static std::int64_t target = usable().front();
  return target;
}

std::string name_of(std::int64_t target) {
  switch (target) {
    case HWY_AVX3: return "avx512";
    case HWY_AVX2: return "avx2";
    case HWY_NEON: return "neon";
    default: return "plain";
  }
}

}  // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> out;
  for (const std::int64_t target : usable()) out.push_back(name_of(target));
  return out;
}

std::string simd_target() { return name_of(chosen()); }

bool use_simd_target(const std::string& name) {
  for (const std::int64_t target : usable()) {
    if (name_of(target) != name) continue;
    hwy::SetSupportedTargetsForTest(target);
    chosen() = target;
    return true;
  }
  return false;
}

}  // namespace polyak
