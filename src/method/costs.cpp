#include "method/costs.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "kernels/gram.hpp"
#include "linalg/tsqr.hpp"
#include "spectrum/sketch.hpp"

namespace polyak {
namespace {

// Between those measured on two cores of an Intel Xeon and of an AMD EPYC, both with AVX-512; the
// ratios differ less between machines than the numbers.

// One pass over A.
constexpr double stream_bytes = 3.5e10;    // per second, rows of a dense A in order
constexpr double cache_bytes = 6.0e10;     // the same where A stays in the caches
constexpr double cached_bytes = 4e7;       // an A up to this size does
constexpr double sparse_bytes = 1.8e10;    // per second, CSR: entries are gathered
constexpr double start_pass = 8e-6;        // seconds of every pass
constexpr double row_pass = 1.5e-9;        // seconds per row, beside its entries
constexpr double sparse_row_pass = 6e-9;   // the same for CSR
constexpr double sparse_row_facts = 1e-8;  // seconds per row of CSR in the first read (norms)
constexpr double start_run = 3.5e-4;       // seconds: threads, a sample of rows, the report

// Factorisations.
constexpr double factor_flops = 5.0e10;   // per second, Householder and Cholesky by LAPACK
constexpr double half_speed = 30.0;       // columns with which they run at half that speed
constexpr double half_cholesky = 1400.0;  // the same for Cholesky with an estimate of its condition
constexpr double row_qr = 1e-8;           // seconds per row in QR by blocks, beside its entries
constexpr double exchange_flops = 2.5e9;  // per second, updates of a factor by one column
constexpr double gram_share = 0.8;        // of nominal::gram

// A subset of the rows, solved and checked.
constexpr double start_subset_qr = 3e-4, slow_subset_qr = 2.5;  // small sizes: slower than above
constexpr double start_subset_gram = 2e-3;                  // seconds: a run on a copy of the rows
constexpr double checked_rows = 1e3, check_seconds = 2e-9;  // per entry

// Row after row.
constexpr double one_core_bytes = 1.6e10;      // per second, rows in random order
constexpr double row_seconds = 2.5e-8;         // per step, beside its row
constexpr double sparse_row_seconds = 1.2e-8;  // the same for CSR
constexpr double entry_seconds = 2e-9;         // per entry of CSR: x is gathered and scattered
constexpr double far_seconds = 4e-8;           // per row of CSR where A exceeds the caches
constexpr double table_seconds = 2.5e-8;       // per row in the sampling table

// On a device, measured on an H200 (docs/gpu.md).
constexpr double device_row_seconds = 2.2e-7;  // per single-row step, beside its entries
constexpr double device_row_bytes = 1.4e10;    // per second, entries of single-row steps
constexpr double host_row_seconds = 1.5e-8;    // per row: norms and b on the host
constexpr double device_step_starts = 2.0;     // of a Krylov iteration: its scalars go to the host
constexpr double csr_reads = 4.0;  // both copies of CSR, whose vectors are gathered: not measured

constexpr double ratios[] = {3.0, 4.0, 6.0, 8.0, 12.0};  // s/d of a sketch

}  // namespace

GramSize gram_size(const ProblemShape& shape) {
  return {static_cast<double>(shape.rows), static_cast<double>(shape.cols),
          static_cast<double>(shape.right_hand_sides), static_cast<double>(shape.nonzeros),
          shape.gram_products()};
}

Costs::Costs(const ProblemShape& shape, const std::optional<DeviceRates>& device)
    : n_(static_cast<double>(shape.rows)),
      d_(static_cast<double>(shape.cols)),
      c_(static_cast<double>(shape.right_hand_sides)),
      bytes_(shape.bytes) {
  const double dense_bytes = bytes_ > cached_bytes ? stream_bytes : cache_bytes;
  pass_ = start_pass + (shape.dense() ? n_ * row_pass + bytes_ / dense_bytes
                                      : n_ * sparse_row_pass + bytes_ / sparse_bytes);
  overhead_ = overhead_passes * pass_ + (shape.dense() ? 0.0 : n_ * sparse_row_facts);
  const double wide = d_ / (d_ + half_speed);
  factor_ = factor_flops * wide;
  const double sparse_row = sparse_row_seconds + (bytes_ > cached_bytes ? far_seconds : 0.0);
  kaczmarz_ =
      bytes_ / one_core_bytes +
      (shape.dense() ? n_ * row_seconds
                     : n_ * sparse_row + static_cast<double>(shape.nonzeros) * entry_seconds);
  vectors_ = 6.0 * 8.0 * n_ * c_ / stream_bytes;
  gram_ = std::max(pass_, gram_share * nominal::gram(gram_size(shape)));
  if (device) use_device(shape, *device);
  products_ = gram_;
  if (shape.disk) use_disk(*shape.disk);
}

// Rows are read while others are used: a pass takes the longer one of the two.
void Costs::use_disk(const DiskRates& rates) {
  const double before = pass_;
  pass_ = std::max(pass_, bytes_ / rates.sweep_bytes);
  overhead_ += overhead_passes * (pass_ - before);
  gram_ = std::max(gram_, pass_);
  row_ = 1.0 / rates.single_rows;
  kaczmarz_ = std::max(kaczmarz_, n_ * row_);
}

// A and the vectors are in the memory of the device; AᵀA of CSR is computed on the host.
void Costs::use_device(const ProblemShape& shape, const DeviceRates& rates) {
  const double reads = shape.dense() ? 1.0 : csr_reads;
  copy_ = (shape.dense() ? bytes_ : 2.0 * bytes_) / rates.bus_bytes + n_ * host_row_seconds;
  pass_ = rates.start_seconds + reads * bytes_ / rates.read_bytes;
  overhead_ = copy_ + overhead_passes * pass_;
  vectors_ = 6.0 * (rates.start_seconds + 8.0 * n_ * c_ / rates.read_bytes);
  kaczmarz_ = n_ * device_row_seconds + bytes_ / device_row_bytes;
  step_ = device_step_starts * rates.start_seconds;
  gram_on_device_ = shape.dense();
  const double products = n_ * (d_ + c_) * (d_ + c_) / rates.gram_products;
  if (shape.dense()) gram_ = rates.start_seconds + std::max(pass_, products);
}

double Costs::kaczmarz(double passes) const {
  return start_run + kaczmarz_steps(passes) + overhead_;
}
double Costs::kaczmarz_steps(double passes) const {
  return passes * kaczmarz_ + n_ * table_seconds;
}
double Costs::qr(double rows) const { return 2.0 * rows * d_ * d_ / factor_; }
double Costs::subset_by_qr(double rows) const {
  return start_subset_qr + rows_read(rows) +
         slow_subset_qr * (qr(rows) + 12.0 * d_ * d_ * d_ / factor_);
}
double Costs::subset_by_gram(double rows) const {
  return start_subset_gram + rows_read(rows) + checked_rows * d_ * check_seconds +
         gram_share * nominal::dense_gram(rows, d_ + c_) + cholesky();
}
double Costs::krylov(double iterations, double reads) const {
  return start_run + overhead_ + iterations * (reads * pass_ + step_) +
         (reads > 1.0 ? iterations * vectors_ : 0.0);
}
// On the CPU one read of A for all of it, and often one more for refinement or for the tolerance;
// a device computes norms and checks apart from AᵀA.
double Costs::normal() const {
  return start_run + gram() + cholesky() + (copy_ > 0.0 ? overhead_ : pass_);
}
double Costs::cholesky() const { return d_ * d_ * (d_ + half_cholesky) / 3.0 / factor_flops; }
double Costs::sketch() const {
  return std::max(pass_, sketch_copies * n_ * (d_ + c_) / nominal::sketch_adds(d_));
}

double Costs::direct() const {
  const double tall = std::max(n_, d_), thin = std::min(n_, d_);
  return start_run + (2.0 * tall + 12.0 * thin) * thin * thin / factor_ + tall * row_qr + overhead_;
}

// Tall: R, RᵀR of it, and for each right-hand side some Cholesky factors and a QR or two of
// the free columns. Wide: as many columns join one by one as there are rows.
double Costs::active_set() const {
  if (n_ >= d_) return (2.0 * n_ + (1.0 + 3.0 * c_) * d_) * d_ * d_ / factor_ + overhead_;
  return n_ * n_ * d_ * (20.0 / factor_ + c_ * 10.0 / exchange_flops) + overhead_;
}

// Each pass multiplies the error by √(d/s).
double Costs::sketched_with(double ratio, double digits) const {
  const double passes = digits / (0.5 * std::log(ratio));
  return start_run + sketch() + qr(ratio * d_) + overhead_ + passes * pass_;
}

double Costs::sketched(double digits) const {
  double best = sketched_with(ratios[0], digits);
  for (double ratio : ratios) best = std::min(best, sketched_with(ratio, digits));
  return best;
}

Index Costs::sketch_rows(double digits) const {
  double best = ratios[0];
  for (double ratio : ratios)
    if (sketched_with(ratio, digits) < sketched_with(best, digits)) best = ratio;
  return static_cast<Index>(std::max(96.0, std::ceil(best * d_)));
}

double cg_iterations_at(double condition, double factor) {
  return std::log(factor) / std::log((condition + 1.0) / (condition - 1.0));
}

// With independent entries A has a condition of about (√g + 1)/(√g − 1), where g is its
// longer side over its shorter one, times a factor for the different lengths of the m vectors
// of the shorter side: with about k entries each, their squared lengths deviate by up to
// √(2 ln m)/√k from the mean.
double random_cg_iterations(double n, double d, double nonzeros, double tol) {
  const double m = std::max(1.0, std::min(n, d)), root = std::sqrt(std::max(n, d) / m);
  const double off = std::sqrt(2.0 * std::log(m) / std::max(1.0, nonzeros / m));
  if (off >= 1.0 || root <= 1.0) return 3.0 * m;
  const double c = (root + 1.0) / (root - 1.0) * std::sqrt((1.0 + off) / (1.0 - off));
  return std::clamp(cg_iterations_at(c, 2.0 / tol), 3.0, 3.0 * m);
}

// Each row multiplies the squared error by 1 − 1/(d·kappa_F), and
// kappa_F = ‖A‖_F²/(d·lambda_min) is close to 1.
double kaczmarz_passes(double n, double d, double tol) { return 2.0 * std::log(1.0 / tol) * d / n; }

WorkingMemory::WorkingMemory(const ProblemShape& shape, const SolveOptions& options,
                             SpectrumBy spectrum)
    : n_(static_cast<double>(shape.rows)),
      d_(static_cast<double>(shape.cols)),
      c_(static_cast<double>(shape.right_hand_sides)),
      entries_(static_cast<double>(shape.nonzeros)),
      shape_(shape),
      options_(options),
      spectrum_(spectrum) {}

double WorkingMemory::own_rows() const { return n_ / static_cast<double>(shape_.ranks); }

double WorkingMemory::threads() const {
  const Index asked = options_.threads;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return asked > 0 ? static_cast<double>(asked) : static_cast<double>(cores);
}

// spectrum/row_norms: norms of a rank's rows; or 10 bytes and up to 640 of bits for each block of
// 4096 rows, and norms that threads compute before others, of a chunk of rows each.
double WorkingMemory::row_norms(bool used) const {
  if (used || shape_.ranks > 1 || n_ <= static_cast<double>(most_kept_norms)) return own_rows();
  const double ahead = std::min(0x1p24, (threads() - 1.0) * n_ / 64.0);
  return n_ / 4096.0 * (650.0 / 8.0) + ahead;
}

// x, its start and best, gradients of the method and of the measurement; one more for
// each chunk of rows (matrix/products).
double WorkingMemory::every_run() const {
  const double chunks = std::min({64.0, std::max(std::min(n_ / 64.0, 8.0), n_ / 512.0),
                                  entries_ / 4096.0, entries_ / std::max(1.0, 2.0 * d_)});
  const double weights = shape_.weighted && !shape_.shared_weights ? n_ : 0.0;
  return weights + d_ * c_ * (10.0 + std::max(1.0, chunks));
}

// linalg/tsqr: R of each chunk of rows; beside them two blocks of rows for
// each thread, or R once more.
double WorkingMemory::factor(double rows, double cols) const {
  const auto chunks =
      static_cast<double>(tall_r_chunks(static_cast<Index>(rows), static_cast<Index>(cols)));
  const double blocks = std::min(chunks, threads()) * 2.0 * std::min(rows, 512.0) * cols;
  return chunks * cols * cols + std::max(cols * cols, blocks);
}

// spectrum/gram: H = AᵀA, once more for each further part of the rows; for each strip
// at work a band of H and a position in each row. Or panels.
double WorkingMemory::gram(double cols) const {
  const GramSize A = gram_size(shape_);
  if (!few_products(A)) return gram_of_panels(cols);
  const GramCuts cuts = gram_cuts(A);
  const auto parts = static_cast<double>(cuts.parts);
  const double at_work = std::min(threads(), static_cast<double>(cuts.strips) * parts);
  const double rows = cuts.bands > 1 ? own_rows() / parts : 0.0;
  return parts * cols * cols + at_work * (0x1p17 + rows);
}

// spectrum/gram: partial sums, a panel of rows for each of them, and H.
double WorkingMemory::gram_of_panels(double cols) const {
  constexpr auto panel = static_cast<double>(kernels::panel_rows);
  const auto chunks =
      static_cast<double>(gram_chunks(static_cast<Index>(n_), static_cast<Index>(cols)));
  return (chunks + 1.0) * cols * cols + std::min(chunks, 4.0) * panel * cols;
}

// sampling: weights while the table is built, starts, a line of eight numbers for
// about four rows (a power of two of lines, 2^23 at most); draws of a batch. A rank holds its part
// of rows and draws. Rows of the same probability need no table.
double WorkingMemory::sampler(bool even) const {
  constexpr double most_cells = 0x1p23;
  const double lines = std::exp2(std::ceil(std::log2(std::max(1.0, own_rows() / 4.0))));
  const double cells = std::min(most_cells, lines);
  const double batch = static_cast<double>(options_.batch_size.value_or(0));
  const double table = even && shape_.ranks == 1 ? 0.0 : 2.0 * own_rows() + 8.0 * cells;
  return table + 4.0 * batch / static_cast<double>(shape_.ranks);
}

double WorkingMemory::spectrum() const {
  const bool given = options_.lambda_min && options_.lambda_max;
  SpectrumBy by = spectrum_;
  if (by == SpectrumBy::automatic) by = cheapest_spectrum(gram_size(shape_));
  if (given || by == SpectrumBy::lanczos) return 60.0 * d_;
  const double exact =
      gram(d_) + (d_ <= static_cast<double>(most_model_columns) ? 3.0 : 0.0) * d_ * d_;
  return by == SpectrumBy::exact ? exact : std::max(exact, sketched_spectrum());
}

// spectrum/sketch_extremes: the sketch, and its Gram matrix twice.
double WorkingMemory::sketched_spectrum() const {
  const double rows = static_cast<double>(extremes_sketch_rows(shape_.cols));
  return (rows + 1024.0) * d_ + gram_of_panels(d_) + 2.0 * d_ * d_;
}

}  // namespace polyak
