#include "spectrum/gram.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/file_pages.hpp"
#include "core/large_arrays.hpp"
#include "kernels/gram.hpp"
#include "linalg/buffer.hpp"
#include "matrix/column_map.hpp"
#include "matrix/rank_rows.hpp"
#include "matrix/storage.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
namespace {

template <class Value>
const DenseRows<Value>* dense_rows(const RowMatrix& A) {
  const auto* dense = dynamic_cast<const TypedMatrix<DenseRows<Value>>*>(&A);
  return dense ? &dense->storage() : nullptr;
}

// The rows of [A b] times their factors, panel by panel. Dense rows in memory are packed
// directly and prefetched; rows of other matrices are copied first.
class GramPanels {
 public:
  GramPanels(const RowMatrix& A, ConstView b, const std::function<double(Index)>& factor,
             FoundRows* zero_rows)
      : A_(A),
        b_(b),
        factor_(factor),
        zero_rows_(zero_rows),
        doubles_(dense_rows<double>(A)),
        floats_(dense_rows<float>(A)) {}

  Index rows() const { return A_.rows(); }
  Index columns() const { return A_.cols() + b_.cols; }
  PagesBehind rhs_from(Index first) const {
    return {b_.data, to_size(b_.stride) * sizeof(double), first};
  }
  void expect(Index first, Index last) const { A_.expect_range(first, last); }

  // Packs rows [first, first + count) into rows `at`, at + 1, … of the panel.
  void pack(Index first, Index count, Index at, double* panel) const {
    std::array<double, to_size(kernels::panel_rows)> factors;
    std::array<bool, to_size(kernels::panel_rows)> is_zero;
    for (Index t = 0; t < count; ++t) factors[to_size(t)] = factor_ ? factor_(first + t) : 1.0;
    if (doubles_)
      kernels::pack_rows(doubles_->from(first), factors.data(), at, count, panel, is_zero.data());
    else if (floats_)
      kernels::pack_rows(floats_->from(first), factors.data(), at, count, panel, is_zero.data());
    else
      pack_copies(first, count, at, factors.data(), panel, is_zero.data());
    for (Index c = 0; c < b_.cols; ++c) {
      double* const out = panel + kernels::panel_place(at, A_.cols() + c);
      for (Index t = 0; t < count; ++t)
        out[t * kernels::block_columns] = factors[to_size(t)] * b_(first + t, c);
    }
    const auto end = is_zero.begin() + count;
    if (zero_rows_ != nullptr && std::find(is_zero.begin(), end, true) != end)
      add_zero_rows(first, std::span(is_zero).first(to_size(count)), factors.data());
  }

  // The memory of rows [first, last), for prefetching; empty if the rows are not contiguous.
  kernels::PrefetchRange coming(Index first, Index last) const {
    if (doubles_) return region(doubles_->view, first, last);
    return floats_ ? region(floats_->view, first, last) : kernels::PrefetchRange{};
  }

 private:
  // A row may be nonzero and too small for a panel; the norms of a matrix never underflow to 0.
  // Where many rows are zero, the norms of all are computed at a time.
  void add_zero_rows(Index first, std::span<const bool> is_zero, const double* factors) const {
    constexpr Index many = 8;
    std::array<double, to_size(kernels::panel_rows)> norms2{};
    const bool all = std::count(is_zero.begin(), is_zero.end(), true) >= many;
    if (all) A_.norms(first, first + std::ssize(is_zero), 1.0, {norms2.data(), is_zero.size()}, {});
    std::vector<Index> found;
    for (std::size_t t = 0; t < is_zero.size(); ++t) {
      const Index i = first + static_cast<Index>(t);
      if (is_zero[t] && !all && factors[t] != 0.0) A_.norms(i, i + 1, 1.0, {&norms2[t], 1}, {});
      if (is_zero[t] && (norms2[t] == 0.0 || factors[t] == 0.0)) found.push_back(i);
    }
    zero_rows_->add(found);
  }

