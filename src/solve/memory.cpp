#include "polyak/memory.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "kernels/gram.hpp"
#include "linalg/tsqr.hpp"
#include "polyak/methods.hpp"
#include "solve/candidates.hpp"
#include "solve/costs.hpp"
#include "solve/plan_spectrum.hpp"
#include "spectrum/extremes.hpp"
#include "spectrum/gram.hpp"

// Numbers of eight bytes are counted; each function says whose allocations it
// follows. What grows with neither n nor d² (stacks, the program) is left out.

namespace polyak {
namespace {

class Memory {
 public:
  Memory(const ProblemShape& shape, const SolveOptions& options)
      : n_(static_cast<double>(shape.rows)),
        d_(static_cast<double>(shape.cols)),
        c_(static_cast<double>(shape.right_hand_sides)),
        entries_(static_cast<double>(shape.nonzeros)),
        shape_(shape),
        options_(options) {}

  double of(const std::string& method) const {
    const MethodInfo* info = find_method(method);
    double room = every_run();
    if (method == "direct") return room + direct();
    if (method == "active-set") return room + active_set();
    if (method == "bounded-cg") return room + 6.0 * c_ * d_;
    if (method == "normal") return room + normal();
    if (method == "sketch-hbm") return room + sketch();
    if (method == "lsqr" || method == "cgls") return room + krylov();
    if (info == nullptr) return room;
    if (info->sampled) room += sampler();
    if (info->traits & trait::spectrum || method == "ark") room += spectrum();
    return room;
  }

  // solve/row_subset: the rows, those that check them, and QR.
  double look(Index rows) const {
    const double checked = std::clamp(n_ / 200.0, 1000.0, 10000.0);
    return (static_cast<double>(rows) + checked) * (d_ + c_) +
           factor(static_cast<double>(rows), d_ + c_);
  }

  // solve/regression_factor: QR beside b, then its singular values or R⁻¹.
  double statistics() const {
    if (d_ > static_cast<double>(most_exact_columns)) return n_ + c_ * d_;
    return n_ + factor(n_, d_ + c_);
  }

 private:
  // Norms of a rank's rows; x, its start and best, gradients of the method and of
  // the measurement; one more for each chunk of rows (matrix/products).
  double every_run() const {
    const double chunks =
        std::min({64.0, std::max(std::min(n_ / 64.0, 8.0), n_ / 512.0), entries_ / 4096.0,
                  entries_ / std::max(1.0, 2.0 * d_)});
    return own() + (shape_.weighted ? n_ : 0.0) + d_ * c_ * (10.0 + std::max(1.0, chunks));
  }

  // linalg/tall_r: R of each chunk of rows; beside them two blocks of rows for
  // each thread, or R once more.
  double factor(double rows, double cols) const {
    const auto chunks = static_cast<double>(
        tall_r_chunks(static_cast<Index>(rows), static_cast<Index>(cols)));
    const double blocks = std::min(chunks, threads()) * 2.0 * std::min(rows, 512.0) * cols;
    return chunks * cols * cols + std::max(cols * cols, blocks);
  }

  double threads() const {
    const Index asked = options_.threads;
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    return asked > 0 ? static_cast<double>(asked) : static_cast<double>(cores);
  }

  // problem/least_squares: R, or all of a wide A; and three squares for its
  // singular values.
  double direct() const {
    const double small = std::min(n_, d_), squares = 3.0 * small * small + c_ * d_;
    return n_ < d_ ? n_ * (d_ + c_) + squares : std::max(factor(n_, d_ + c_), squares);
  }

  // method/active_set: R, or the rows of a wide A; scaled, with its Gram matrix, and twice
  // for the free columns. Where A is not of full rank, singular values of it.
  double active_set() const {
    const double small = std::min(n_, d_) * (d_ + c_);
    return n_ < d_ ? 7.0 * small : std::max(factor(n_, d_ + c_), 5.0 * (d_ + c_) * (d_ + c_));
  }

  // method/normal: what AᵀA is made from, or itself twice and its factor.
  double normal() const { return std::max(gram(d_ + c_), 3.0 * (d_ + c_) * (d_ + c_)); }

  // Of length n: the state's, also in what is saved of it, and one of a rank's rows.
  double krylov() const { return c_ * (2.0 * n_ + std::max(own(), d_) + 4.0 * d_); }

