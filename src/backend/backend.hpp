#pragma once

// Where the vectors of a solve live and where its products with A are computed: the
// memory of this process (host_backend.hpp), or that of a device.
//
// A method holds handles (Block) and calls operations on whole vectors; it has access to the
// numbers only through read() and write(). These are the only transfers between host and
// backend, so that a device keeps everything else in its own memory.
//
// Notation: Ã = scale.a·A and b̃ = scale.b·b are the scaled problem, W the row weights,
// unit = scale.a/scale.b. x is in the user's units, gradients are in scaled units. c is
// the number of right-hand sides times that of replicates.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/thread_team.hpp"
#include "matrix/products.hpp"
#include "matrix/row_sums.hpp"
#include "polyak/devices.hpp"
#include "polyak/ranks.hpp"

namespace polyak::internal {

/// The data of a backend; all of it must outlive the backend.
struct BackendProblem {
  const RowMatrix& A;
  ConstView b;
  std::span<const double> weights;  ///< of rows; empty means 1
  Scale scale;
  std::span<const double> lower, upper;  ///< bounds of the unknowns; empty: none
  ThreadTeam& team;
  /// Rows that are on the device already (copied_rows); null: none.
  std::shared_ptr<RowSums> copied = nullptr;
};

/// A handle of vectors in the memory of a backend: c vectors of d unknowns (one vector after
/// the other), or c vectors of n equations (c numbers for each row). Copies share the memory.
class Block {
 public:
  enum class Kind { unknowns, equations };

  Block() = default;
  Block(std::shared_ptr<void> memory, Kind kind, Index vectors, Index length, Index offset = 0)
      : memory_(std::move(memory)),
        kind_(kind),
        vectors_(vectors),
        length_(length),
        offset_(offset) {}

  Kind kind() const { return kind_; }
  Index vectors() const { return vectors_; }
  Index length() const { return length_; }  ///< of each vector
  Index size() const { return vectors_ * length_; }

  /// One vector of a block of unknowns.
  Block vector(Index c) const { return {memory_, kind_, 1, length_, offset_ + c * length_}; }

  /// For the backend that made it.
  void* memory() const { return memory_.get(); }
  Index offset() const { return offset_; }

 private:
  std::shared_ptr<void> memory_;
  Kind kind_ = Kind::unknowns;
  Index vectors_ = 0, length_ = 0, offset_ = 0;
};

/// The numbers of one step of accelerated Kaczmarz; `step` multiplies the residual of its row.
struct AcceleratedStep {
  double step, al, be, g;
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// Its name in options: "cpu", "cuda:0".
  virtual std::string device() const = 0;
  /// Its name in reports: "cuda:0, NVIDIA H200".
  virtual std::string description() const { return device(); }

  // Memory. A new block is zero.

  virtual Block make(Block::Kind kind, Index vectors) = 0;
  /// Host to backend, and back; the view has the shape of the block (c × d, or n × c).
  virtual void write(ConstView from, const Block& to) = 0;
  virtual void read(const Block& from, View to) = 0;
  virtual void copy(const Block& from, const Block& to) = 0;

  // Vectors. Scalars are one per vector; `columns` restricts an operation to a range of
  // unknowns.

  /// y_k = alpha_k·x_k + beta_k·y_k for each vector k; y is not read where beta_k = 0.
  virtual void axpby(std::span<const double> alpha, const Block& x, std::span<const double> beta,
                     const Block& y) = 0;
  /// y_k = y_k/divisor_k; a divisor of 0 leaves y_k as it is.
  virtual void divide(std::span<const double> divisor, const Block& y) = 0;
  /// y_kj = y_kj + (factor·diagonal_j)·x_kj, where `diagonal` is one vector of unknowns.
  virtual void add_diagonal(double factor, const Block& diagonal, const Block& x,
                            const Block& y) = 0;
  /// out_k = x_kᵀy_k, over all ranks where the vectors are of equations.
  virtual void dot(const Block& x, const Block& y, std::span<double> out) = 0;
  /// The largest |x_kj|; infinity if one is NaN.
  virtual double max_abs(const Block& x) = 0;
  /// x_kj is moved into [lower_j, upper_j]; no effect without bounds.
  virtual void clamp(const Block& x) = 0;
  /// x_kj = value for every vector.
  virtual void set(const Block& x, std::span<const Index> unknowns, double value) = 0;

  /// x = x − alpha·g.
  virtual void gradient_step(double alpha, const Block& g, const Block& x, ColumnRange columns) = 0;
  /// previous = (x − alpha·g) + beta·(x − previous).
  virtual void heavy_ball_step(double alpha, double beta, const Block& x, const Block& g,
                               const Block& previous, ColumnRange columns) = 0;
  /// previous = x + beta·(x − previous).
  virtual void extrapolate(double beta, const Block& x, const Block& previous,
                           ColumnRange columns) = 0;

