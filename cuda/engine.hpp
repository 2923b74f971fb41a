#pragma once

/// \file engine.hpp
/// Minibatch methods on a CUDA device: rows, right-hand side, sampling table and iterates
/// stay in its memory; `advance` runs many iterations in one launch.
///
/// Draws are the CPU's, to the integer. Sums have a fixed order: the same device gives the
/// same bits run after run, and advancing 10 equals 4 then 6. Results differ from the CPU's by
/// rounding, since its sums have another order.
///
/// Plain types only; whatever goes wrong is a polyak::Error. No global state: engines are
/// independent of each other. An engine is used by one thread at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda/arithmetic.hpp"
#include "polyak/types.hpp"

namespace polyak::cuda {

struct DeviceFacts {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t memory_bytes = 0, l2_bytes = 0;
};

/// 0 where there is no driver or no device.
int device_count();
DeviceFacts device_facts(int device);

/// Which kernels: Hopper's where they apply, or the ones for every GPU.
enum class Path { automatic, generic, hopper };

/// Iterations first .. last−1.
struct Iterations {
  Method method = Method::hbm;
  std::uint64_t seed = 0, stream = 0;  ///< of polyak::Random
  Index batch = 1;
  Index first = 0, last = 0;
  std::span<const double> step_size;  ///< alpha_k: one for all, or one for each
  std::span<const double> momentum;   ///< beta_k, likewise
  Path path = Path::automatic;
  int clusters = 0;  ///< of Hopper's kernels; 0 for the measured choice
};

struct Draws {
  std::vector<Index> rows;
  std::vector<double> weights;  ///< w_j/(B·p_j)
};

class Engine {
 public:
  /// Copies A (n × d) and b to the device; `row_weights` are w_i, or empty for ones.
  Engine(int device, ConstView A, std::span<const double> b,
         std::span<const double> row_weights = {});
  Engine(int device, MatrixView<const float> A, std::span<const double> b,
         std::span<const double> row_weights = {});
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  Index rows() const;
  Index columns() const;

  /// The integer starts of sampling/row_table.hpp: rows + 1 numbers up to 2^62.
  void set_sampling(std::span<const std::uint64_t> starts);
  /// x_k and x_{k−1}.
  void set_state(std::span<const double> x, std::span<const double> previous);
  void get_state(std::span<double> x, std::span<double> previous) const;

  /// Returns when the iterations are done; the text says which kernel ran.
  std::string advance(const Iterations& run);
  /// g = Aᵀ(w∘(Ax − b)) at the present x; returns Σ w·r².
  double full_gradient(std::span<double> g, Path path = Path::automatic);
  /// What iteration k draws.
  Draws draws(std::uint64_t seed, std::uint64_t stream, Index k, Index batch) const;

 private:
  struct Impl;
  template <class Value>
  struct Typed;
  std::unique_ptr<Impl> impl_;
};

}  // namespace polyak::cuda
