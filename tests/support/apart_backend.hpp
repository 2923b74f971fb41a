#pragma once

// A backend for tests whose memory is separate from the host's, as that of a device is:
// the handle of a block is not the address of its numbers, so they can only be reached by
// read() and write(), which are counted. It computes like the host backend, so that results
// have the bits of the cpu.

#include <atomic>

#include "backend/host_backend.hpp"

namespace polyak::test {
using namespace polyak::internal;

struct Transfers {
  std::atomic<Index> reads{0}, writes{0};  // calls
  std::atomic<Index> numbers_read{0}, numbers_written{0};
  void clear() { reads = writes = numbers_read = numbers_written = 0; }
};

inline Transfers& transfers() {
  static Transfers all;
  return all;
}

class ApartBackend final : public Backend {
 public:
  explicit ApartBackend(const BackendProblem& problem) : host_(problem) {}

  std::string device() const override { return "apart"; }

  Block make(Block::Kind kind, Index vectors) override {
    auto* entry = new Entry{host_.make(kind, vectors)};
    // The handle is no address of numbers: a method that used it as one would read garbage.
    std::shared_ptr<void> handle(entry, [](void* p) { delete static_cast<Entry*>(p); });
    return {handle, kind, vectors, entry->block.length()};
  }
  void write(ConstView from, const Block& to) override {
    ++transfers().writes;
    transfers().numbers_written += to.size();
    host_.write(from, inner(to));
  }
  void read(const Block& from, View to) override {
    ++transfers().reads;
    transfers().numbers_read += from.size();
    host_.read(inner(from), to);
  }
  void copy(const Block& from, const Block& to) override { host_.copy(inner(from), inner(to)); }
  void axpby(std::span<const double> alpha, const Block& x, std::span<const double> beta,
             const Block& y) override {
    host_.axpby(alpha, inner(x), beta, inner(y));
  }
  void divide(std::span<const double> divisor, const Block& y) override {
    host_.divide(divisor, inner(y));
  }
  void add_diagonal(double factor, const Block& diagonal, const Block& x, const Block& y) override {
    host_.add_diagonal(factor, inner(diagonal), inner(x), inner(y));
  }
  void dot(const Block& x, const Block& y, std::span<double> out) override {
    host_.dot(inner(x), inner(y), out);
  }
  double max_abs(const Block& x) override { return host_.max_abs(inner(x)); }
  void clamp(const Block& x) override { host_.clamp(inner(x)); }
  void set(const Block& x, std::span<const Index> unknowns, double value) override {
    host_.set(inner(x), unknowns, value);
  }
  void gradient_step(double alpha, const Block& g, const Block& x, ColumnRange columns) override {
    host_.gradient_step(alpha, inner(g), inner(x), columns);
  }
  void heavy_ball_step(double alpha, double beta, const Block& x, const Block& g,
                       const Block& previous, ColumnRange columns) override {
    host_.heavy_ball_step(alpha, beta, inner(x), inner(g), inner(previous), columns);
  }
  void extrapolate(double beta, const Block& x, const Block& previous,
                   ColumnRange columns) override {
    host_.extrapolate(beta, inner(x), inner(previous), columns);
  }
  void batch_gradient(std::span<const Batch> batches, const Block& x, const Block& g,
                      ColumnExchange* exchange) override {
    host_.batch_gradient(batches, inner(x), inner(g), exchange);
  }
  void full_gradient(const Block& x, const Block& g, std::span<double> residual2,
                     ColumnExchange* exchange) override {
    host_.full_gradient(inner(x), inner(g), residual2, exchange);
  }
  void normal_product(const Block& v, const Block& q, std::span<double> curvature) override {
    host_.normal_product(inner(v), inner(q), curvature);
  }
  void multiply(const Block& x, const Block& y) override { host_.multiply(inner(x), inner(y)); }
  void multiply_transposed(const Block& y, const Block& g) override {
    host_.multiply_transposed(inner(y), inner(g));
  }
  void residual(const Block& x, const Block& r) override { host_.residual(inner(x), inner(r)); }
  void row_steps(std::span<const Index> rows, std::span<const double> steps,
                 const Block& x) override {
    host_.row_steps(rows, steps, inner(x));
  }
  void prefetch(std::span<const Index> rows) override { host_.prefetch(rows); }
  void gather_columns(ColumnExchange& exchange, const Block& x) override {
    host_.gather_columns(exchange, inner(x));
  }
  void gather_rows(const Block& y) override { host_.gather_rows(inner(y)); }

 private:
  struct Entry {
    Block block;  // of the host backend
  };

  Block inner(const Block& outer) const {
    const Block& block = static_cast<const Entry*>(outer.memory())->block;
    if (outer.offset() == 0 && outer.vectors() == block.vectors()) return block;
    return block.vector(outer.offset() / outer.length());
  }

  HostBackend host_;
};

inline void register_apart_backend() {
  register_device("apart", [](const BackendProblem& problem) -> std::unique_ptr<Backend> {
    return std::make_unique<ApartBackend>(problem);
  });
}

}  // namespace polyak::test
