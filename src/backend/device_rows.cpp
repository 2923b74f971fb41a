#include "backend/device_rows.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "backend/device_library.hpp"
#include "matrix/column_map.hpp"
#include "matrix/storage.hpp"
#include "polyak/error.hpp"
#include "polyak/option_table.hpp"

namespace polyak::internal {
namespace {

constexpr Index block_bytes = Index{16} << 20;  // of A, copied at a time
constexpr Index rows_per_job = 256;
constexpr const std::int32_t* no_columns = nullptr;  // of a dense row

class Copy {
 public:
  Copy(const device::Library& library, int device, const BackendProblem& problem)
      : library_(library),
        device_(device),
        problem_(problem),
        A_(*partition(problem.A).rows),
        mapped_(as_mapped(A_)),
        inner_(mapped_ ? *mapped_->inner() : A_) {
    const bool ones = mapped_ && mapped_->map().ones;
    layout_ = {.n = A_.rows(),
               .d = A_.cols(),
               .stored_columns = A_.cols(),
               .sparse = false,
               .single = false,
               .entries = 0,
               .right_hand_sides = problem.b.cols,
               .weighted = !problem.weights.empty(),
               .bounded = !problem.lower.empty(),
               .shifted = ones || (mapped_ && mapped_->map().centred()),
               .scale_a = problem.scale.a,
               .scale_b = problem.scale.b};
    if (mapped_) units_ = mapped_->map().units;
    if (mapped_) entry_centre_ = mapped_->entry_centre();
  }

  std::shared_ptr<device::Problem> copy_rows() {
    bool stored = false;
    as_stored(inner_, [&](const auto& rows) {
      stored = true;
      write(rows);
      return MatrixPtr();
    });
    if (!stored) write_unstored();
    return out_;
  }

 private:
  void allocate() {
    device::Problem* made = nullptr;
    check(library_.make(device_, layout_, &made));
    out_ = {made, [](device::Problem* p) { p->destroy(); }};
  }

  // In jobs of rows, on the threads of the solve: body(first row, last row).
  template <class Body>
  void by_rows(Index first, Index last, Body body) {
    const Index jobs = (last - first + rows_per_job - 1) / rows_per_job;
    problem_.team.run(jobs, [&](Index job) {
      const Index from = first + job * rows_per_job;
      body(from, std::min(last, from + rows_per_job));
    });
  }

  // fill(first, last, room) writes rows as `Stored` into room, d to a row. One block is filled
  // while the one before it is on its way.
  template <class Stored, class Fill>
  void write_blocks(Fill fill) {
    const Index d = layout_.d, row_bytes = d * static_cast<Index>(sizeof(Stored));
    const Index block = std::clamp<Index>(block_bytes / std::max<Index>(1, row_bytes), 1,
                                          std::max<Index>(1, layout_.n));
    int number = 0;
    for (Index first = 0; first < layout_.n; first += block, number = 1 - number) {
      const Index last = std::min(layout_.n, first + block);
      void* memory = nullptr;
      check(out_->staging(number, block * row_bytes, &memory));
      auto* room = static_cast<Stored*>(memory);
      by_rows(first, last,
              [&](Index from, Index to) { fill(from, to, room + (from - first) * d); });
      check(out_->write_rows(first, last - first, room, d));
    }
  }

  // Any A, in the variables of the solver.
  void write_dense_doubles() {
    layout_.shifted = false;
    allocate();
    write_blocks<double>([&](Index from, Index to, double* room) {
      A_.copy_rows(from, to, {room, to - from, layout_.d, layout_.d});
    });
  }

