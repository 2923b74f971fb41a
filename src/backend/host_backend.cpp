#include "backend/host_backend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/file_pages.hpp"
#include "core/large_arrays.hpp"
#include "kernels/dense.hpp"

namespace polyak {
namespace {

// The largest |x_j|; infinity if one is NaN.
double largest_abs(const double* x, Index count) {
  double largest = 0.0;
  for (Index j = 0; j < count; ++j) {
    const double a = std::abs(x[j]);
    if (!(a <= largest)) largest = a;
    if (std::isnan(largest)) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

// y = a·x + b·y; y is not read where b = 0.
void combine(Index count, double a, const double* x, double b, double* y) {
  if (b == 0.0)
    for (Index j = 0; j < count; ++j) y[j] = a * x[j];
  else
    for (Index j = 0; j < count; ++j) y[j] = a * x[j] + b * y[j];
}

// y = (1 − al)·x + al·v and s = 0; v is not read where al = 0.
void extrapolate_row(Index count, double al, const double* __restrict x, const double* __restrict v,
                     double* __restrict y, double* __restrict s) {
  const double rest = 1.0 - al;
  for (Index j = 0; j < count; ++j) {
    y[j] = al == 0.0 ? rest * x[j] : rest * x[j] + al * v[j];
    s[j] = 0.0;
  }
}

// x = y − unit·s and v = ((1 − be)·y + be·v) − g·unit·s; v is not read where be = 0.
void update_row(Index count, const AcceleratedStep& step, double unit, const double* __restrict y,
                const double* __restrict s, double* __restrict x, double* __restrict v) {
  const double be = step.be, rest = 1.0 - be, of_x = -unit, of_v = -step.g * unit;
  for (Index j = 0; j < count; ++j) {
    x[j] = of_x * s[j] + y[j];
    v[j] = of_v * s[j] + (be == 0.0 ? rest * y[j] : rest * y[j] + be * v[j]);
  }
}

}  // namespace

HostBackend::HostBackend(const BackendProblem& problem)
    : problem_(problem),
      products_(problem.A, problem.weights, problem.scale, problem.team),
      unit_(problem.scale.a / problem.scale.b) {}

Block HostBackend::make(Block::Kind kind, Index vectors) {
  const Index length = kind == Block::Kind::unknowns ? problem_.A.cols() : problem_.A.rows();
  // RowNumbers: a rank writes the equations of its own rows only, and so allocates only those.
  auto memory = std::make_shared<RowNumbers>(to_size(vectors * length));
  return {std::shared_ptr<void>(memory, memory->data()), kind, vectors, length};
}

View HostBackend::view(const Block& block) const {
  if (block.kind() == Block::Kind::unknowns)
    return {data(block), block.vectors(), block.length(), block.length()};
  return {data(block), block.length(), block.vectors(), block.vectors()};
}

void HostBackend::write(ConstView from, const Block& to) {
  const View out = view(to);
  for (Index i = 0; i < out.rows; ++i) std::copy_n(from.row(i), out.cols, out.row(i));
}

void HostBackend::read(const Block& from, View to) {
  const View in = view(from);
  for (Index i = 0; i < in.rows; ++i) std::copy_n(in.row(i), in.cols, to.row(i));
}

void HostBackend::copy(const Block& from, const Block& to) {
  std::copy_n(data(from), from.size(), data(to));
}

// body(i, c, y_ic) for the rows i stored here, in parallel.
template <class Body>
void HostBackend::for_rows(const Block& y, Body body) {
  const View out = view(y);
  products_.for_row_chunks([&](Index, Index first, Index last) {
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < out.cols; ++c) body(i, c, out(i, c));
  });
}

void HostBackend::axpby(std::span<const double> alpha, const Block& x, std::span<const double> beta,
                        const Block& y) {
  const View in = view(x), out = view(y);
  if (y.kind() == Block::Kind::equations)
    return for_rows(y, [&](Index i, Index c, double& to) {
      combine(1, alpha[to_size(c)], &in(i, c), beta[to_size(c)], &to);
    });
  for (Index k = 0; k < out.rows; ++k)
    combine(out.cols, alpha[to_size(k)], in.row(k), beta[to_size(k)], out.row(k));
}

void HostBackend::divide(std::span<const double> divisor, const Block& y) {
  const auto divide_one = [&](Index k, double& value) {
    if (divisor[to_size(k)] != 0.0) value /= divisor[to_size(k)];
  };
  if (y.kind() == Block::Kind::equations)
    return for_rows(y, [&](Index, Index c, double& value) { divide_one(c, value); });
  const View out = view(y);
  for (Index k = 0; k < out.rows; ++k)
    for (Index j = 0; j < out.cols; ++j) divide_one(k, out(k, j));
}

void HostBackend::add_diagonal(double factor, const Block& diagonal, const Block& x,
                               const Block& y) {
  const double* D = data(diagonal);
  const View in = view(x), out = view(y);
  for (Index k = 0; k < out.rows; ++k)
    for (Index j = 0; j < out.cols; ++j) out(k, j) += factor * D[j] * in(k, j);
}

// Vectors of equations are summed in chunks (Products::row_sum): the same bits for any number
// of threads.
void HostBackend::dot(const Block& x, const Block& y, std::span<double> out) {
  const View a = view(x), b = view(y);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto c = static_cast<Index>(k);
    if (x.kind() == Block::Kind::equations) {
      out[k] = products_.row_sum([&](Index first, Index last) {
        double sum = 0.0;
        for (Index i = first; i < last; ++i) sum += a(i, c) * b(i, c);
        return sum;
      });
      continue;
    }
    out[k] = 0.0;
    for (Index j = 0; j < a.cols; ++j) out[k] += a(c, j) * b(c, j);
  }
}

double HostBackend::max_abs(const Block& x) { return largest_abs(data(x), x.size()); }

void HostBackend::clamp(const Block& x) {
  if (problem_.lower.empty()) return;
  const View out = view(x);
  for (Index k = 0; k < out.rows; ++k)
    for (Index j = 0; j < out.cols; ++j)
      out(k, j) = std::clamp(out(k, j), problem_.lower[to_size(j)], problem_.upper[to_size(j)]);
}

void HostBackend::set(const Block& x, std::span<const Index> unknowns, double value) {
  const View out = view(x);
  for (Index j : unknowns)
    for (Index k = 0; k < out.rows; ++k) out(k, j) = value;
}

// step(first entry, count) for the columns of each vector; one call for all vectors if these
// are all columns.
template <class Step>
void HostBackend::for_columns(const Block& x, ColumnRange columns, Step step) const {
  const Index count = columns.last - columns.first;
  if (count == x.length()) return step(Index{0}, x.size());
  for (Index k = 0; k < x.vectors(); ++k) step(k * x.length() + columns.first, count);
}

void HostBackend::gradient_step(double alpha, const Block& g, const Block& x, ColumnRange columns) {
  for_columns(x, columns, [&](Index from, Index count) {
    kernels::gradient_step(count, alpha, data(g) + from, data(x) + from);
  });
}

void HostBackend::heavy_ball_step(double alpha, double beta, const Block& x, const Block& g,
                                  const Block& previous, ColumnRange columns) {
  for_columns(x, columns, [&](Index from, Index count) {
    kernels::heavy_ball_step(count, alpha, beta, data(x) + from, data(g) + from,
                             data(previous) + from);
  });
}

void HostBackend::extrapolate(double beta, const Block& x, const Block& previous,
                              ColumnRange columns) {
  for_columns(x, columns, [&](Index from, Index count) {
    kernels::extrapolate(count, beta, data(x) + from, data(previous) + from);
  });
}

void HostBackend::batch_gradient(std::span<const Batch> batches, const Block& x, const Block& g,
                                 ColumnExchange* exchange) {
  products_.gradients(batches, view(x), problem_.b, view(g), exchange);
}

void HostBackend::full_gradient(const Block& x, const Block& g, std::span<double> residual2,
                                ColumnExchange* exchange) {
  products_.full_gradient(view(x), problem_.b, view(g), residual2, exchange);
}

// The gradient at unit·v for b = 0, whose residual is Ãv; b is one row of zeros, used for all
// rows (stride 0). The unit is a power of two: multiplying and dividing by it is exact.
void HostBackend::normal_product(const Block& v, const Block& q, std::span<double> curvature) {
  zeros_.resize(std::max(zeros_.size(), to_size(v.vectors())), 0.0);
  double* values = data(v);
  for (Index i = 0; i < v.size(); ++i) values[i] *= unit_;
  products_.full_gradient(view(v), {zeros_.data(), problem_.A.rows(), v.vectors(), 0}, view(q),
                          curvature);
  for (Index i = 0; i < v.size(); ++i) values[i] /= unit_;
}

void HostBackend::multiply(const Block& x, const Block& y) { products_.multiply(view(x), view(y)); }

void HostBackend::multiply_transposed(const Block& y, const Block& g) {
  products_.transposed(view(y), view(g));
}

void HostBackend::residual(const Block& x, const Block& r) {
  multiply(x, r);  // √W·scale.a·Ax
  const Scale scale = problem_.scale;
  const auto& weights = problem_.weights;
  for_rows(r, [&](Index i, Index c, double& value) {
    const double root = weights.empty() ? 1.0 : std::sqrt(weights[to_size(i)]);
    value = scale.b * (root * problem_.b(i, c) - value / scale.a);
  });
}

// Of a large b in a file only the pages of these rows are read, not those around them.
void HostBackend::expect(std::span<const Index> rows) {
  problem_.A.expect_rows(rows);
  if (!in_file_pages(problem_.b.data)) return;
  for (const Index i : rows)
    ask_to_read(problem_.b.row(i), to_size(problem_.b.cols) * sizeof(double));
}

void HostBackend::row_steps(std::span<const Index> rows, std::span<const double> steps,
                            const Block& x) {
  const double a = problem_.scale.a;
  if (problem_.lower.empty()) return problem_.A.kaczmarz(rows, steps, a, problem_.b, view(x));
  problem_.A.kaczmarz_within(rows, steps, a, problem_.b, problem_.lower, problem_.upper, view(x));
}

// The formulas of Backend::accelerated_row_steps, with the same order of operations.
void HostBackend::accelerated_row_steps(std::span<const Index> rows,
                                        std::span<const AcceleratedStep> steps, double unit,
                                        const Block& x, const Block& v) {
  y_.resize(to_size(x.size()));
  s_.resize(y_.size());
  const View y{y_.data(), x.vectors(), x.length(), x.length()};
  const View s{s_.data(), x.vectors(), x.length(), x.length()};
  for (std::size_t t = 0; t < rows.size(); ++t) {
    extrapolate_row(x.size(), steps[t].al, data(x), data(v), y.data, s.data);
    problem_.A.gradient(rows.subspan(t, 1), {&steps[t].step, 1}, problem_.scale, y, problem_.b, s);
    update_row(x.size(), steps[t], unit, y.data, s.data, data(x), data(v));
  }
}

void HostBackend::prefetch(std::span<const Index> rows) {
  problem_.A.prefetch(rows);
  for (const Index i : rows) __builtin_prefetch(problem_.b.row(i));
}

void HostBackend::gather_columns(ColumnExchange& exchange, const Block& x) {
  exchange.gather(view(x));
}

void HostBackend::gather_rows(const Block& y) {
  const Partition own = partition(problem_.A);
  if (own.ranks() == 1) return;
  const View out = view(y);
  std::fill(out.row(0), out.row(own.first), 0.0);
  std::fill(out.row(own.last()), out.row(out.rows), 0.0);
  own.communicator->sum({out.data, to_size(out.size())});
}

}  // namespace polyak
