// Uses the installed library: 0 when it does what it says.

#include <iostream>
#include <polyak/error.hpp>
#include <polyak/matrices.hpp>
#include <polyak/version.hpp>
#include <string>
#include <vector>

int main() {
  const auto A = polyak::dense_matrix(std::vector<double>{1, 2, 3, 4, 5, 6}, 3, 2);
  const std::vector<double> x{1, -1};
  std::vector<double> y(3);
  A->multiply(0, 3, {x.data(), 1, 2, 2}, {y.data(), 3, 1, 1});

  const polyak::Error error(polyak::ErrorCode::usage, {.what = "no such thing", .where = "here"});
  const auto& build = polyak::build_info();
  std::cout << "polyak " << build.version << " (" << build.compiler << ", " << build.type << ", "
            << build.commit << ")\n";

  const bool right = A->rows() == 3 && A->cols() == 2 && y == std::vector<double>{-1, -1, -1} &&
                     std::string(error.what()) == "here: no such thing" &&
                     std::string(build.version) == polyak::version_string;
  return right ? 0 : 1;
}