  template <class Value>
  void write(const DenseRows<Value>& rows) {
    constexpr bool single = std::is_same_v<Value, float>;
    if (!mapped_) {
      layout_.single = single;
      allocate();
      return write_blocks<Value>([&](Index from, Index to, Value* room) {
        if (rows.view.stride == layout_.d)
          std::copy_n(rows.view.row(from), (to - from) * layout_.d, room);
        else
          for (Index i = from; i < to; ++i, room += layout_.d)
            std::copy_n(rows.view.row(i), layout_.d, room);
      });
    }
    const auto exact = [&](Index i) {
      return exact_in_single(rows.view.row(i), no_columns, layout_.d);
    };
    if (!single || layout_.shifted || !all_rows(exact)) return write_dense_doubles();
    layout_.single = true;
    allocate();
    write_blocks<float>([&](Index from, Index to, float* room) {
      for (Index i = from; i < to; ++i)
        for (Index j = 0; j < layout_.d; ++j)
          *room++ = static_cast<float>(units_[to_size(j)] * static_cast<double>(rows.view(i, j)));
    });
  }

  // Whether unit·a is a float for every entry: a unit is a power of two, so only the range of
  // exponents can be too small.
  template <class Value, class Column>
  bool exact_in_single(const Value* a, const Column* columns, Index count) const {
    for (Index k = 0; k < count && !units_.empty(); ++k) {
      const auto j = columns ? to_size(static_cast<Index>(columns[k])) : to_size(k);
      const double scaled = in_units(static_cast<double>(a[k]), j);
      if (static_cast<double>(static_cast<float>(scaled)) != scaled) return false;
    }
    return true;
  }
  template <class Test>
  bool all_rows(Test test) {
    std::atomic<bool> all{true};
    by_rows(0, layout_.n, [&](Index from, Index to) {
      for (Index i = from; i < to && all; ++i)
        if (!test(i)) all = false;
    });
    return all;
  }

  template <class Value, class Column>
  void write(const CsrRows<Value, Column>& rows) {
    layout_.sparse = true;
    layout_.stored_columns = inner_.cols();
    layout_.entries = rows.nonzeros();
    check_sparse_sizes();
    const auto exact = [&](Index i) {
      const auto row = rows.row(i);
      return exact_in_single(row.a, row.col, row.count);
    };
    layout_.single = std::is_same_v<Value, float> && all_rows(exact);
    allocate();
    check(out_->write_row_starts(rows.row_start.data()));
    if (layout_.single)
      write_entries<float>(rows);
    else
      write_entries<double>(rows);
    if (layout_.shifted) write_shift();
  }

  void check_sparse_sizes() const {
    constexpr Index limit = std::numeric_limits<std::int32_t>::max();
    const Index larger = std::max(layout_.n, layout_.stored_columns);
    if (larger > limit)
      throw Error(ErrorCode::usage,
                  {.what = "a sparse A has too many rows or columns for a CUDA device",
                   .where = option_name("device"),
                   .found = std::to_string(larger),
                   .expected = "at most " + std::to_string(limit)});
  }

  double in_units(double a, std::size_t j) const {
    if (!entry_centre_.empty()) a -= entry_centre_[j];
    return units_.empty() ? a : units_[j] * a;
  }
  template <class Stored, class Value>
  Stored scaled(Value a, Index j) const {
    return static_cast<Stored>(in_units(static_cast<double>(a), to_size(j)));
  }

  template <class Stored, class Value, class Column>
  void write_entries(const CsrRows<Value, Column>& rows) {
    constexpr Index block = block_bytes / 8;
    std::vector<std::int32_t> columns;
    std::vector<Stored> values;
    for (Index first = 0; first < layout_.entries; first += block) {
      const Index count = std::min(block, layout_.entries - first);
      columns.resize(to_size(count));
      values.resize(to_size(count));
      for (Index k = 0; k < count; ++k) {
        const auto j = static_cast<Index>(rows.columns[to_size(first + k)]);
        columns[to_size(k)] = static_cast<std::int32_t>(j);
        values[to_size(k)] = scaled<Stored>(rows.values[to_size(first + k)], j);
      }
      check(out_->write_entries(first, count, columns.data(), values.data()));
    }
    write_transposed<Stored>(rows);
  }

