#include <fmt/format.h>

#include <algorithm>

#include "bench/contenders.hpp"
#include "bench/session.hpp"
#include "matrix/products.hpp"

// The sampled gradient g = Σ w_j a_j (a_jᵀx − b_j) over a sorted batch, compared with two
// ceilings (memory read in order, and the same rows only read) and with peers.

// Sparse rows as in tomography, compared with SciPy.

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

constexpr Index streamed_bytes = Index{1} << 28;  // per call of the streaming probe

class GradientRace {
 public:
  GradientRace(Session& session, const MatrixPtr& single, Index batch)
      : session_(session),
        data_(session.dense()),
        single_(single),
        batch_(batch),
        bytes_(data_.row_bytes() * static_cast<double>(batch)),
        rows_(data_.matrix->rows(), batch, session.options().seed),
        g_(data_.x.size()),
        weights_(data_.weights.data(), to_size(batch)),
        blas_(data_.A(), data_.b_view(), batch, session.team()),
        race_("kernels", fmt::format("gradient, B = {}", batch)) {}

  void run(double fraction) {
    add_streaming("streaming read", session_.team());
    add_streaming("streaming read, 1 thread", session_.single());
    add("rows only read", bytes_,
        [this](Index i) { sum_ += read_rows(data_.A(), rows_(i), session_.team()); });
    add_fused("fused, double", *data_.matrix, session_.team());
    add_fused("fused, double, 1 thread", *data_.matrix, session_.single());
    add_fused("fused, float", *single_, session_.team());
    add_blas();
    add("Eigen row by row, 1 thread", bytes_, [this](Index i) {
      eigen_gradient(data_.A(), data_.b_view(), rows_(i), weights_, data_.x.data(), g_.data());
    });
    session_.add_peer(race_, "NumPy take, 2 products", fmt::format("gradient {}", batch_));
    session_.run(race_, fraction);
    add_figures();
    session_.keep(race_);
  }

 private:
  template <class Call>
  void add(const std::string& name, double bytes, Call call) {
    race_.add({name, bytes, repeated([this](Index calls) { rows_.prepare(calls); }, call)});
  }

  // A different part of the matrix each time, so that it is not in the caches.
  void add_streaming(const std::string& name, ThreadTeam& team) {
    const Index all = std::ssize(data_.values), count = std::min(all, streamed_bytes / 8);
    const auto call = [this, all, count, &team](Index) {
      const Index start = count == all ? 0 : place_++ * count % (all - count);
      sum_ += read_values(data_.values.data() + start, count, team);
    };
    race_.add({name, 8.0 * static_cast<double>(count), repeated(nothing, call)});
  }

  void add_fused(const std::string& name, const RowMatrix& A, ThreadTeam& team) {
    const auto products = std::make_shared<Products>(A, std::span<const double>{}, Scale{}, team);
    const double bytes = A.bytes() * static_cast<double>(batch_) / static_cast<double>(A.rows());
    add(name, bytes, [this, products](Index i) {
      products->gradient(rows_(i), weights_, data_.x_view(), data_.b_view(), g_view());
    });
  }

  void add_blas() {
    const auto run =
        repeated([this](Index calls) { rows_.prepare(calls); },
                 [this](Index i) { blas_(rows_(i), weights_, data_.x.data(), g_.data()); });
    race_.add({"OpenBLAS gather, 2 dgemv", 0.0, [this, run](Index calls) {
                 const BlasThreads threads(session_.team().size());
                 const double seconds = run(calls);
                 wait_for_blas_threads();
                 return seconds;
               }});
  }

  void add_figures() {
    for (const char* name : {"fused, double"}) {
      race_.share(name, "rows only read", "of rows only read");
      race_.share(name, "streaming read", "of streaming");
      race_.faster(name, "NumPy take, 2 products", "NumPy");
      race_.faster(name, "OpenBLAS gather, 2 dgemv", "OpenBLAS");
      race_.faster(name, "Eigen row by row, 1 thread", "Eigen");
      race_.faster(name, "fused, double, 1 thread", "1 thread");
    }
    race_.share("rows only read", "streaming read", "of streaming");
    race_.faster("streaming read", "streaming read, 1 thread", "1 thread");
    race_.faster("fused, float", "fused, double", "double");
  }