  // spectrum/sparse_gram: H, once more for each further part of the rows; a band of it,
  // and where each row goes on, for each strip at work. Or panels.
  double gram(double cols) const {
    const GramSize A = gram_size(shape_);
    if (!few_products(A)) return gram_of_panels(cols);
    const GramCuts cuts = gram_cuts(A);
    const auto parts = static_cast<double>(cuts.parts);
    const double at_work = std::min(threads(), static_cast<double>(cuts.strips) * parts);
    const double rows = cuts.bands > 1 ? own() / parts : 0.0;
    return parts * cols * cols + at_work * (0x1p17 + rows);
  }

  // spectrum/gram: partial sums, a panel of rows for each of them, and H.
  double gram_of_panels(double cols) const {
    constexpr auto panel = static_cast<double>(kernels::panel_rows);
    const double chunks = cols > 512.0 ? 1.0 : std::clamp(n_ / panel, 1.0, 16.0);
    return (chunks + 1.0) * cols * cols + std::min(chunks, 4.0) * panel * cols;
  }

  // spectrum/sketch with method/preconditioner.
  double sketch() const {
    const double digits = std::log(1.0 / std::max(options_.tol, 1e-16));
    const double rows = static_cast<double>(Costs(shape_).sketch_rows(digits));
    return (rows + 1024.0) * (d_ + c_) + factor(rows, d_ + c_);
  }

  // sampling: weights while it is built, starts, a line of eight numbers for
  // about four rows (a power of two of them); draws of a batch. Of its rows and
  // draws a rank has its part.
  double sampler() const {
    const double cells = std::exp2(std::ceil(std::log2(std::max(1.0, own() / 4.0))));
    const double batch = static_cast<double>(options_.batch_size.value_or(0));
    return 2.0 * own() + 8.0 * cells + 4.0 * batch / static_cast<double>(shape_.ranks);
  }

  double own() const { return n_ / static_cast<double>(shape_.ranks); }

  double spectrum() const {
    const bool given = options_.lambda_min && options_.lambda_max;
    SpectrumBy by = spectrum_named(options_.spectrum);
    if (by == SpectrumBy::automatic) by = cheapest_spectrum(gram_size(shape_));
    if (given || by == SpectrumBy::lanczos) return 60.0 * d_;
    const double exact =
        gram(d_) + (d_ <= static_cast<double>(most_model_columns) ? 3.0 : 0.0) * d_ * d_;
    return by == SpectrumBy::exact ? exact : std::max(exact, sketched_spectrum());
  }

  // spectrum/sketch_extremes: the sketch, and its Gram matrix twice.
  double sketched_spectrum() const {
    const double rows = static_cast<double>(extremes_sketch_rows(shape_.cols));
    return (rows + 1024.0) * d_ + gram_of_panels(d_) + 2.0 * d_ * d_;
  }

  double n_, d_, c_, entries_;
  const ProblemShape& shape_;
  const SolveOptions& options_;
};

}  // namespace

double working_bytes(const ProblemShape& shape, const std::string& method,
                     const SolveOptions& options) {
  return 8.0 * Memory(shape, options).of(method);
}

double look_bytes(const ProblemShape& shape, const SolveOptions& options) {
  const Index rows = rows_to_look_at(shape, options.tol).rows;
  return rows > 0 ? 8.0 * Memory(shape, options).look(rows) : 0.0;
}

double solve_bytes(const ProblemShape& shape, const SolveOptions& options) {
  double bytes = options.statistics ? 8.0 * Memory(shape, options).statistics() : 0.0;
  if (options.method != "auto")
    return std::max(bytes, working_bytes(shape, options.method, options));
  bytes = std::max(bytes, look_bytes(shape, options));
  if (const Index rows = part_to_try(shape, options.tol).rows; rows > 0) {
    const ProblemShape part = shape_of_rows(shape, rows);
    bytes = std::max(bytes, part.bytes + working_bytes(part, "cg", options));
  }
  for (const Candidate& candidate : choose(shape, options.tol, {}).candidates) {
    bytes = std::max(bytes, working_bytes(shape, candidate.method, options));
    if (!candidate.passes) break;  // a trial alone does not solve it
  }
  return bytes;
}

}  // namespace polyak