  void pack_copies(Index first, Index count, Index at, const double* factors, double* panel,
                   bool* is_zero) const {
    constexpr Index rows_per_copy = 16;
    Buffer rows(rows_per_copy, A_.cols());
    for (Index t = 0; t < count; t += rows_per_copy) {
      const Index here = std::min(rows_per_copy, count - t);
      A_.copy_rows(first + t, first + t + here, rows.view());
      kernels::pack_rows({rows.data(), A_.cols(), A_.cols()}, factors + t, at + t, here, panel,
                         is_zero + t);
    }
  }

  template <class Value>
  static kernels::PrefetchRange region(const MatrixView<const Value>& view, Index first,
                                       Index last) {
    if (first >= last || view.stride > 2 * view.cols) return {};
    const Index values = (last - first - 1) * view.stride + view.cols;
    return {view.row(first), values * static_cast<Index>(sizeof(Value))};
  }

  const RowMatrix& A_;
  ConstView b_;
  const std::function<double(Index)>& factor_;
  FoundRows* zero_rows_;
  const DenseRows<double>* doubles_;
  const DenseRows<float>* floats_;
};

constexpr Index block_rows = kernels::panel_rows;

// The number of partial sums of H, one per task. With 1 the cells of H are the tasks instead:
// for many columns, where H does not fit the cache, and for few rows.
Index chunk_count(const RowMatrix& A) { return gram_chunks(A.rows(), A.cols()); }

// H += Σ a_i a_iᵀ over rows [first, last), one panel after the other.
void add_rows(const GramPanels& panels, Index first, Index last, double* H) {
  const Index d = panels.columns(), cells = kernels::cell_rows(d);
  Buffer panel(kernels::panel_size(d), 1);
  panels.expect(first, last);
  PagesBehind rhs = panels.rhs_from(first);
  for (; first < last; first += block_rows) {
    const Index next = std::min(first + block_rows, last);
    panels.pack(first, next - first, 0, panel.data());
    rhs.used_up_to(next);
    auto coming = panels.coming(next, std::min(next + block_rows, last));
    for (Index J = 0; J < cells; ++J) {
      for (Index I = J; I < cells; ++I, coming = {})
        kernels::add_cell(panel.data(), next - first, d, I, J, H, coming);
    }
  }
}

// The same for all rows, where the threads share the work on each panel.
void add_all_rows(const GramPanels& panels, ThreadTeam& team, double* H) {
  constexpr Index rows_per_task = 32;
  const Index d = panels.columns(), cells = kernels::cell_rows(d);
  Buffer panel(kernels::panel_size(d), 1);
  panels.expect(0, panels.rows());
  PagesBehind rhs = panels.rhs_from(0);
  for (Index first = 0; first < panels.rows(); first += block_rows) {
    const Index count = std::min(block_rows, panels.rows() - first);
    team.run((count + rows_per_task - 1) / rows_per_task, [&](Index part) {
      const Index t = part * rows_per_task;
      panels.pack(first + t, std::min(rows_per_task, count - t), t, panel.data());
    });
    rhs.used_up_to(first);
    team.run(cells * cells, [&](Index cell) {
      const Index I = cell / cells, J = cell % cells;
      if (J <= I) kernels::add_cell(panel.data(), count, d, I, J, H);
    });
  }
}

// Copies the lower triangle to the upper one, tile by tile.
void mirror(std::vector<double>& H, Index d, ThreadTeam& team) {
  constexpr Index tile = 64;
  const Index tiles = (d + tile - 1) / tile;
  team.run(tiles * tiles, [&](Index pair) {
    const Index top = pair / tiles * tile, left = pair % tiles * tile;
    if (left > top) return;
    for (Index i = top; i < std::min(top + tile, d); ++i)
      for (Index j = left; j < std::min(left + tile, i); ++j)
        H[to_size(j * d + i)] = H[to_size(i * d + j)];
  });
}

// The lower triangle of the sum of the partial sums, added in their order. A partial sum is a
// square matrix of width `stride`, of which only the lower triangle is used.
std::vector<double> add_parts(Buffer& parts, Index stride, Index d, ThreadTeam& team) {
  std::vector<double> H(to_size(d * d));
  team.run(d, [&](Index i) {
    double* sum = parts.view().row(0) + i * stride;
    for (Index chunk = 1; chunk < parts.rows(); ++chunk) {
      const double* part = parts.view().row(chunk) + i * stride;
      for (Index j = 0; j <= i; ++j) sum[j] += part[j];
    }
    std::copy_n(sum, i + 1, H.data() + i * d);
  });
  return H;
}

std::vector<double> gram_by_panels(const GramPanels& panels, Index chunks, ThreadTeam& team) {
  const Index n = panels.rows(), d = panels.columns();
  const Index stride = kernels::column_blocks(d) * kernels::block_columns;
  Buffer parts(chunks, stride * stride);
  if (chunks == 1) {
    add_all_rows(panels, team, parts.data());
  } else {
    team.run(chunks, [&](Index chunk) {
      add_rows(panels, chunk * n / chunks, (chunk + 1) * n / chunks, parts.view().row(chunk));
    });
  }
  return add_parts(parts, stride, d, team);
}

// Whether products of the columns in their own units neither overflow nor underflow.
bool safe_units(const ColumnMap& map) {
  constexpr int safe_exponent = 200;
  return std::all_of(map.units.begin(), map.units.end(),
                     [](double u) { return u == 0.0 || std::abs(std::ilogb(u)) <= safe_exponent; });
}

bool units_only(const ColumnMap& map) { return !map.ones && !map.centred(); }

// Whether the Gram matrix follows from that of the inner matrix.
bool by_inner(const MappedMatrix& A) {
  return safe_units(A.map()) && (units_only(A.map()) || has_sparse_gram(*A.inner()));
}

// Only the units differ: scale the Gram matrix of the inner matrix.
std::vector<double> gram_in_units(const MappedMatrix& A, const std::function<double(Index)>& factor,
                                  ThreadTeam& team, ConstView b, FoundRows* zero_rows) {
  std::vector<double> H = gram(*A.inner(), factor, team, b, zero_rows);
  const Index d = A.cols(), width = d + b.cols;
  const auto unit = [&](Index j) { return j < d ? A.map().units[to_size(j)] : 1.0; };
  for (Index i = 0; i < width; ++i)
    for (Index j = 0; j < width; ++j) H[to_size(i * width + j)] *= unit(i) * unit(j);
  return H;
}

// Centred and scaled columns of a sparse matrix: from the Gram matrix of [A b 1], without
// making the rows dense. With H = AᵀA, s = Aᵀ1 and m = 1ᵀ1 (each with the factors),
//   H̃_jk = unit_j·unit_k·(H_jk − centre_j·s_k − s_j·centre_k + m·centre_j·centre_k),
// where A has the entries that are left after the part of the centre that is subtracted from each.
std::vector<double> mapped_gram(const MappedMatrix& A, const std::function<double(Index)>& factor,
                                ThreadTeam& team, ConstView b, FoundRows* zero_rows) {
  const ColumnMap& map = A.map();
  const Index d = A.inner()->cols(), c = b.cols, width = d + c + 1, out_width = A.cols() + c;
  RowNumbers beside(to_size(A.rows() * (c + 1)));
  const View rhs{beside.data(), A.rows(), c + 1, c + 1};
  for (Index i = 0; i < A.rows(); ++i) {
    for (Index k = 0; k < c; ++k) rhs(i, k) = b(i, k);
    rhs(i, c) = 1.0;
  }
  std::vector<double> all = sparse_gram(*A.inner(), factor, team, rhs, zero_rows, A.entry_centre());
  mirror(all, width, team);
  const auto value = [&](Index j, Index k) { return all[to_size(j * width + k)]; };
  const std::span<const double> by_entry = A.entry_centre();
  const auto centre = [&](Index j) {
    if (j >= d || !map.centred()) return 0.0;
    return map.centre[to_size(j)] - (by_entry.empty() ? 0.0 : by_entry[to_size(j)]);
  };
  // For column j of the mapped [A b]: its index in `all`, and its unit.
  const auto place = [&](Index j) { return j < d ? j : j == d && map.ones ? d + c : j - map.ones; };
  const auto unit = [&](Index j) { return j < A.cols() ? map.units[to_size(j)] : 1.0; };
  const Index ones = d + c;
  std::vector<double> H(to_size(out_width * out_width));
  team.run(out_width, [&](Index j) {
    for (Index k = 0; k < out_width; ++k) {
      const Index p = place(j), q = place(k);
      const double sum = value(p, q) - centre(j) * value(ones, q) - value(p, ones) * centre(k) +
                         centre(j) * value(ones, ones) * centre(k);
      H[to_size(j * out_width + k)] = unit(j) * (unit(k) * sum);
    }
  });
  return H;
}

}  // namespace