  View g_view() { return {g_.data(), 1, std::ssize(g_), std::ssize(g_)}; }

  Session& session_;
  const Dense& data_;
  MatrixPtr single_;
  Index batch_;
  double bytes_;
  FreshRows rows_;
  std::vector<double> g_;
  std::span<const double> weights_;
  BlasGradient blas_;
  Race race_;
  Index place_ = 0;
  double sum_ = 0.0;
};

constexpr Index line_entries = 58;  // a row; 20 are the other case
constexpr double sparse_fraction = 0.05;

struct Sparse {
  Index entries;
  MatrixPtr A;
  std::vector<double> b, x, g, weights;
};

// The sizes that bench/peers.py uses.
Sparse make(Session& session, Index entries) {
  const bool lines = entries == line_entries;
  const Index all = session.options().rows, quarter = all / 4;
  const Index rows = std::max<Index>(lines ? quarter : all, 1000);
  const Index cols = std::clamp<Index>(quarter, 64, lines ? 65536 : 10'000);
  Sparse out;
  out.entries = entries;
  out.A = csr_matrix(line_matrix(rows, cols, entries, session.options().seed));
  out.b.assign(to_size(rows), 1.0);
  out.weights = out.b;
  out.x.assign(to_size(cols), 0.5);
  out.g = out.x;
  return out;
}

ConstView one(const std::vector<double>& x) { return {x.data(), 1, std::ssize(x), std::ssize(x)}; }
View one(std::vector<double>& x) { return {x.data(), 1, std::ssize(x), std::ssize(x)}; }

void batch(Session& session, Sparse& data, Index size) {
  FreshRows rows(data.A->rows(), size, session.options().seed);
  Products products(*data.A, {}, {}, session.team());
  const std::span<const double> weights(data.weights.data(), to_size(size));
  const double bytes =
      data.A->bytes() * static_cast<double>(size) / static_cast<double>(data.A->rows());
  Race race("kernels",
            fmt::format("sparse gradient, {} entries a row, B = {}", data.entries, size));
  race.add({"fused, CSR", bytes,
            repeated([&](Index calls) { rows.prepare(calls); },
                     [&](Index i) {
                       products.gradient(rows(i), weights, one(std::as_const(data.x)),
                                         column(data.b), one(data.g));
                     })});
  session.add_peer(race, "SciPy A[rows], 2 products", fmt::format("csr {}", size));
  session.run(race, sparse_fraction);
  race.faster("fused, CSR", "SciPy A[rows], 2 products", "SciPy");
  session.keep(race);
}

void all_rows(Session& session, Sparse& data) {
  Race race("kernels", fmt::format("sparse gradient of all rows, {} entries a row", data.entries));
  std::vector<double> residual2(1);
  const auto add = [&](const char* name, ThreadTeam& team) {
    const auto products =
        std::make_shared<Products>(*data.A, std::span<const double>{}, Scale{}, team);
    race.add({name, data.A->bytes(), repeated(nothing, [&, products](Index) {
                products->full_gradient(one(std::as_const(data.x)), column(data.b), one(data.g),
                                        residual2);
              })});
  };
  const char *all = "fused, CSR", *single = "fused, CSR, 1 thread", *peer = "SciPy 2 products";
  add(all, session.team());
  add(single, session.single());
  session.add_peer(race, peer, fmt::format("csr_full {}", data.entries));
  session.run(race, sparse_fraction);
  race.faster(all, peer, "SciPy");
  race.faster(single, peer, "SciPy");
  session.keep(race);
}

}  // namespace

void measure_gradients(Session& session) {
  const MatrixPtr single = to_single(session.dense().matrix);
  for (const Index batch : session.batches({100, 1000, 10'000, 100'000, 400'000}))
    GradientRace(session, single, batch).run(0.11);
}

void measure_sparse(Session& session) {
  Sparse lines = make(session, line_entries);
  for (const Index size : {407, 10'000})
    if (size <= lines.A->rows()) batch(session, lines, size);
  all_rows(session, lines);
  Sparse tall = make(session, 20);
  all_rows(session, tall);
}

}  // namespace polyak::bench::internal
