#include "products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "block_rows.hpp"
#include "polyak/error.hpp"
#include "polyak/option_table.hpp"

namespace polyak::python {
namespace {

using Vector = nb::ndarray<const double, nb::ro, nb::c_contig, nb::device::cpu>;

// Numbers of mean 0 and variance 1 that depend on their place only: uniform on [-√3, √3], without
// zeros.
double probe(Index place, Index which) {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(8 * place + which + 1);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  h ^= h >> 31;
  return std::sqrt(3.0) * ((static_cast<double>(h >> 11) + 0.5) * 0x1.0p-52 - 1.0);
}

// v², but not zero by underflow.
double square(double v) {
  return v == 0.0 ? 0.0 : std::max(v * v, std::numeric_limits<double>::min());
}

// Calls Python with a vector and copies the vector that it returns.
class Function {
 public:
  Function(nb::object function, Index size) : keep_alive_(keep(std::move(function))), size_(size) {}

  template <class Value>
  std::vector<double> operator()(std::span<const Value> argument) const {
    const PythonUse use;
    if (use.refused() || !nb::is_alive())  // a run that was left behind, and Python ends
      throw Error(ErrorCode::internal, {.what = "Python has ended", .where = "A"});
    const nb::gil_scoped_acquire gil;
    const auto& function = *static_cast<const nb::object*>(keep_alive_.get());
    const nb::object result = function(new_array(argument.data(), {argument.size()}));
    Vector numbers;
    if (!nb::try_cast(result, numbers))
      throw nb::type_error("a function of A must return an array of float64 in C order");
    if (static_cast<Index>(numbers.size()) != size_ && size_ >= 0)
      throw Error(ErrorCode::bad_data, {.what = "a function of A returned a vector of wrong length",
                                        .where = "A",
                                        .found = std::to_string(numbers.size()),
                                        .expected = std::to_string(size_)});
    return {numbers.data(), numbers.data() + numbers.size()};
  }

 private:
  std::shared_ptr<const void> keep_alive_;  // an nb::object
  Index size_;                              // of the result; -1: any
};

class ProductMatrix final : public RowMatrix {
 public:
  ProductMatrix(nb::object multiply, nb::object transposed, Index rows, Index cols)
      : multiply_(std::move(multiply), rows),
        transposed_(std::move(transposed), cols),
        rows_(rows),
        cols_(cols) {}

  Index rows() const override { return rows_; }
  Index cols() const override { return cols_; }
  Index nonzeros() const override { return rows_ * cols_; }
  double bytes() const override { return 8.0 * static_cast<double>(nonzeros()); }
  std::string kind() const override { return "products by Python"; }
  bool only_products() const override { return true; }

  void multiply(Index, Index, ConstView x, View y) const override {
    for (Index c = 0; c < x.rows; ++c) {
      const std::vector<double> out = multiply_(row(x, c));
      for (Index i = 0; i < rows_; ++i) y(i, c) = out[to_size(i)];
    }
  }

  void add_transposed(Index, Index, ConstView y, View g) const override {
    std::vector<double> column(to_size(rows_));
    for (Index c = 0; c < g.rows; ++c) {
      for (Index i = 0; i < rows_; ++i) column[to_size(i)] = y(i, c);
      add(1.0, column, g.row(c));
    }
  }

  void range_gradient(Index, Index, std::span<const double> weights, Scale scale, ConstView x,
                      ConstView b, View g, std::span<double> residual2) const override {
    for (Index c = 0; c < x.rows; ++c) {
      std::vector<double> r = multiply_(row(x, c));
      for (Index i = 0; i < rows_; ++i) {
        const double w = weights.empty() ? 1.0 : weights[to_size(i)];
        const double residual = scale.b * (r[to_size(i)] - b(i, c));
        r[to_size(i)] = w * residual;
        if (!residual2.empty()) residual2[to_size(c)] += w * residual * residual;
      }
      add(scale.a, r, g.row(c));
    }
  }

  // Exact for up to max_exact_columns, column by column; otherwise estimated with random probes z:
  // the mean of (a·z)² is ‖a‖².
  void norms(Index, Index, double scale, std::span<double> row_norms2,
             std::span<double> column_norms2) const override {
    std::fill(row_norms2.begin(), row_norms2.end(), 0.0);
    const bool exact = cols_ <= max_exact_columns;
    const Index products = exact ? cols_ : probes;
    const double weight = exact ? 1.0 : 1.0 / static_cast<double>(probes);
    std::vector<double> x(to_size(cols_)), y(to_size(rows_));
    for (Index k = 0; k < products; ++k) {
      for (Index j = 0; j < cols_; ++j) x[to_size(j)] = exact ? double(j == k) : probe(j, k);
      const std::vector<double> v = multiply_(std::span<const double>(x));
      for (Index i = 0; i < rows_; ++i) {
        row_norms2[to_size(i)] += weight * square(scale * v[to_size(i)]);
        if (exact && !column_norms2.empty())
          column_norms2[to_size(k)] += square(scale * v[to_size(i)]);
      }
    }
    if (exact || column_norms2.empty()) return;
    for (Index k = 0; k < probes; ++k) {
      for (Index i = 0; i < rows_; ++i) y[to_size(i)] = probe(i, k);
      const std::vector<double> v = transposed_(std::span<const double>(y));
      for (Index j = 0; j < cols_; ++j)
        column_norms2[to_size(j)] += weight * square(scale * v[to_size(j)]);
    }
  }

