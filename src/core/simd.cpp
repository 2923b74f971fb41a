#include "polyak/simd.hpp"

#include <hwy/highway.h>

#include <cstdint>

namespace polyak {
namespace {

// HWY_TARGETS are those this build has code for; the lowest bit is the best.
std::vector<std::int64_t> usable() { return hwy::SupportedAndGeneratedTargets(); }

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
  const std::string now = simd_target();
  hwy::SetSupportedTargetsForTest(0);
  std::vector<std::string> out;
  for (const std::int64_t target : usable()) out.push_back(name_of(target));
  use_simd_target(now);
  return out;
}

std::string simd_target() { return name_of(usable().front()); }

bool use_simd_target(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);
  for (const std::int64_t target : usable()) {
    if (name_of(target) != name) continue;
    hwy::SetSupportedTargetsForTest(target);
    return true;
  }
  return false;
}

}  // namespace polyak
