#include "method/working_memory.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "kernels/gram.hpp"
#include "linalg/tsqr.hpp"
#include "method/costs.hpp"
#include "spectrum/gram.hpp"

namespace polyak {

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

// Norms of a rank's rows; x, its start and best, gradients of the method and of
// the measurement; one more for each chunk of rows (matrix/products).
double WorkingMemory::every_run() const {
  const double chunks = std::min({64.0, std::max(std::min(n_ / 64.0, 8.0), n_ / 512.0),
                                  entries_ / 4096.0, entries_ / std::max(1.0, 2.0 * d_)});
  return own_rows() + (shape_.weighted ? n_ : 0.0) + d_ * c_ * (10.0 + std::max(1.0, chunks));
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
  const double chunks = cols > 512.0 ? 1.0 : std::clamp(n_ / panel, 1.0, 16.0);
  return (chunks + 1.0) * cols * cols + std::min(chunks, 4.0) * panel * cols;
}

// sampling: weights while the table is built, starts, a line of eight numbers for
// about four rows (a power of two of lines); draws of a batch. A rank holds its part of
// rows and draws.
double WorkingMemory::sampler() const {
  const double cells = std::exp2(std::ceil(std::log2(std::max(1.0, own_rows() / 4.0))));
  const double batch = static_cast<double>(options_.batch_size.value_or(0));
  return 2.0 * own_rows() + 8.0 * cells + 4.0 * batch / static_cast<double>(shape_.ranks);
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