  // Exact or estimated as above: (Aᵀ·W^½·z)_j² has the mean Σ w_i·a_ij².
  void column_norms(Index, Index, std::span<const double> weights, double scale,
                    std::span<double> norms2) const override {
    const auto root = [&](Index i) {
      return weights.empty() ? scale : scale * std::sqrt(weights[to_size(i)]);
    };
    std::vector<double> x(to_size(cols_)), y(to_size(rows_));
    for (Index k = 0; cols_ <= max_exact_columns && k < cols_; ++k) {
      for (Index j = 0; j < cols_; ++j) x[to_size(j)] = double(j == k);
      const std::vector<double> v = multiply_(std::span<const double>(x));
      for (Index i = 0; i < rows_; ++i) norms2[to_size(k)] += square(root(i) * v[to_size(i)]);
    }
    for (Index k = 0; cols_ > max_exact_columns && k < probes; ++k) {
      for (Index i = 0; i < rows_; ++i) y[to_size(i)] = root(i) * probe(i, k);
      const std::vector<double> v = transposed_(std::span<const double>(y));
      for (Index j = 0; j < cols_; ++j)
        norms2[to_size(j)] += square(v[to_size(j)]) / static_cast<double>(probes);
    }
  }

  // The largest norm of a row: a bound on its entries, sufficient for the choice of a scale.
  double max_abs(Index first, Index last) const override {
    std::vector<double> norms2(to_size(rows_));
    norms(first, last, 1.0, norms2, {});
    double largest = 0.0;
    for (const double v : norms2)
      if (!std::isnan(largest) && !(v <= largest)) largest = v;
    return std::sqrt(largest);
  }

  void gradient(std::span<const Index>, std::span<const double>, Scale, ConstView, ConstView,
                View) const override {
    refuse();
  }
  void kaczmarz(std::span<const Index>, std::span<const double>, double, ConstView,
                View) const override {
    refuse();
  }
  void copy_rows(Index, Index, View) const override { refuse(); }

 private:
  static constexpr Index max_exact_columns = 16, probes = 4;

  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::usage, {.what = "the method reads single rows of A, but A is given by "
                                           "its products only",
                                   .where = option_name("method"),
                                   .hint = "take lsqr, cgls or cg"});
  }

  static std::span<const double> row(ConstView x, Index c) { return {x.row(c), to_size(x.cols)}; }

  // g += factor·Aᵀy
  void add(double factor, std::span<const double> y, double* g) const {
    const std::vector<double> product = transposed_(y);
    for (Index j = 0; j < cols_; ++j) g[j] += factor * product[to_size(j)];
  }

  Function multiply_, transposed_;
  Index rows_, cols_;
};

class FunctionRows final : public BlockRows {
 public:
  FunctionRows(nb::object function, Index rows, Index cols)
      : BlockRows(rows, cols), function_(std::move(function), -1) {}

  std::string kind() const override { return "rows by Python"; }

 private:
  void fill(Index first, Index last, View out) const override {
    std::vector<Index> rows(to_size(last - first));
    std::iota(rows.begin(), rows.end(), first);
    fill_listed(rows, out);
  }
  void fill_listed(std::span<const Index> rows, View out) const override {
    const std::vector<double> block = function_(rows);
    if (block.size() != rows.size() * to_size(cols()))
      throw Error(ErrorCode::bad_data,
                  {.what = "rows() returned a block of another size",
                   .where = "A",
                   .found = std::to_string(block.size()) + " numbers",
                   .expected = std::to_string(rows.size()) + " x " + std::to_string(cols())});
    for (Index i = 0; i < out.rows; ++i) std::copy_n(block.data() + i * cols(), cols(), out.row(i));
  }

  Function function_;
};

}  // namespace

MatrixPtr product_matrix(nb::object multiply, nb::object transposed, Index rows, Index cols) {
  return std::make_shared<ProductMatrix>(std::move(multiply), std::move(transposed), rows, cols);
}

MatrixPtr function_matrix(nb::object function, Index rows, Index cols) {
  return std::make_shared<FunctionRows>(std::move(function), rows, cols);
}

}  // namespace polyak::python
