#pragma once

// What a library for another device (libpolyak_cuda.so) implements, and all that it has in
// common with this one: pure interfaces and plain values. Neither side calls a function of the
// other by name, so nothing is defined twice and no symbol has to be exported
// (docs/decisions/0021-cuda.md).
//
// Functions that can fail return null, or a Failure that is valid until the next call of the
// same object. Pointers named `device` lie in the memory of the device, all others on the host.
// Vectors are contiguous; of several, one after the other.

#include <cstdint>

namespace polyak::internal::device {

using Index = std::int64_t;

/// Changes with every change below: a library of another build is refused.
constexpr int interface_version = 2;
/// The one exported function: const Library* (*)(int interface_version), null for another one.
constexpr const char* entry_point = "polyak_device_library";

struct Failure {
  int code;  ///< of polyak::ErrorCode
  const char *what, *where, *found, *expected, *hint;
};

struct Facts {
  char name[256];
  int major, minor;  ///< compute capability
  std::uint64_t memory_bytes, free_bytes;
};

/// What the device does in a second, measured by a few launches on dense doubles.
struct Rates {
  double read_bytes;     ///< of a full gradient over rows in its memory
  double bus_bytes;      ///< of copies to it from memory of staging()
  double gram_products;  ///< of gram(): n·d² in all
  double start_seconds;  ///< of an operation whose result the host reads
};

/// Sizes of a problem, known before any memory is asked for.
struct Layout {
  Index n, d;
  Index stored_columns;    ///< d, or d − 1 where only `shift` has the last one
  bool sparse, single;     ///< compressed rows; values as float
  Index entries;           ///< stored ones, where sparse
  Index right_hand_sides;  ///< c
  bool weighted, bounded;  ///< row weights, bounds of the unknowns
  bool shifted;            ///< sparse: every row is its entries plus one dense row, `shift`
  double scale_a, scale_b;
};

/// Rows of the list, or all of them where `rows` is null. r_t = scale_b·(a_tᵀx − b_t), where
/// `column` is the one of b, or none (b = 0, and scale_a instead of scale_b).
struct Rows {
  Index count;
  const Index* rows;      ///< ascending, on the host
  const double* weights;  ///< of each place, on the host; null for the weights of the rows
  Index column;           ///< of b; negative for none
};

/// Iterations first .. last−1 of a minibatch method with the draws of Random(seed, stream).
struct Iterations {
  int method;  ///< 0 SGD, 1 heavy ball, 2 Nesterov
  std::uint64_t seed, stream;
  Index batch, first, last;
  const double *step_size, *momentum;  ///< last − first numbers each
};

/// A, b, row weights and bounds in the memory of a device, and the operations of
/// backend/backend.hpp on vectors there. Used by one thread at a time.
class Problem {
 public:
  virtual void destroy() noexcept = 0;

  // Set-up, each part once. Rows of a dense A come in blocks of any size.

  virtual const Failure* write_rows(Index first, Index count, const void* values, Index stride) = 0;
  /// Host memory of `bytes` bytes from which write_rows copies at the full rate of the bus and
  /// without waiting. There are two, number 0 and 1; the call waits for the copy from that one.
  virtual const Failure* staging(int number, Index bytes, void** host) = 0;
  virtual const Failure* write_row_starts(const Index* starts) = 0;     ///< n + 1
  virtual const Failure* write_column_starts(const Index* starts) = 0;  ///< d_stored + 1
  virtual const Failure* write_entries(Index first, Index count, const std::int32_t* columns,
                                       const void* values) = 0;
  /// The same entries column by column.
  virtual const Failure* write_transposed(Index first, Index count, const std::int32_t* rows,
                                          const void* values) = 0;
  virtual const Failure* write_shift(const double* shift) = 0;      ///< d
  virtual const Failure* write_rhs(const double* b) = 0;            ///< c vectors of n
  virtual const Failure* write_weights(const double* weights) = 0;  ///< n
  virtual const Failure* write_bounds(const double* lower, const double* upper) = 0;  ///< d each
  /// scale_a and scale_b, which follow from the norms.
  virtual const Failure* set_scale(double scale_a, double scale_b) = 0;
  /// Columns of a dense A times these powers of two, d of them. *exact is false, and A
  /// unchanged, where an entry would leave the range of its type.
  virtual const Failure* scale_columns(const double* units, bool* exact) = 0;
  /// rows + 1 integers from 0 to 2^62 (sampling/integer_starts.hpp).
  virtual const Failure* write_sampling(const std::uint64_t* starts) = 0;