// A power of two, so that an even number of threads has the same work; and at least half a row per
// column for each: zeroing and adding a partial sum costs about d²/4 products.
Index gram_chunks(Index rows, Index cols) {
  constexpr Index max_columns = 512, max_chunks = 16;
  if (cols > max_columns) return 1;
  const Index limit =
      std::min({max_chunks, rows / block_rows, 2 * rows / std::max<Index>(1, cols)});
  return static_cast<Index>(std::bit_floor(to_size(std::max<Index>(1, limit))));
}

void load_rows(const RowMatrix& A, const std::function<double(Index)>& factor, Index first,
               View out) {
  A.copy_rows(first, first + out.rows, out);
  for (Index r = 0; r < out.rows; ++r) {
    const double f = factor(first + r);
    for (Index j = 0; j < out.cols; ++j) out(r, j) *= f;
  }
}

void for_blocks(const RowMatrix& A, const std::function<double(Index)>& factor, Index chunks,
                ThreadTeam& team, const std::function<void(Index, Index, ConstView)>& body) {
  const Index n = A.rows(), d = A.cols();
  team.run(chunks, [&](Index chunk) {
    std::vector<double> rows(to_size(block_rows * d));
    const Index last = (chunk + 1) * n / chunks;
    A.expect_range(chunk * n / chunks, last);
    for (Index first = chunk * n / chunks; first < last; first += block_rows) {
      const View block{rows.data(), std::min(block_rows, last - first), d, d};
      load_rows(A, factor, first, block);
      body(chunk, first, block);
    }
  });
}