  // A sort by counting: entries of a column keep the order of their rows.
  template <class Stored, class Value, class Column>
  void write_transposed(const CsrRows<Value, Column>& rows) {
    std::vector<Index> next(to_size(layout_.stored_columns + 1));
    for (const Column j : rows.columns) ++next[to_size(static_cast<Index>(j)) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    check(out_->write_column_starts(next.data()));
    std::vector<std::int32_t> row_of(to_size(layout_.entries));
    std::vector<Stored> values(to_size(layout_.entries));
    for (Index i = 0; i < layout_.n; ++i)
      for (Index k = rows.row_start[to_size(i)]; k < rows.row_start[to_size(i + 1)]; ++k) {
        const auto j = static_cast<Index>(rows.columns[to_size(k)]);
        const std::size_t place = to_size(next[to_size(j)]++);
        row_of[place] = static_cast<std::int32_t>(i);
        values[place] = scaled<Stored>(rows.values[to_size(k)], j);
      }
    check(out_->write_transposed(0, layout_.entries, row_of.data(), values.data()));
  }

  // Of a centred matrix every row has −unit·centre where the centre is not subtracted from the
  // entries, and with an intercept unit_d behind it.
  void write_shift() {
    const ColumnMap& map = mapped_->map();
    std::vector<double> shift(to_size(layout_.d), 0.0);
    for (std::size_t j = 0; j < map.centre.size(); ++j)
      if (entry_centre_.empty() || entry_centre_[j] == 0.0)
        shift[j] = -map.units[j] * map.centre[j];
    if (map.ones) shift.back() = map.units.back();
    check(out_->write_shift(shift.data()));
  }

  // Rows that are made as they are read.
  void write_unstored() {
    if (A_.only_products())
      throw Error(ErrorCode::usage,
                  {.what = "a CUDA device needs the rows of A, and this A has products only",
                   .where = option_name("device")});
    const double all = static_cast<double>(A_.rows()) * static_cast<double>(A_.cols());
    if (layout_.shifted || static_cast<double>(A_.nonzeros()) > all / 3)
      return write_dense_doubles();
    units_ = entry_centre_ = {};  // the rows below are in the variables of the solver
    const Csr<double, std::int32_t> csr = compressed();
    write(CsrRows<double, std::int32_t>{csr.row_start, csr.columns, csr.values, csr.cols, {}});
  }

  Csr<double, std::int32_t> compressed() const {
    Csr<double, std::int32_t> out;
    out.cols = layout_.d;
    out.row_start.push_back(0);
    std::vector<double> row(to_size(layout_.d));
    for (Index i = 0; i < layout_.n; ++i) {
      A_.copy_rows(i, i + 1, {row.data(), 1, layout_.d, layout_.d});
      for (Index j = 0; j < layout_.d; ++j) {
        if (row[to_size(j)] == 0.0) continue;
        out.columns.push_back(static_cast<std::int32_t>(j));
        out.values.push_back(row[to_size(j)]);
      }
      out.row_start.push_back(std::ssize(out.values));
    }
    return out;
  }

  const device::Library& library_;
  int device_;
  const BackendProblem& problem_;
  const RowMatrix& A_;
  const MappedMatrix* mapped_;
  const RowMatrix& inner_;
  std::span<const double> units_, entry_centre_;  // of sparse rows
  device::Layout layout_;
  std::shared_ptr<device::Problem> out_;
};

// b is n × c here and c vectors of n there.
void write_vectors(const BackendProblem& problem, device::Problem& out) {
  const ConstView b = problem.b;
  const bool contiguous = b.cols == 1 && b.stride == 1;
  std::vector<double> columns(contiguous ? 0 : to_size(b.size()));
  for (Index i = 0; i < b.rows && !contiguous; ++i)
    for (Index c = 0; c < b.cols; ++c) columns[to_size(c * b.rows + i)] = b(i, c);
  check(out.write_rhs(contiguous ? b.data : columns.data()));
  if (!problem.weights.empty()) check(out.write_weights(problem.weights.data()));
  if (!problem.lower.empty()) check(out.write_bounds(problem.lower.data(), problem.upper.data()));
}

void check_ranks(const RowMatrix& A) {
  if (const Index ranks = partition(A).ranks(); ranks > 1)
    throw Error(ErrorCode::usage,
                {.what = "the rows of several ranks cannot be used on a CUDA device",
                 .where = option_name("device"),
                 .found = std::to_string(ranks) + " ranks",
                 .expected = "1"});
}

// A itself, or what it shows in other units; null where it is not that alone.
const RowMatrix* rows_in_units(const RowMatrix& A) {
  const MappedMatrix* mapped = as_mapped(A);
  if (!mapped) return &A;
  return mapped->map().ones || mapped->map().centred() ? nullptr : mapped->inner().get();
}
std::span<const double> units_of(const RowMatrix& A) {
  const MappedMatrix* mapped = as_mapped(A);
  return mapped ? std::span<const double>(mapped->map().units) : std::span<const double>();
}

}  // namespace

DeviceRows::DeviceRows(int device, const BackendProblem& problem)
    : stored_(&problem.A), shown_(&problem.A), right_hand_sides_(problem.b.cols) {
  check_ranks(problem.A);
  problem_ = Copy(cuda_library(), device, problem).copy_rows();
}

void DeviceRows::write(const BackendProblem& problem) {
  shown_ = &problem.A;
  check(problem_->set_scale(problem.scale.a, problem.scale.b));
  write_vectors(problem, *problem_);
}

bool DeviceRows::independent_of_norms(const RowMatrix& A) {
  bool dense = false;
  if (partition(A).ranks() > 1) return false;
  as_stored(A, [&](const auto& rows) {
    dense = requires { rows.view; };
    return MatrixPtr();
  });
  return dense;
}

bool DeviceRows::become(const BackendProblem& problem) {
  const bool same = problem_ && rows_in_units(problem.A) == stored_ &&
                    problem.b.cols == right_hand_sides_ && scale_to(units_of(problem.A));
  if (same)
    write(problem);
  else
    problem_.reset();
  return same;
}

bool DeviceRows::scale_to(std::span<const double> units) {
  if (std::ranges::equal(units, units_)) return true;
  bool exact = false;
  if (units_.empty()) check(problem_->scale_columns(units.data(), &exact));
  if (exact) units_.assign(units.begin(), units.end());
  return exact;
}

bool DeviceRows::norms(const RowMatrix& A, std::span<const double> weights, double scale,
                       Index chunks, std::span<double> rows, std::span<double> columns) {
  const std::span<const double> units = units_of(A);
  if (!problem_ || !problem_->sums_rows() || rows_in_units(A) != stored_) return false;
  if (!units_.empty() && !std::ranges::equal(units, units_)) return false;
  if (!weights.empty()) check(problem_->write_weights(weights.data()));
  check(problem_->norms(scale, units_.empty() && !units.empty() ? units.data() : nullptr, chunks,
                        rows.data(), columns.data()));
  return true;
}

std::optional<GramMatrix> DeviceRows::gram(const RowMatrix& A, double scale,
                                           std::span<const double> weights, bool with_b) {
  if (!has_gram(A)) return std::nullopt;
  const std::size_t width = to_size(A.cols() + (with_b ? right_hand_sides_ : 0));
  GramMatrix out{std::vector<double>(width * width)};
  Index additions = 0;
  check(problem_->gram(scale, weights.empty() ? nullptr : weights.data(), with_b, out.H.data(),
                       &additions));
  out.additions = static_cast<double>(additions);
  return out;
}

}  // namespace polyak::internal
