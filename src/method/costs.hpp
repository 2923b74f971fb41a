#pragma once

// The cost model, in seconds and in memory, from the sizes of a problem. It is in this room
// because the records of methods predict their own cost.

#include "backend/backend.hpp"
#include "polyak/options.hpp"
#include "polyak/shape.hpp"
#include "spectrum/extremes.hpp"
#include "spectrum/gram.hpp"

namespace polyak {

/// The sizes that AᵀA and Aᵀb depend on.
GramSize gram_size(const ProblemShape& shape);

/// Predicted seconds on a nominal machine of two cores, accurate enough to order the methods.
/// The rates are constants, not measurements, so that the same problem gets the same method,
/// and the same bits, every time and everywhere. On a device its own rates replace those of
/// passes, AᵀA and single rows; what the host does there keeps the nominal ones. Rows on a disk are
/// read at the rates of that disk, in coarse steps (decision 28).
struct Costs {
  /// Seconds of a factorisation below which no other method is considered.
  static constexpr double at_once = 5e-3;
  /// Of every run but `normal`, beside its iterations: row norms, first and last measurement.
  static constexpr double overhead_passes = 3.0;

  explicit Costs(const ProblemShape& shape, const std::optional<DeviceRates>& device = {});
  explicit Costs(const Problem& problem) : Costs(shape_of(problem)) {}

  double copy() const { return copy_; }  ///< A and its norms, to and from the device
  /// A'A is computed by a device: dense rows.
  bool gram_on_device() const { return gram_on_device_; }
  double pass() const { return pass_; }               ///< one read of A: a fused gradient
  double gram() const { return gram_; }               ///< AᵀA and Aᵀb
  double gram_products() const { return products_; }  ///< the same, without a read from a disk
  double subset_by_qr(double rows) const;             ///< a subset solved by singular values
  double subset_by_gram(double rows) const;           ///< a subset solved by normal equations
  double sketch() const;                              ///< one read, each entry added eight times
  double rows_read(double rows) const { return rows * row_; }  ///< from a disk, at random places
  double kaczmarz(double passes) const;        ///< row after row on one core, and a measurement
  double kaczmarz_steps(double passes) const;  ///< without the measurement
  /// Iterations of one read each (cg), or of two and vectors of length n (lsqr).
  double krylov(double iterations, double reads) const;
  double normal() const;  ///< normal equations
  double direct() const;
  double active_set() const;  ///< bounds, exactly
  /// Heavy ball with the best sketch, until the error has fallen by exp(digits).
  double sketched(double digits) const;
  /// Rows of that sketch.
  Index sketch_rows(double digits) const;

 private:
  double qr(double rows) const;  // R of `rows` rows of A's width
  double cholesky() const;
  double sketched_with(double ratio, double digits) const;

  void use_device(const ProblemShape& shape, const DeviceRates& rates);
  void use_disk(const DiskRates& rates);

  double n_, d_, c_, bytes_, pass_, copy_ = 0.0;
  double overhead_;  // of any run beside its iterations: reads for norms and measurements
  double vectors_, factor_, gram_, kaczmarz_;
  double products_;    // gram_ in memory
  double row_ = 0.0;   // of a row at a random place of a disk
  double step_ = 0.0;  // of a Krylov iteration on a device, beside its reads
  bool gram_on_device_ = false;
};

/// Iterations of conjugate gradients until the error has fallen by `factor`, at a condition
/// of A.
double cg_iterations_at(double condition, double factor);
/// Iterations to the tolerance for an n × d matrix of independent entries.
double random_cg_iterations(double n, double d, double nonzeros, double tol);
/// Passes of randomized Kaczmarz over many similar rows.
double kaczmarz_passes(double n, double d, double tol);

/// What the parts of a run allocate, from sizes alone, in numbers of eight bytes. Each function
/// names the file whose allocations it follows; a method's record adds them up. What grows with
/// neither n nor d² (stacks, the program) is left out.
class WorkingMemory {
 public:
  /// `spectrum`: the option of that name.
  WorkingMemory(const ProblemShape& shape, const SolveOptions& options, SpectrumBy spectrum);

  double n() const { return n_; }
  double d() const { return d_; }
  double c() const { return c_; }  ///< right-hand sides
  double own_rows() const;         ///< rows of one rank
  const ProblemShape& shape() const { return shape_; }
  const SolveOptions& options() const { return options_; }

  double every_run() const;
  double row_norms(bool used) const;  ///< `used`: uses_row_norms of the method
  double sampler(bool even) const;    ///< `even`: all rows have the same probability
  double spectrum() const;
  /// R of a matrix with these rows and columns.
  double factor(double rows, double cols) const;
  /// AᵀA with `cols` columns.
  double gram(double cols) const;

 private:
  double threads() const;
  double gram_of_panels(double cols) const;
  double sketched_spectrum() const;

  double n_, d_, c_, entries_;
  const ProblemShape& shape_;
  const SolveOptions& options_;
  SpectrumBy spectrum_;
};

}  // namespace polyak