std::vector<double> gram(const RowMatrix& A, const std::function<double(Index)>& factor,
                         ThreadTeam& team, ConstView b, FoundRows* zero_rows) {
  if (const Partition own = partition(A); own.rows != &A) {
    const ConstView own_b =
        b.cols == 0 ? b : ConstView{b.row(own.first), own.rows->rows(), b.cols, b.stride};
    std::function<double(Index)> own_factor;
    if (factor) own_factor = [&](Index i) { return factor(own.first + i); };
    FoundRows of_all([&](Index i) {
      const Index row = own.first + i;
      zero_rows->add({&row, 1});
    });
    std::vector<double> H = gram(*own.rows, own_factor, team, own_b, zero_rows ? &of_all : nullptr);
    communicator(A).sum(H);
    return H;
  }
  if (const auto* mapped = dynamic_cast<const MappedMatrix*>(&A)) {
    if (units_only(mapped->map()) && safe_units(mapped->map()))
      return gram_in_units(*mapped, factor, team, b, zero_rows);
    if (by_inner(*mapped)) return mapped_gram(*mapped, factor, team, b, zero_rows);
  }
  std::vector<double> H = has_sparse_gram(A)
                              ? sparse_gram(A, factor, team, b, zero_rows)
                              : gram_by_panels({A, b, factor, zero_rows}, chunk_count(A), team);
  mirror(H, A.cols() + b.cols, team);
  return H;
}

double gram_additions(const RowMatrix& A) {
  if (const auto* mapped = dynamic_cast<const MappedMatrix*>(&A); mapped && by_inner(*mapped))
    return gram_additions(*mapped->inner()) + 3.0;
  if (has_sparse_gram(A)) return sparse_gram_additions(A);
  // The sums of the rows of each rank, and the sum over the ranks.
  if (const Partition own = partition(A); own.rows != &A)
    return largest_of_ranks(A, gram_additions(*own.rows)) + static_cast<double>(own.ranks());
  const Index chunks = chunk_count(A);
  return static_cast<double>(std::min(A.rows(), block_rows) + A.rows() / (chunks * block_rows) +
                             chunks);
}

}  // namespace polyak
