#include "linalg/fortran.hpp"

#include <limits>
#include <string>

#include "polyak/error.hpp"

namespace polyak {
namespace {

constexpr BlasInt largest = std::numeric_limits<BlasInt>::max();

[[noreturn]] void too_large(const std::string& found) {
  throw Error(ErrorCode::internal, {.what = "a matrix is too large for a 32-bit BLAS",
                                    .found = found,
                                    .expected = "at most " + std::to_string(largest)});
}

}  // namespace

BlasInt blas_int(Index value) {
  if (value < 0 || value > largest) too_large(std::to_string(value));
  return static_cast<BlasInt>(value);
}

BlasInt blas_work(double size) {
  if (!(size <= static_cast<double>(largest))) too_large(std::to_string(size));
  return std::max<BlasInt>(1, static_cast<BlasInt>(size));
}

void check_arguments(const char* routine, BlasInt info) {
  if (info >= 0) return;
  throw Error(ErrorCode::internal,
              {.what = "LAPACK refused argument " + std::to_string(-info), .where = routine});
}

}  // namespace polyak
