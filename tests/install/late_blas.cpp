// The BLAS that is loaded at the first call, in one line; 1 where the environment was changed.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "linalg/vendor.hpp"

int main() {
  const auto value = [](const char* name) {
    const char* found = std::getenv(name);
    return std::string(found == nullptr ? "none" : found);
  };
  const std::string core = value("OPENBLAS_CORETYPE"), threads = value("OPENBLAS_NUM_THREADS");
  std::puts(polyak::blas_name().c_str());
  return core == value("OPENBLAS_CORETYPE") && threads == value("OPENBLAS_NUM_THREADS") ? 0 : 1;
}
