#include <algorithm>
#include <chrono>
#include <vector>

#include "cuda/problem.hpp"

namespace polyak::cuda {
using namespace polyak::internal;

namespace {

// 127 columns and b make a full tile of the Gram kernel. The rows exceed the L2 of any device.
constexpr Index columns = 127, rows = Index{1} << 18, block_bytes = Index{1} << 24;

void check(const device::Failure* failure) {
  if (failure != nullptr)
    throw Error(static_cast<ErrorCode>(failure->code),
                {.what = failure->what, .where = failure->where, .found = failure->found});
}

// The least of a few: the first one also loads the kernel.
template <class Body>
double seconds_of(Body body) {
  double least = 1e9;
  for (int i = 0; i < 4; ++i) {
    const auto start = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count());
  }
  return least;
}

std::shared_ptr<device::Problem> problem_of(int device, Index n) {
  device::Layout layout{};
  layout.n = n;
  layout.d = layout.stored_columns = columns;
  layout.right_hand_sides = 1;
  layout.scale_a = layout.scale_b = 1.0;
  return {make_problem(device, layout), [](device::Problem* p) { p->destroy(); }};
}

struct Times {
  double copy, gradient, gram;  // of all rows, seconds
};

Times times_of(int device, Index n) {
  const auto problem = problem_of(device, n);
  constexpr Index row_bytes = columns * static_cast<Index>(sizeof(double));
  const Index block = std::min(n, block_bytes / row_bytes);
  void* memory = nullptr;
  check(problem->staging(0, block * row_bytes, &memory));
  std::fill_n(static_cast<double*>(memory), block * columns, 0.375);
  double *x = nullptr, *g = nullptr, number = 0.0;
  check(problem->allocate(columns, &x));
  check(problem->allocate(columns, &g));
  const auto copy = [&] {
    for (Index first = 0; first < n; first += block)
      check(problem->write_rows(first, std::min(block, n - first), memory, columns));
    check(problem->read(x, &number, 1));
  };
  std::vector<double> H((columns + 1) * (columns + 1));
  Index additions = 0;
  const Times out{
      seconds_of(copy), seconds_of([&] {
        check(problem->gradient({n, nullptr, nullptr, 0}, x, g, &number));
      }),
      seconds_of([&] { check(problem->gram(1.0, nullptr, true, H.data(), &additions)); })};
  problem->release(x);
  problem->release(g);
  return out;
}

}  // namespace

device::Rates measure_rates(int device) {
  const Times none = times_of(device, 1), all = times_of(device, rows);
  const double n = static_cast<double>(rows), d = static_cast<double>(columns);
  const auto rate = [](double work, double with, double without) {
    return work / std::max(with - without, 0.1 * with);
  };
  return {.read_bytes = rate(8.0 * n * d, all.gradient, none.gradient),
          .bus_bytes = rate(8.0 * n * d, all.copy, none.copy),
          .gram_products = rate(n * (d + 1.0) * (d + 1.0), all.gram, none.gram),
          .start_seconds = none.gradient};
}

}  // namespace polyak::cuda
