// The library's side of bounds.py: bounded least squares, timed call by call.
//
//   bench_bounds
//
// A line on standard input names a folder, a method and a number of calls: the folder holds
// A.npy, b.npy, lower.npy and upper.npy. The answer is the seconds of one call of solve() with
// everything in memory, as SciPy's functions have it: the mean of the calls. x goes to x.npy
// there. One thread. Under the test suite (any argument) it solves a small problem.

#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "polyak/io.hpp"
#include "polyak/solve.hpp"

namespace polyak {
namespace {

std::vector<double> numbers(const Array& array) {
  return {array.view().data, array.view().data + array.view().size()};
}

// A mapped file would be read by system calls, row by row, where a few rows are looked at.
MatrixPtr in_memory(const RowMatrix& A) {
  std::vector<double> values(static_cast<std::size_t>(A.rows() * A.cols()));
  A.copy_rows(0, A.rows(), {values.data(), A.rows(), A.cols(), A.cols()});
  return dense_matrix(std::move(values), A.rows(), A.cols());
}

Problem load(const std::string& folder) {
  ProblemData parts;
  parts.A = in_memory(*read_table(folder + "/A.npy").A);
  parts.b = read_array(folder + "/b.npy");
  parts.lower = numbers(read_array(folder + "/lower.npy", true));
  parts.upper = numbers(read_array(folder + "/upper.npy", true));
  return Problem(std::move(parts));
}

double seconds_of(const Problem& problem, const std::string& method, int calls, Array& x) {
  SolveOptions options;
  options.method = method;
  options.threads = 1;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) x = solve(problem, options).x;
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / calls;
}

int brief() {
  ProblemData parts;
  parts.A = dense_matrix(std::vector<double>{1, 2, 3, 4, 5, 7}, 3, 2);
  parts.b = Array({1.0, 1.0, -1.0}, 3, 1);
  parts.lower = {0.0};
  Array x;
  const double seconds = seconds_of(Problem(parts), "active-set", 3, x);
  std::printf("3 x 2: x = %g %g, %.1e s\n", x(0, 0), x(1, 0), seconds);
  return x(0, 0) >= 0.0 && x(1, 0) >= 0.0 ? 0 : 1;
}

int serve() {
  std::string line, folder, method, last;
  std::optional<Problem> problem;
  int calls = 0;
  while (std::getline(std::cin, line)) {
    std::istringstream(line) >> folder >> method >> calls;
    if (folder != last) problem.emplace(load(last = folder));
    Array x;
    std::printf("%.9e\n", seconds_of(*problem, method, calls, x));
    write_array(folder + "/x.npy", x.view());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace polyak

int main(int argc, char**) { return argc > 1 ? polyak::brief() : polyak::serve(); }
