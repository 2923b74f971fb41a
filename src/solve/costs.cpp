#include "solve/costs.hpp"

#include <algorithm>
#include <cmath>

#include "spectrum/gram.hpp"
#include "spectrum/sketch.hpp"

namespace polyak {
namespace {

// Measured on two cores with AVX-512 (bench/results); other machines differ in
// size more than in ratio.
constexpr double stream_bytes = 2.5e10;   // rows of a dense A, read in order
constexpr double sparse_bytes = 1.05e10;  // of CSR: entries are gathered
constexpr double start_pass = 8e-6;       // of a pass, however little there is to read
constexpr double row_pass = 1.5e-8;       // of a row in a pass, however short it is …
constexpr double sparse_row_pass = 4e-9;  // … of CSR
constexpr double sparse_row_facts = 4e-8;  // of a row of CSR in the first read, of its norms
constexpr double row_qr = 4e-8;           // of a row in QR by blocks, likewise
constexpr double start_run = 4e-4;        // of a run: its threads, a sample of rows, its report
constexpr double factor_flops = 4.0e10;   // Householder and Cholesky by LAPACK …
constexpr double half_speed = 30.0;       // … from some columns on; here half of that
constexpr double half_cholesky = 1400.0;  // Cholesky and a look at its condition get there later
constexpr double exchange_flops = 2.5e9;  // a column joins a factor: reads and writes all of it
constexpr double gram_share = 0.8;        // of nominal::gram, whose rate decides more than this
constexpr double start_look = 7e-4, slow_look = 2.5;  // a small QR is far from those rates
constexpr double start_gram_look = 2e-3;  // a run of its own, on a copy of the rows

constexpr double checked_rows = 1e3, check_seconds = 2e-9;  // of a look, one number after another

constexpr double one_core_bytes = 8e9;    // of rows at random
constexpr double row_seconds = 5e-8;      // of a step, beside its row
constexpr double sparse_row_seconds = 2e-8;  // … of CSR …
constexpr double entry_seconds = 3e-9;    // … and of an entry: x is gathered and scattered …
constexpr double far_seconds = 8e-8;      // … and of a row that is in no cache
constexpr double cached_bytes = 2e7;
constexpr double table_seconds = 6e-8;    // of a row in the sampling table

constexpr double around = 3.0;            // passes of any run: row norms, its first and last check

constexpr double ratios[] = {3.0, 4.0, 6.0, 8.0, 12.0};  // s/d of a sketch

}  // namespace

GramSize gram_size(const ProblemShape& shape) {
  return {static_cast<double>(shape.rows), static_cast<double>(shape.cols),
          static_cast<double>(shape.right_hand_sides), static_cast<double>(shape.nonzeros),
          shape.gram_products()};
}

Costs::Costs(const ProblemShape& shape)
    : n_(static_cast<double>(shape.rows)),
      d_(static_cast<double>(shape.cols)),
      c_(static_cast<double>(shape.right_hand_sides)),
      bytes_(shape.bytes) {
  pass_ = start_pass + (shape.dense() ? n_ * row_pass + bytes_ / stream_bytes
                                      : n_ * sparse_row_pass + bytes_ / sparse_bytes);
  around_ = around * pass_ + (shape.dense() ? 0.0 : n_ * sparse_row_facts);
  const double wide = d_ / (d_ + half_speed);
  factor_ = factor_flops * wide;
  const double sparse_row = sparse_row_seconds + (bytes_ > cached_bytes ? far_seconds : 0.0);
  kaczmarz_ = bytes_ / one_core_bytes +
              (shape.dense() ? n_ * row_seconds
                             : n_ * sparse_row + static_cast<double>(shape.nonzeros) * entry_seconds);
  vectors_ = 6.0 * 8.0 * n_ * c_ / stream_bytes;
  gram_ = std::max(pass_, gram_share * nominal::gram(gram_size(shape)));
}

double Costs::kaczmarz(double passes) const {
  return start_run + kaczmarz_steps(passes) + around_;
}
double Costs::kaczmarz_steps(double passes) const {
  return passes * kaczmarz_ + n_ * table_seconds;
}
double Costs::qr(double rows) const { return 2.0 * rows * d_ * d_ / factor_; }
double Costs::look(double rows) const {
  return start_look + slow_look * (qr(rows) + 12.0 * d_ * d_ * d_ / factor_);
}
double Costs::gram_look(double rows) const {
  return start_gram_look + checked_rows * d_ * check_seconds +
         gram_share * nominal::dense_gram(rows, d_ + c_) + cholesky();
}
double Costs::krylov(double steps, double passes) const {
  return start_run + around_ + passes * steps * pass_ + (passes > 1.0 ? steps * vectors_ : 0.0);
}
double Costs::normal() const { return start_run + gram() + cholesky() + around_; }
double Costs::cholesky() const {
  return d_ * d_ * (d_ + half_cholesky) / 3.0 / factor_flops;
}
double Costs::sketch() const {
  return std::max(pass_, sketch_copies * n_ * (d_ + c_) / nominal::sketch_adds(d_));
}

double Costs::direct() const {
  const double tall = std::max(n_, d_), thin = std::min(n_, d_);
  return start_run + (2.0 * tall + 12.0 * thin) * thin * thin / factor_ + tall * row_qr +
         around_;
}

// Tall: R, RᵀR of it, and for each right-hand side some Cholesky factors and a QR or two of
// the free columns. Wide: as many columns join one by one as there are rows.
double Costs::active_set() const {
  if (n_ >= d_) return (2.0 * n_ + (1.0 + 3.0 * c_) * d_) * d_ * d_ / factor_ + around_;
  return n_ * n_ * d_ * (20.0 / factor_ + c_ * 10.0 / exchange_flops) + around_;
}

// √(d/s) off the error in each pass.
double Costs::sketched_with(double ratio, double digits) const {
  const double passes = digits / (0.5 * std::log(ratio));
  return start_run + sketch() + qr(ratio * d_) + around_ + passes * pass_;
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

}  // namespace polyak
