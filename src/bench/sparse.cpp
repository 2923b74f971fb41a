#include <fmt/format.h>

#include <algorithm>

#include "bench/session.hpp"
#include "matrix/products.hpp"

// Sparse rows of tomography's shape against SciPy.

namespace polyak::bench {
namespace {

constexpr Index entries = 58;
constexpr double part = 0.06;

struct Sparse {
  MatrixPtr A;
  std::vector<double> b, x, g, weights;
};

// The sizes that bench/peers.py takes.
Sparse make(Session& session) {
  const Index quarter = session.options().rows / 4;
  const Index rows = std::max<Index>(quarter, 1000);
  const Index cols = std::clamp<Index>(quarter, 64, 65536);
  Sparse out;
  out.A = csr_matrix(line_matrix(rows, cols, entries, session.options().seed));
  out.b.assign(to_size(rows), 1.0);
  out.weights = out.b;
  out.x.assign(to_size(cols), 0.5);
  out.g = out.x;
  return out;
}

ConstView column(const std::vector<double>& b) { return {b.data(), std::ssize(b), 1, 1}; }
ConstView one(const std::vector<double>& x) { return {x.data(), 1, std::ssize(x), std::ssize(x)}; }
View one(std::vector<double>& x) { return {x.data(), 1, std::ssize(x), std::ssize(x)}; }

void batch(Session& session, Sparse& data, Index size) {
  FreshRows rows(data.A->rows(), size, session.options().seed);
  Products products(*data.A, {}, {}, session.team());
  const std::span<const double> weights(data.weights.data(), to_size(size));
  const double bytes =
      data.A->bytes() * static_cast<double>(size) / static_cast<double>(data.A->rows());
  Race race("kernels", fmt::format("sparse gradient, {} entries a row, B = {}", entries, size));
  race.add({"fused, CSR", bytes,
            repeated([&](Index calls) { rows.prepare(calls); },
                     [&](Index i) {
                       products.gradient(rows(i), weights, one(std::as_const(data.x)),
                                         column(data.b), one(data.g));
                     })});
  session.add_peer(race, "SciPy A[rows], 2 products", fmt::format("csr {}", size));
  session.run(race, part);
  race.faster("fused, CSR", "SciPy A[rows], 2 products", "SciPy");
  session.keep(race);
}

void all_rows(Session& session, Sparse& data) {
  Products products(*data.A, {}, {}, session.team());
  std::vector<double> residual2(1);
  Race race("kernels", fmt::format("sparse gradient of all rows, {} entries a row", entries));
  race.add({"fused, CSR", data.A->bytes(),
            repeated([](Index) {},
                     [&](Index) {
                       products.full_gradient(one(std::as_const(data.x)), column(data.b),
                                              one(data.g), residual2);
                     })});
  session.add_peer(race, "SciPy 2 products", "csr_full");
  session.run(race, part);
  race.faster("fused, CSR", "SciPy 2 products", "SciPy");
  session.keep(race);
}

}  // namespace

void measure_sparse(Session& session) {
  Sparse data = make(session);
  for (const Index size : {407, 10'000})
    if (size <= data.A->rows()) batch(session, data, size);
  all_rows(session, data);
}

}  // namespace polyak::bench
