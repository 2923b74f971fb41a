#include "parallel_products.hpp"

#include <mutex>

#include "core/thread_team.hpp"
#include "matrix/products.hpp"
#include "polyak/error.hpp"

namespace polyak::python {
using namespace polyak::internal;

namespace {

// Starting threads takes longer than the products of a small matrix.
int threads_for(const RowMatrix& A, int threads) {
  constexpr Index small = 1 << 15;
  return threads == 0 && A.nonzeros() <= small ? 1 : threads;
}

class ParallelProducts {
 public:
  ParallelProducts(const Input& input, int threads)
      : A_(input.A), team_(threads_for(*A_, threads)), products_(*A_, {}, {}, team_) {}

  Index rows() const { return A_->rows(); }
  Index cols() const { return A_->cols(); }

  /// A·x for x with d rows; n rows.
  nb::object multiply(const Numbers& x) {
    const Shape shape = checked(x, cols());
    std::vector<double> vectors = transposed({x.data(), shape.rows, shape.cols, shape.cols});
    std::vector<double> out(to_size(rows() * shape.cols));
    run([&] {
      products_.multiply({vectors.data(), shape.cols, shape.rows, shape.rows},
                         {out.data(), rows(), shape.cols, shape.cols});
    });
    return array(out, rows(), shape);
  }

  /// Aᵀ·y for y with n rows; d rows.
  nb::object multiply_transposed(const Numbers& y) {
    const Shape shape = checked(y, rows());
    std::vector<double> vectors(to_size(cols() * shape.cols));
    run([&] {
      products_.transposed({y.data(), shape.rows, shape.cols, shape.cols},
                           {vectors.data(), shape.cols, cols(), cols()});
    });
    return array(transposed({vectors.data(), shape.cols, cols(), cols()}), cols(), shape);
  }

 private:
  struct Shape {
    Index rows = 0, cols = 1;
    bool vector = true;
  };

  static Shape checked(const Numbers& numbers, Index rows) {
    if (numbers.ndim() != 1 && numbers.ndim() != 2)
      throw nb::value_error("expected an array of one or two dimensions");
    const bool vector = numbers.ndim() == 1;
    const Shape shape{static_cast<Index>(numbers.shape(0)),
                      vector ? 1 : static_cast<Index>(numbers.shape(1)), vector};
    if (shape.rows == rows) return shape;
    throw Error(ErrorCode::bad_data, {.what = "the vector does not fit the matrix",
                                      .found = std::to_string(shape.rows) + " rows",
                                      .expected = std::to_string(rows)});
  }

  static std::vector<double> transposed(ConstView from) {
    std::vector<double> out(to_size(from.size()));
    for (Index i = 0; i < from.rows; ++i)
      for (Index j = 0; j < from.cols; ++j) out[to_size(j * from.rows + i)] = from(i, j);
    return out;
  }

  static nb::object array(const std::vector<double>& values, Index rows, const Shape& shape) {
    if (shape.vector) return new_array(values.data(), {values.size()});
    return new_array(values.data(), {to_size(rows), to_size(shape.cols)});
  }

  // One product at a time: the team and the buffers are shared.
  template <class Body>
  void run(Body body) {
    const GilReleased released;
    const std::lock_guard lock(mutex_);
    body();
  }

  MatrixPtr A_;
  ThreadTeam team_;
  Products products_;
  std::mutex mutex_;
};

}  // namespace

void define_products(nb::module_& module) {
  nb::class_<ParallelProducts>(module, "Products", "Products with a matrix, on all cores.")
      .def(nb::init<const Input&, int>(), nb::arg("A"), nb::arg("threads") = 0)
      .def_prop_ro("shape",
                   [](const ParallelProducts& p) { return nb::make_tuple(p.rows(), p.cols()); })
      .def("multiply", &ParallelProducts::multiply, nb::arg("x"))
      .def("transposed", &ParallelProducts::multiply_transposed, nb::arg("y"));
}

}  // namespace polyak::python
