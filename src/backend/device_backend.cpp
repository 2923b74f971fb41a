#include "backend/device_backend.hpp"

#include <algorithm>

#include "backend/device_library.hpp"

namespace polyak::internal {
namespace {

std::string described(int number) {
  device::Facts facts;
  check(cuda_library().facts(number, &facts));
  return std::string(", ") + facts.name;
}

std::shared_ptr<DeviceRows> rows_of(int number, const BackendProblem& problem) {
  auto copied = std::dynamic_pointer_cast<DeviceRows>(problem.copied);
  if (copied && copied->become(problem)) return copied;
  const auto made = std::make_shared<DeviceRows>(number, problem);
  made->write(problem);
  return made;
}

}  // namespace

DeviceBackend::DeviceBackend(int number, const BackendProblem& problem)
    : name_("cuda:" + std::to_string(number)),
      description_(name_ + described(number)),
      rows_(problem.A.rows()),
      cols_(problem.A.cols()),
      right_hand_sides_(problem.b.cols),
      copy_(rows_of(number, problem)),
      problem_(copy_->problem()) {}

// A block keeps the problem: its memory belongs to the same device.
Block DeviceBackend::make(Block::Kind kind, Index vectors) {
  const Index length = kind == Block::Kind::unknowns ? cols_ : rows_;
  double* made = nullptr;
  check(problem_->allocate(vectors * length, &made));
  std::shared_ptr<void> memory(
      made, [keep = problem_](void* p) { keep->release(static_cast<double*>(p)); });
  return {std::move(memory), kind, vectors, length};
}

void DeviceBackend::write(ConstView from, const Block& to) {
  if (to.kind() == Block::Kind::unknowns) {
    for (Index k = 0; k < to.vectors(); ++k)
      check(problem_->write(from.row(k), vector(to, k), to.length()));
    return;
  }
  room_.resize(to_size(to.size()));
  for (Index i = 0; i < from.rows; ++i)
    for (Index c = 0; c < from.cols; ++c) room_[to_size(c * from.rows + i)] = from(i, c);
  check(problem_->write(room_.data(), data(to), to.size()));
}

void DeviceBackend::read(const Block& from, View to) {
  if (from.kind() == Block::Kind::unknowns) {
    for (Index k = 0; k < from.vectors(); ++k)
      check(problem_->read(vector(from, k), to.row(k), from.length()));
    return;
  }
  room_.resize(to_size(from.size()));
  check(problem_->read(data(from), room_.data(), from.size()));
  for (Index i = 0; i < to.rows; ++i)
    for (Index c = 0; c < to.cols; ++c) to(i, c) = room_[to_size(c * to.rows + i)];
}

void DeviceBackend::copy(const Block& from, const Block& to) {
  check(problem_->copy(data(from), data(to), from.size()));
}

void DeviceBackend::axpby(std::span<const double> alpha, const Block& x,
                          std::span<const double> beta, const Block& y) {
  check(problem_->axpby(y.vectors(), y.length(), alpha.data(), data(x), beta.data(), data(y)));
}

void DeviceBackend::divide(std::span<const double> divisor, const Block& y) {
  check(problem_->divide(y.vectors(), y.length(), divisor.data(), data(y)));
}

void DeviceBackend::add_diagonal(double factor, const Block& diagonal, const Block& x,
                                 const Block& y) {
  check(problem_->add_diagonal(y.vectors(), factor, data(diagonal), data(x), data(y)));
}

void DeviceBackend::dot(const Block& x, const Block& y, std::span<double> out) {
  check(problem_->dot(std::ssize(out), x.length(), data(x), data(y), out.data()));
}

double DeviceBackend::max_abs(const Block& x) {
  double out = 0.0;
  check(problem_->max_abs(x.size(), data(x), &out));
  return out;
}

void DeviceBackend::clamp(const Block& x) { check(problem_->clamp(x.vectors(), data(x))); }

void DeviceBackend::set(const Block& x, std::span<const Index> unknowns, double value) {
  for (const Index j : unknowns) check(problem_->set(x.vectors(), data(x), j, value));
}

void DeviceBackend::gradient_step(double alpha, const Block& g, const Block& x, ColumnRange) {
  check(problem_->gradient_step(x.size(), alpha, data(g), data(x)));
}

void DeviceBackend::heavy_ball_step(double alpha, double beta, const Block& x, const Block& g,
                                    const Block& previous, ColumnRange) {
  check(problem_->heavy_ball_step(x.size(), alpha, beta, data(x), data(g), data(previous)));
}

void DeviceBackend::extrapolate(double beta, const Block& x, const Block& previous, ColumnRange) {
  check(problem_->extrapolate(x.size(), beta, data(x), data(previous)));
}

void DeviceBackend::batch_gradient(std::span<const Batch> batches, const Block& x, const Block& g,
                                   ColumnExchange*) {
  Index k = 0;
  for (const Batch& batch : batches)
    for (Index c = 0; c < right_hand_sides_; ++c, ++k)
      check(problem_->gradient({std::ssize(batch.rows), batch.rows.data(), batch.weights.data(), c},
                               vector(x, k), vector(g, k), nullptr));
}

void DeviceBackend::full_gradient(const Block& x, const Block& g, std::span<double> residual2,
                                  ColumnExchange*) {
  for (Index k = 0; k < std::ssize(residual2); ++k)
    check(problem_->gradient({rows_, nullptr, nullptr, k % right_hand_sides_}, vector(x, k),
                             vector(g, k), &residual2[to_size(k)]));
}

void DeviceBackend::normal_product(const Block& v, const Block& q, std::span<double> curvature) {
  for (Index k = 0; k < std::ssize(curvature); ++k)
    check(problem_->gradient({rows_, nullptr, nullptr, -1}, vector(v, k), vector(q, k),
                             &curvature[to_size(k)]));
}

void DeviceBackend::multiply(const Block& x, const Block& y) {
  for (Index k = 0; k < x.vectors(); ++k) check(problem_->multiply(vector(x, k), vector(y, k)));
}

void DeviceBackend::multiply_transposed(const Block& y, const Block& g) {
  for (Index k = 0; k < y.vectors(); ++k)
    check(problem_->multiply_transposed(vector(y, k), vector(g, k)));
}

void DeviceBackend::residual(const Block& x, const Block& r) {
  for (Index k = 0; k < x.vectors(); ++k)
    check(problem_->residual(k % right_hand_sides_, vector(x, k), vector(r, k)));
}

void DeviceBackend::row_steps(std::span<const Index> rows, std::span<const double> steps,
                              const Block& x) {
  for (Index k = 0; k < x.vectors(); ++k)
    check(problem_->row_steps(std::ssize(rows), rows.data(), steps.data(), k % right_hand_sides_,
                              vector(x, k)));
}

}  // namespace polyak::internal