  // Memory for vectors; new memory is zero.

  virtual const Failure* allocate(Index count, double** device) = 0;
  virtual void release(double* device) noexcept = 0;
  virtual const Failure* write(const double* from, double* device, Index count) = 0;
  virtual const Failure* read(const double* device, double* to, Index count) = 0;
  virtual const Failure* copy(const double* from_device, double* device, Index count) = 0;

  // Vectors of one length; scalars are one for each.

  virtual const Failure* axpby(Index vectors, Index length, const double* alpha, const double* x,
                               const double* beta, double* y) = 0;
  virtual const Failure* divide(Index vectors, Index length, const double* divisor, double* y) = 0;
  virtual const Failure* add_diagonal(Index vectors, double factor, const double* diagonal,
                                      const double* x, double* y) = 0;
  virtual const Failure* dot(Index vectors, Index length, const double* x, const double* y,
                             double* out) = 0;
  virtual const Failure* max_abs(Index count, const double* x, double* out) = 0;
  virtual const Failure* clamp(Index vectors, double* x) = 0;
  virtual const Failure* set(Index vectors, double* x, Index unknown, double value) = 0;
  virtual const Failure* gradient_step(Index count, double alpha, const double* g, double* x) = 0;
  virtual const Failure* heavy_ball_step(Index count, double alpha, double beta, const double* x,
                                         const double* g, double* previous) = 0;
  virtual const Failure* extrapolate(Index count, double beta, const double* x,
                                     double* previous) = 0;

  // Products with A, of one vector.

  /// g = Σ w_t·scale_a·r_t·a_t, and *residual2 = Σ w_t·r_t² unless that is null.
  virtual const Failure* gradient(const Rows& rows, const double* x, double* g,
                                  double* residual2) = 0;
  /// y = √W·scale_a·Ax.
  virtual const Failure* multiply(const double* x, double* y) = 0;
  /// g = scale_a·Aᵀ√W·y.
  virtual const Failure* multiply_transposed(const double* y, double* g) = 0;
  /// r = scale_b·√W·(b − Ax), b its column `column`.
  virtual const Failure* residual(Index column, const double* x, double* r) = 0;
  /// Whether norms() and gram() apply: dense rows.
  virtual bool sums_rows() const = 0;
  /// Squared norms of scale·unit_j·a_ij with the bits of the host (kernels/reference.hpp), units
  /// null for 1: of rows without their weights, n numbers; of columns with them, d numbers, summed
  /// in `chunks` chunks of rows.
  virtual const Failure* norms(double scale, const double* units, Index chunks, double* rows,
                               double* columns) = 0;
  /// H = Σ w_i·scale²·v_i v_iᵀ, v_i = a_i or, with b, the row i of [A b]: both triangles, on the
  /// host. `weights` are n numbers on the host, or null for those of the rows. *additions is the
  /// longest chain of additions in an entry.
  virtual const Failure* gram(double scale, const double* weights, bool with_b, double* H,
                              Index* additions) = 0;
  /// For each row in turn: x = x − steps_t·scale·(aᵀx − b)·(scale·a), then the bounds.
  virtual const Failure* row_steps(Index count, const Index* rows, const double* steps,
                                   Index column, double* x) = 0;

  /// Whether iterate() applies: dense rows, no scale, no bounds, one right-hand side.
  virtual bool iterates() const = 0;
  /// x and previous are x_first and x_{first−1}, then x_last and x_{last−1}.
  virtual const Failure* iterate(const Iterations& run, double* x, double* previous) = 0;

 protected:
  ~Problem() = default;
};

class Library {
 public:
  /// Devices of this kind, or why there are none (no driver, driver too old, no device).
  virtual const Failure* count(int* devices) const = 0;
  virtual const Failure* facts(int device, Facts* out) const = 0;
  /// Takes a quarter of a gigabyte of the device and a few milliseconds.
  virtual const Failure* rates(int device, Rates* out) const = 0;
  /// Memory for A, b and weights; what is needed is compared with what is free first.
  virtual const Failure* make(int device, const Layout& layout, Problem** out) const = 0;

 protected:
  ~Library() = default;
};

}  // namespace polyak::internal::device
