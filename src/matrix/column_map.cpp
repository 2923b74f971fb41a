#include "matrix/column_map.hpp"

#include <algorithm>
#include <cmath>

#include "matrix/disk_rows.hpp"
#include "matrix/mapped_rows.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

template <class Value>
MatrixPtr map_stored(const DenseRows<Value>& rows, const MatrixPtr& A, ColumnMap map) {
  const auto load = [&rows](Index i, double* out) { rows.row(i).copy(out); };
  return std::make_shared<MappedDense<decltype(load)>>(A, std::move(map), load);
}

template <class Value, class Column>
MatrixPtr map_stored(const CsrRows<Value, Column>& rows, const MatrixPtr& A, ColumnMap map) {
  return std::make_shared<MappedSparse<Value, Column>>(A, std::move(map), rows);
}

// Rows of any matrix; each call may take a while (a lock, a look for the row).
struct AnyRows {
  const RowMatrix& rows;

  void operator()(Index i, double* out) const {
    rows.copy_rows(i, i + 1, {out, 1, rows.cols(), rows.cols()});
  }
  void range(Index first, View out) const { rows.copy_rows(first, first + out.rows, out); }
};

MatrixPtr map_any(const MatrixPtr& A, ColumnMap map) {
  return std::make_shared<MappedDense<AnyRows>>(A, std::move(map), AnyRows{*A});
}

// Maps the rows stored here; their distribution over ranks remains.
MatrixPtr map_part(const MatrixPtr& A, ColumnMap map) {
  const Partition own = partition(*A);
  const bool same_columns = !map.ones && !map.centred();
  std::shared_ptr<ColumnExchange> columns;
  if (own.columns && same_columns) columns = {A, own.columns};
  return rank_rows(mapped_columns({A, own.rows}, std::move(map)), own.first, A->rows(),
                   {A, own.communicator}, std::move(columns));
}

// value + sign·Σ centre_j·x_j, in twice the precision: the terms may be much larger than their sum.
double plus_products(double value, double sign, std::span<const double> centre, const double* x) {
  double sum = value, rest = 0.0;  // the sum is sum + rest
  for (std::size_t j = 0; j < centre.size(); ++j) {
    const double term = sign * centre[j] * x[j];
    if (!std::isfinite(term)) return value + term;
    const double before = sum;
    sum += term;
    const double added = sum - before;  // rounding of the sum, and of the product
    rest += (before - (sum - added)) + (term - added) + std::fma(sign * centre[j], x[j], -term);
  }
  return sum + rest;
}

}  // namespace

ColumnMap ColumnMap::plain(Index cols_of_A, bool ones) {
  return {std::vector<double>(to_size(cols_of_A + (ones ? 1 : 0)), 1.0), {}, ones};
}

void ColumnMap::to_user(const double* z, const double* start, double* x) const {
  for (std::size_t j = 0; j < units.size(); ++j)
    x[j] = units[j] == 0.0 ? start[j] : units[j] * z[j];
  if (!centre.empty()) x[units.size() - 1] = plus_products(x[units.size() - 1], -1.0, centre, x);
}

void ColumnMap::from_user(const double* x, double* z) const {
  const std::size_t last = units.size() - 1;
  for (std::size_t j = 0; j < units.size(); ++j) z[j] = x[j];
  if (!centre.empty()) z[last] = plus_products(x[last], 1.0, centre, x);
  for (std::size_t j = 0; j < units.size(); ++j) z[j] = units[j] == 0.0 ? 0.0 : z[j] / units[j];
}

MappedMatrix::MappedMatrix(MatrixPtr A, ColumnMap map)
    : A_(std::move(A)), map_(std::move(map)), d_(A_->cols()) {}

bool MappedMatrix::centred_by_entry() const {
  const std::span<const double> entries = entry_centre();
  for (std::size_t j = 0; j < map_.centre.size(); ++j)
    if (map_.centre[j] != (entries.empty() ? 0.0 : entries[j])) return false;
  return true;
}

double MappedMatrix::gram_products() const {
  const double of_ones =
      map_.ones ? 2.0 * static_cast<double>(A_->nonzeros()) + static_cast<double>(rows()) : 0.0;
  return A_->gram_products() + of_ones;
}

void MappedMatrix::map_row(double* row) const {
  for (std::size_t j = 0; j < map_.centre.size(); ++j) row[j] -= map_.centre[j];
  if (map_.ones) row[d_] = 1.0;
  for (Index j = 0; j < cols(); ++j) row[j] *= map_.units[to_size(j)];
}

void MappedMatrix::copy_rows(Index first, Index last, View out) const {
  A_->copy_rows(first, last, {out.data, out.rows, d_, out.stride});
  for (Index i = first; i < last; ++i) map_row(out.row(i - first));
}

bool internal::stores_rows(const RowMatrix& A) {
  bool stored = as_disk_rows(A) != nullptr;
  as_stored(*partition(A).rows, [&](const auto&) {
    stored = true;
    return MatrixPtr();
  });
  return stored;
}

const DiskRows* internal::as_disk_rows(const RowMatrix& A) {
  const RowMatrix* rows = partition(A).rows;
  if (const auto* mapped = dynamic_cast<const MappedMatrix*>(rows)) rows = mapped->inner().get();
  return dynamic_cast<const DiskRows*>(rows);
}

std::optional<DiskUse> disk_use(const RowMatrix& A) {
  const DiskRows* const rows = as_disk_rows(A);
  return rows ? std::optional(rows->use()) : std::nullopt;
}

const MappedMatrix* internal::as_mapped(const RowMatrix& A) {
  return dynamic_cast<const MappedMatrix*>(partition(A).rows);
}

MatrixPtr internal::mapped_columns(const MatrixPtr& A, ColumnMap map) {
  if (partition(*A).rows != A.get()) return map_part(A, std::move(map));
  auto out = as_stored(*A, [&](const auto& rows) { return map_stored(rows, A, std::move(map)); });
  return out ? out : map_any(A, std::move(map));
}

}  // namespace polyak
