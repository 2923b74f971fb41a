#pragma once

// Squared norms of rows and columns from one read of A: those of all rows, or, where n numbers
// would take too much memory, what the set-up of a solve needs to know of them.

#include <memory>
#include <vector>

#include "core/large_arrays.hpp"
#include "matrix/products.hpp"
#include "matrix/row_sums.hpp"
#include "polyak/problem.hpp"
#include "sampling/sampler.hpp"

namespace polyak {

struct Norms {
  RowNumbers rows;              ///< ‖scale·a_i‖², without weights
  std::vector<double> columns;  ///< Σ_i w_i(scale·a_ij)²
};

/// From `sums` where it has A, with the same bits.
Norms read_norms(const Problem& problem, Products& products, double scale, RowSums* sums);

/// norms2[i] times weights[i]. A nonzero row with a positive weight keeps a positive norm:
/// underflow must not make it zero.
void apply_weights(std::span<const double> weights, std::span<double> norms2);

/// Of blocks of UsedRows::block_rows rows.
struct RowBlocks {
  UsedRows used;                ///< rows with a norm and a weight above 0
  std::vector<double> largest;  ///< w_i‖a_i‖², of each block
};

struct NormSums {
  double largest = 0.0;              ///< ‖scale·a_i‖²; infinity if one is not finite
  double largest_taking_part = 0.0;  ///< the same for rows of positive weight
  double sum = 0.0;                  ///< Σ w_i‖scale·a_i‖², added in the order of rows
  Index zero_rows = 0;               ///< whose w_i‖a_i‖² is 0
  Index zero_rows_with_rhs = 0;      ///< of positive weight, with b_i ≠ 0
  std::shared_ptr<const RowBlocks> blocks;
  std::vector<double> columns;  ///< as in Norms
};

/// All of it with the bits that the numbers of read_norms would give, in memory for less than
/// a bit per row and for norms that some threads compute before others. Of rows that are all
/// stored by this process and can be read one by one.
NormSums sum_norms(const Problem& problem, Products& products, double scale);

/// sampling_eta of a sampler that draws all used rows with the same probability.
double even_eta(const Problem& problem, const RowBlocks& blocks, const Sampler& sampler,
                double scale, double frobenius2);

}  // namespace polyak
