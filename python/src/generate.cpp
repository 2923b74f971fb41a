#include "generate.hpp"

#include <nanobind/stl/optional.h>

#include "matrix/storage.hpp"
#include "polyak/error.hpp"
#include "polyak/generate.hpp"

namespace polyak::python {
using namespace polyak::internal;

namespace {

// Numbers that `owner` keeps.
template <class Value>
nb::object shared_array(const Value* data, std::initializer_list<std::size_t> shape,
                        const MatrixPtr& owner) {
  auto held = std::make_unique<MatrixPtr>(owner);
  const nb::capsule keeper(held.get(), [](void* p) noexcept { delete static_cast<MatrixPtr*>(p); });
  held.release();
  return nb::cast(nb::ndarray<nb::numpy, const Value>(data, shape.size(), shape.begin(), keeper));
}

template <class Value>
nb::object arrays(const DenseRows<Value>& rows, const MatrixPtr& A) {
  return shared_array(rows.view.data, {to_size(rows.rows()), to_size(rows.cols())}, A);
}

template <class Value, class Column>
nb::object arrays(const CsrRows<Value, Column>& rows, const MatrixPtr& A) {
  return nb::make_tuple(shared_array(rows.values.data(), {rows.values.size()}, A),
                        shared_array(rows.columns.data(), {rows.columns.size()}, A),
                        shared_array(rows.row_start.data(), {rows.row_start.size()}, A));
}

nb::object vector(const Array& array) {
  std::vector<double> values;
  for (Index i = 0; i < array.rows(); ++i) values.push_back(array(i));
  return new_array(values.data(), {values.size()});
}

nb::object result(const GeneratedProblem& made) {
  const auto& values = made.squared_singular_values;
  return nb::make_tuple(stored_arrays(made.A), nb::make_tuple(made.A->rows(), made.A->cols()),
                        vector(made.b), vector(made.x_planted), vector(made.x_least_squares),
                        made.residual_norm, new_array(values.data(), {values.size()}));
}

template <class Make>
nb::object made_by(Make make) {
  std::optional<GeneratedProblem> made;
  {
    const GilReleased released;
    made = make();
  }
  return result(*made);
}

Decay decay_named(const std::string& name) {
  if (name == "exponential") return Decay::exponential;
  if (name == "algebraic") return Decay::algebraic;
  if (name == "given") return Decay::given;
  throw Error(ErrorCode::usage, {.what = "there is no such decay",
                                 .where = "decay",
                                 .found = "'" + name + "'",
                                 .expected = "exponential, algebraic or given"});
}

}  // namespace

nb::object stored_arrays(const MatrixPtr& A) {
  nb::object out = nb::none();
  as_stored(*A, [&](const auto& rows) {
    out = arrays(rows, A);
    return A;
  });
  if (!out.is_none()) return out;
  std::vector<double> values(to_size(A->rows() * A->cols()));
  A->copy_rows(0, A->rows(), {values.data(), A->rows(), A->cols(), A->cols()});
  return new_array(values.data(), {to_size(A->rows()), to_size(A->cols())});
}

void define_generate(nb::module_& parent) {
  nb::module_ module = parent.def_submodule("generate");
  module.def("spectrum",
             [](Index rows, Index cols, const std::string& decay, double kappa, double rho,
                const std::vector<double>& values, double noise, std::uint64_t seed, int threads) {
               const SpectrumProblem problem{rows, cols, decay_named(decay), kappa, rho, values};
               return made_by([&] { return generate(problem, {seed, noise, threads}); });
             });
  module.def("sampling",
             [](Index rows, Index cols, bool dense, double noise, std::uint64_t seed, int threads) {
               return made_by([&] {
                 return generate(SamplingProblem{rows, cols, dense}, {seed, noise, threads});
               });
             });
  module.def("stacked", [](Index copies) {
    return made_by([&] { return generate(StackedProblem{copies}, GenerateOptions{}); });
  });
  module.def("gaussian", [](Index rows, Index cols, double noise, std::uint64_t seed, int threads) {
    return made_by([&] { return generate(GaussianProblem{rows, cols}, {seed, noise, threads}); });
  });
  module.def("varied", [](std::uint64_t seed, int threads) {
    return made_by([&] { return generate_varied(seed, threads); });
  });
  module.def("varied_text", [](std::uint64_t seed) { return varied_problem(seed).text; });
}

}  // namespace polyak::python
