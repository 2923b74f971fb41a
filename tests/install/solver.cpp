// Uses the installed solver alone: 0 when it does what it says.

#include <cmath>
#include <iostream>
#include <polyak/error.hpp>
#include <polyak/matrices.hpp>
#include <polyak/solve.hpp>
#include <polyak/version.hpp>
#include <string>
#include <vector>

namespace {

bool solves() {
  polyak::ProblemData data;
  data.A = polyak::dense_matrix(std::vector<double>{1, 2, 3, 4, 5, 6}, 3, 2);
  data.b = polyak::Array({-1, -1, -1}, 3);
  const polyak::Report report = polyak::solve(polyak::Problem(data));
  const polyak::ConstView x = report.x.view();
  return report.status == polyak::Status::converged && x.rows == 2 &&
         std::abs(x(0, 0) - 1) < 1e-6 && std::abs(x(1, 0) + 1) < 1e-6;
}

// An error that a shared library throws must be caught by its type.
bool refuses() {
  try {
    static_cast<void>(polyak::dense_matrix(std::vector<double>{1, 2, 3}, 3, 2));
  } catch (const polyak::Error& error) {
    return std::string(error.what()).size() > 0;
  }
  return false;
}

}  // namespace

int main() {
  const auto& build = polyak::build_info();
  std::cout << "polyak " << build.version << " (" << build.compiler << ", " << build.type << ", "
            << build.commit << ")\n";
  const bool right = solves() && refuses() && std::string(build.version) == polyak::version_string;
  return right ? 0 : 1;
}
