// [PATH PREFIX]: the BLAS that is loaded at the first call, that of the system or the one named, in
// one line; 1 where the environment was changed, 2 where a choice was wrongly refused or taken.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "linalg/vendor.hpp"
#include "polyak/blas.hpp"

int main(int count, char** arguments) {
  const auto value = [](const char* name) {
    const char* found = std::getenv(name);
    return std::string(found == nullptr ? "none" : found);
  };
  const std::string core = value("OPENBLAS_CORETYPE"), threads = value("OPENBLAS_NUM_THREADS");
  if (count == 3 && !polyak::use_blas_library({arguments[1], arguments[2]})) return 2;
  std::puts(polyak::internal::blas_name().c_str());
  if (polyak::use_blas_library({"too_late.so"})) return 2;
  return core == value("OPENBLAS_CORETYPE") && threads == value("OPENBLAS_NUM_THREADS") ? 0 : 1;
}