  // Products with A. Sums over rows are over the rows of all ranks. With `exchange` the
  // gradient is complete only in columns that rows stored here use (polyak/ranks.hpp).

  /// g = Σ_t weights_t·r̃_t·ã_t over the drawn rows t of each batch, where r̃ = Ãx − b̃;
  /// batch k has vectors of its own in x and g, as many as there are right-hand sides.
  virtual void batch_gradient(std::span<const Batch> batches, const Block& x, const Block& g,
                              ColumnExchange* exchange) = 0;
  /// g = ÃᵀW(Ãx − b̃) and residual2_k = ‖√W(Ãx − b̃)‖², in one read of A; with `exchange`
  /// the latter over the rows stored here.
  virtual void full_gradient(const Block& x, const Block& g, std::span<double> residual2,
                             ColumnExchange* exchange) = 0;
  /// q = ÃᵀWÃv and curvature_k = v_kᵀq_k, in one read of A.
  virtual void normal_product(const Block& v, const Block& q, std::span<double> curvature) = 0;
  /// y = √WÃx, of equations.
  virtual void multiply(const Block& x, const Block& y) = 0;
  /// g = Ãᵀ√Wy.
  virtual void multiply_transposed(const Block& y, const Block& g) = 0;
  /// r = √W(b̃ − Ãx̃), of equations.
  virtual void residual(const Block& x, const Block& r) = 0;
  /// For each listed row i in turn: x = x − (steps_t·ã_iᵀ(…))·ã_i, the step of
  /// RowMatrix::kaczmarz, followed by the projection onto the bounds, if there are any.
  virtual void row_steps(std::span<const Index> rows, std::span<const double> steps,
                         const Block& x) = 0;
  /// For each listed row i in turn, the step of accelerated Kaczmarz
  ///   y = (1 − al)·x + al·v;  s = step·r̃_i(y)·ã_i;
  ///   x = y − unit·s;  v = ((1 − be)·y + be·v) − g·unit·s.
  /// This version consists of the operations above; a backend may replace it by a fused one
  /// with the same bits, because a step takes less time than these calls.
  virtual void accelerated_row_steps(std::span<const Index> rows,
                                     std::span<const AcceleratedStep> steps, double unit,
                                     const Block& x, const Block& v);
  /// Starts loading these rows into the caches. Changes no result.
  virtual void prefetch(std::span<const Index> rows) = 0;
  /// These rows are used soon: they are read where A is on a disk. Changes no result.
  virtual void expect(std::span<const Index> /*rows*/) {}
  /// How many rows may be expected at a time; 0 if that is of no use.
  virtual Index rows_ahead() const { return 0; }
  /// Every column of x is set to its value on the rank that owns it.
  virtual void gather_columns(ColumnExchange& exchange, const Block& x) = 0;
  /// Before, each rank has the entries of its own rows; afterwards all entries.
  virtual void gather_rows(const Block& y) = 0;

  /// Sums over all rows of A where its copy is; null on the host.
  virtual RowSums* row_sums() { return nullptr; }

  /// The numbers of a block on the host, in its shape, one after the other.
  std::vector<double> host_copy(const Block& block);
  /// One scalar for every vector.
  void axpby(double alpha, const Block& x, double beta, const Block& y);

 private:
  // Buffers of that axpby, kept because single-row methods call it for each row.
  std::vector<double> alphas_, betas_;
};

/// Makes a backend for a problem.
using MakeBackend = std::function<std::unique_ptr<Backend>(const BackendProblem&)>;

/// Devices by name. "cpu" always exists; CUDA devices are registered when they are asked for.
/// Registering a name again replaces it. polyak/devices.hpp has device_named().
void register_device(const std::string& name, MakeBackend make);
std::vector<std::string> device_names();
std::unique_ptr<Backend> make_backend(const std::string& device, const BackendProblem& problem);

/// What a device does in a second, for predictions of time.
struct DeviceRates {
  double read_bytes;     ///< of a pass over A in its memory
  double bus_bytes;      ///< of copies to it
  double gram_products;  ///< of AᵀA: n·d² in all
  double start_seconds;  ///< of an operation whose result the host reads
};
/// Measured at the first call in a process, and rounded to powers of 2^(1/2): the choices made from
/// them should be the same in the next process. Nothing for the CPU, which has nominal rates.
std::optional<DeviceRates> device_rates(const std::string& device);

/// The rows of A on that device, before scales and units are known, so that norms are computed
/// there; a backend that is given them does not copy them again. Null for the CPU, and for
/// matrices that change with their norms on the way to the device (intercept, sparse).
std::shared_ptr<RowSums> copied_rows(const std::string& device, const BackendProblem& problem);

}  // namespace polyak::internal
