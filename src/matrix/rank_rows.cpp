#include "matrix/rank_rows.hpp"

#include <algorithm>
#include <utility>

#include "core/large_arrays.hpp"
#include "polyak/error.hpp"
#include "polyak/ranks.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

// The whole matrix as this rank sees it: calls are restricted to the rows stored here.
class RankRows final : public RowMatrix {
 public:
  RankRows(MatrixPtr own, Index first, Index rows, std::shared_ptr<Communicator> communicator,
           std::shared_ptr<ColumnExchange> columns)
      : own_(std::move(own)),
        communicator_(std::move(communicator)),
        columns_(std::move(columns)),
        first_(first),
        last_(first + own_->rows()),
        rows_(rows) {
    double totals[] = {static_cast<double>(own_->nonzeros()), own_->bytes(), own_->gram_products()};
    communicator_->sum(totals);
    nonzeros_ = static_cast<Index>(totals[0]);
    bytes_ = totals[1];
    gram_products_ = totals[2];
  }

  Index rows() const override { return rows_; }
  Index cols() const override { return own_->cols(); }
  Index nonzeros() const override { return nonzeros_; }
  double gram_products() const override { return gram_products_; }
  double bytes() const override { return bytes_; }
  std::string kind() const override { return own_->kind(); }
  bool only_products() const override { return own_->only_products(); }
  Partition part() const { return {own_.get(), first_, communicator_.get(), columns_.get()}; }

  void gradient(std::span<const Index> rows, std::span<const double> weights, Scale scale,
                ConstView x, ConstView b, View g) const override {
    constexpr std::size_t block = 1024;
    Index here[block];
    double factors[block];
    std::size_t count = 0;
    const auto add = [&] {
      own_->gradient({here, count}, {factors, count}, scale, x, own_part(b), g);
      count = 0;
    };
    for (std::size_t t = 0; t < rows.size(); ++t) {
      if (rows[t] < first_ || rows[t] >= last_) continue;
      here[count] = rows[t] - first_;
      factors[count++] = weights[t];
      if (count == block) add();
    }
    if (count > 0) add();
  }

  void range_gradient(Index first, Index last, std::span<const double> weights, Scale scale,
                      ConstView x, ConstView b, View g,
                      std::span<double> residual2) const override {
    const RowRange here = cut(first, last);
    if (nothing_to_do(here)) return;
    if (!weights.empty())
      weights = weights.subspan(to_size(here.first - first), to_size(here.last - here.first));
    own_->range_gradient(here.first - first_, here.last - first_, weights, scale, x, own_part(b), g,
                         residual2);
  }

  void multiply(Index first, Index last, ConstView x, View y) const override {
    const RowRange here = zero_others(first, last, y);
    if (nothing_to_do(here)) return;
    own_->multiply(here.first - first_, here.last - first_, x,
                   {y.row(here.first - first), here.last - here.first, y.cols, y.stride});
  }

  void add_transposed(Index first, Index last, ConstView y, View g) const override {
    const RowRange here = cut(first, last);
    if (nothing_to_do(here)) return;
    own_->add_transposed(here.first - first_, here.last - first_,
                         {y.row(here.first - first), here.last - here.first, y.cols, y.stride}, g);
  }

  void kaczmarz(std::span<const Index> rows, std::span<const double> steps, double scale,
                ConstView b, View x) const override {
    if (communicator_->size() == 1) return own_->kaczmarz(rows, steps, scale, b, x);
    throw Error(ErrorCode::usage,
                {.what = "steps that go row after row cannot be shared out over several ranks",
                 .found = std::to_string(communicator_->size()) + " ranks",
                 .hint = "try the method minibatch-hbm"});
  }

  void norms(Index first, Index last, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    const RowRange here = cut(first, last);
    std::fill(row_norms2.begin(), row_norms2.end(), 0.0);
    if (nothing_to_do(here)) return;
    own_->norms(here.first - first_, here.last - first_, scale,
                row_norms2.subspan(to_size(here.first - first), to_size(here.last - here.first)),
                column_norms2);
  }

  void column_norms(Index first, Index last, std::span<const double> weights, double scale,
                    std::span<double> norms2) const override {
    const RowRange here = cut(first, last);
    if (here.first == here.last) return;
    if (!weights.empty())
      weights = weights.subspan(to_size(here.first - first), to_size(here.last - here.first));
    own_->column_norms(here.first - first_, here.last - first_, weights, scale, norms2);
  }

  double max_abs(Index first, Index last) const override {
    const RowRange here = cut(first, last);
    return nothing_to_do(here) ? 0.0 : own_->max_abs(here.first - first_, here.last - first_);
  }

  void expect_range(Index first, Index last) const override {
    const RowRange here = cut(first, last);
    if (here.first < here.last) own_->expect_range(here.first - first_, here.last - first_);
  }

  void copy_rows(Index first, Index last, View out) const override {
    const RowRange here = zero_others(first, last, out);
    if (here.first == here.last) return;
    own_->copy_rows(here.first - first_, here.last - first_,
                    {out.row(here.first - first), here.last - here.first, out.cols, out.stride});
  }

 private:
  // The part of [first, last) that is stored here; possibly an empty range inside it.
  RowRange cut(Index first, Index last) const {
    const Index from = std::clamp(first_, first, last);
    return {from, std::clamp(last_, from, last)};
  }

  // If single rows cannot be read, products are collective: ranks without rows take part.
  bool nothing_to_do(RowRange here) const {
    return here.first == here.last && !own_->only_products();
  }

  RowRange zero_others(Index first, Index last, View out) const {
    const RowRange here = cut(first, last);
    for (Index i = first; i < last; ++i)
      if (i < here.first || i >= here.last) std::fill_n(out.row(i - first), out.cols, 0.0);
    return here;
  }

  ConstView own_part(ConstView b) const { return {b.row(first_), own_->rows(), b.cols, b.stride}; }

  MatrixPtr own_;
  std::shared_ptr<Communicator> communicator_;
  std::shared_ptr<ColumnExchange> columns_;
  Index first_, last_, rows_, nonzeros_ = 0;
  double bytes_ = 0.0, gram_products_ = 0.0;
};

}  // namespace

RowRange even_share(Index rows, Index rank, Index ranks) {
  const Index each = rows / ranks, over = rows % ranks;
  const Index first = rank * each + std::min(rank, over);
  return {first, first + each + (rank < over ? 1 : 0)};
}

Partition partition(const RowMatrix& A) {
  if (const auto* distributed = dynamic_cast<const RankRows*>(&A)) return distributed->part();
  return {&A, 0, &Communicator::single(), nullptr};
}

MatrixPtr rank_rows(MatrixPtr own, Index first, Index rows,
                    std::shared_ptr<Communicator> communicator,
                    std::shared_ptr<ColumnExchange> columns) {
  if (first < 0 || first + own->rows() > rows)
    throw Error(ErrorCode::bad_data, {.what = "the rows of a rank lie outside of the matrix",
                                      .found = std::to_string(own->rows()) + " rows from " +
                                               std::to_string(first) + " on",
                                      .expected = "within " + std::to_string(rows) + " rows"});
  return std::make_shared<RankRows>(std::move(own), first, rows, std::move(communicator),
                                    std::move(columns));
}

std::vector<Index> touched_columns(const RowMatrix& rows) {
  constexpr Index block = 4096;  // rows at a time, so that memory does not grow with n
  std::vector<double> columns(to_size(rows.cols()), 0.0),
      norms(to_size(std::min(block, rows.rows())));
  for (Index first = 0; first < rows.rows(); first += block) {
    const Index last = std::min(rows.rows(), first + block);
    rows.norms(first, last, 1.0, std::span(norms).first(to_size(last - first)), columns);
  }
  std::vector<Index> out;
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns[j] != 0.0) out.push_back(static_cast<Index>(j));
  return out;
}

Array placed_rows(ConstView own, Index first, Index rows) {
  auto values = std::make_shared<RowNumbers>(to_size(rows * own.cols));
  for (Index i = 0; i < own.rows; ++i)
    std::copy_n(own.row(i), own.cols, values->data() + (first + i) * own.cols);
  return Array(ConstView{values->data(), rows, own.cols, own.cols}, values);
}

Array only_rows(const Array& b, RowRange range) {
  const ConstView all = b.view();
  return placed_rows({all.row(range.first), range.last - range.first, all.cols, all.stride},
                     range.first, all.rows);
}

double internal::largest_of_ranks(const RowMatrix& A, double value) {
  communicator(A).max({&value, 1});
  return value;
}

std::optional<Place> internal::first_of_ranks(const RowMatrix& A, const std::optional<Place>& own) {
  Communicator& ranks = communicator(A);
  if (ranks.size() == 1) return own;
  // Rows counted from the end, so that the first row is the maximum. No two ranks have the same
  // row, because each row is stored by one rank.
  const double from_end = own ? static_cast<double>(A.rows() - own->row) : 0.0;
  const double largest = largest_of_ranks(A, from_end);
  if (largest == 0.0) return std::nullopt;
  const double root =
      largest_of_ranks(A, from_end == largest ? static_cast<double>(ranks.rank()) : 0.0);
  double parts[3] = {};
  if (from_end == largest) {
    parts[0] = static_cast<double>(own->row);
    parts[1] = static_cast<double>(own->col);
    parts[2] = own->value;
  }
  ranks.broadcast(parts, static_cast<Index>(root));
  return Place{static_cast<Index>(parts[0]), static_cast<Index>(parts[1]), parts[2]};
}

double internal::sum_in_row_order(const RowMatrix& A, std::span<const double> own) {
  Communicator& ranks = communicator(A);
  double sum = 0.0;
  for (Index rank = 0; rank < ranks.size(); ++rank) {
    if (rank == ranks.rank())
      for (double v : own) sum += v;
    ranks.broadcast({&sum, 1}, rank);
  }
  return sum;
}

Buffer internal::distributed_r(const RowMatrix& A, Index cols, const RowSource& source,
                               ThreadTeam& team) {
  const Partition own = partition(A);
  const auto held = [&](Index first, Index last, View out) {
    source(own.first + first, own.first + last, out);
  };
  Buffer r = tall_r(own.rows->rows(), cols, held, team);
  if (own.ranks() == 1) return r;
  Tsqr all(cols);
  for (Index rank = 0; rank < own.ranks(); ++rank) {
    Buffer next(cols, cols);
    if (rank == own.rank()) next = std::move(r);
    own.communicator->broadcast({next.data(), to_size(cols * cols)}, rank);
    all.add(next.view());
  }
  return all.r();
}

}  // namespace polyak
