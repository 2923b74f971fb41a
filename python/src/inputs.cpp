#include "inputs.hpp"

#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>

#include "arrow.hpp"
#include "beside.hpp"
#include "block_rows.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"
#include "polyak/machine_memory.hpp"
#include "products.hpp"

namespace polyak::python {
namespace {

Index size_of(const AnyArray& array, std::size_t dimension) {
  return static_cast<Index>(array.shape(dimension));
}

// Rows that lie one behind the other, each without gaps.
bool is_row_major(const AnyArray& a) {
  return (a.shape(1) <= 1 || a.stride(1) == 1) && (a.shape(0) <= 1 || a.stride(0) >= size_of(a, 1));
}

template <class Value>
MatrixPtr view_of(const AnyArray& a) {
  const Index cols = size_of(a, 1);
  const Index stride = a.shape(0) <= 1 ? cols : std::max<Index>(cols, a.stride(0));
  const MatrixView<const Value> view{static_cast<const Value*>(a.data()), size_of(a, 0), cols,
                                     stride};
  return dense_view(view, keep(a));
}

// An array in any order and of any type of numbers, read in blocks of rows. A block is copied
// along the smaller stride, so that each cache line is read once.
template <class Value>
class StridedRows final : public BlockRows {
 public:
  explicit StridedRows(const AnyArray& a)
      : BlockRows(size_of(a, 0), size_of(a, 1)),
        data_(static_cast<const Value*>(a.data())),
        down_(a.stride(0)),
        along_(a.stride(1)),
        keep_alive_(keep(a)) {}

  double bytes() const override {
    return static_cast<double>(nonzeros()) * static_cast<double>(sizeof(Value));
  }
  std::string kind() const override {
    return down_ < along_ ? "dense, by columns" : "dense, converted in blocks";
  }

 private:
  void fill(Index first, Index last, View out) const override {
    const auto value = [&](Index i, Index j) {
      return static_cast<double>(data_[i * down_ + j * along_]);
    };
    if (std::abs(down_) < std::abs(along_)) {
      for (Index j = 0; j < cols(); ++j)
        for (Index i = first; i < last; ++i) out(i - first, j) = value(i, j);
    } else {
      for (Index i = first; i < last; ++i)
        for (Index j = 0; j < cols(); ++j) out(i - first, j) = value(i, j);
    }
  }

  const Value* data_;
  Index down_, along_;
  std::shared_ptr<const void> keep_alive_;
};

// use(Value{}) with the type of the numbers; false for another type.
template <class... Values, class Use>
bool with_type(const nb::dlpack::dtype& type, Use use) {
  const auto try_one = [&]<class Value>(Value value) {
    if (type != nb::dtype<Value>()) return false;
    use(value);
    return true;
  };
  return (try_one(Values{}) || ...);
}

Input dense(const AnyArray& a) {
  if (a.ndim() != 2) throw nb::value_error("A needs two dimensions");
  Input out;
  if (is_row_major(a)) {
    if (a.dtype() == nb::dtype<double>()) out.A = view_of<double>(a);
    if (a.dtype() == nb::dtype<float>()) out.A = view_of<float>(a);
    if (out.A) return out;
  }
  const bool known = with_type<double, float, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                               std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, bool>(
      a.dtype(), [&]<class Value>(Value) { out.A = std::make_shared<StridedRows<Value>>(a); });
  if (!known) throw nb::type_error("the numbers of A are of a type that is not supported");
  return out;
}

// The row starts as 64-bit numbers: viewed, or copied if they are not.
struct RowStarts {
  std::vector<Index> copied = {};
  std::span<const Index> view = {};
  std::shared_ptr<const void> keep_starts = {}, keep_columns = {}, keep_values = {};
};

std::shared_ptr<RowStarts> row_starts(const AnyArray& starts) {
  auto out = std::make_shared<RowStarts>();
  if (starts.dtype() == nb::dtype<Index>()) {
    out->keep_starts = keep(starts);
    out->view = {static_cast<const Index*>(starts.data()), starts.size()};
  } else if (starts.dtype() == nb::dtype<std::int32_t>()) {
    const auto* from = static_cast<const std::int32_t*>(starts.data());
    out->copied.assign(from, from + starts.size());
    out->view = out->copied;
  } else {
    throw nb::type_error("the row starts of a sparse A must be 32-bit or 64-bit integers");
  }
  return out;
}

template <class Value>
std::span<const Value> span_of(const AnyArray& a) {
  return {static_cast<const Value*>(a.data()), a.size()};
}

Input csr(const AnyArray& starts, const AnyArray& columns, const AnyArray& values, Index cols) {
  for (const AnyArray* a : {&starts, &columns, &values})
    if (a->ndim() != 1 || (a->shape(0) > 1 && a->stride(0) != 1))
      throw nb::value_error("the arrays of a sparse A must be one-dimensional without gaps");
  const std::shared_ptr<RowStarts> rows = row_starts(starts);
  rows->keep_columns = keep(columns);
  rows->keep_values = keep(values);
  Input out;
  with_type<double, float>(values.dtype(), [&]<class Value>(Value) {
    with_type<std::int32_t, Index>(columns.dtype(), [&]<class Column>(Column) {
      const GilReleased released;
      out.A = csr_view<Value, Column>(rows->view, span_of<Column>(columns), span_of<Value>(values),
                                      cols, rows);
    });
  });
  if (!out.A)
    throw nb::type_error("a sparse A needs float32 or float64 values and int32 or int64 indices");
  return out;
}

Storage storage_named(const std::string& name) {
  if (name == "auto") return Storage::automatic;
  if (name == "memory") return Storage::memory;
  if (name == "disk") return Storage::disk;
  throw Error(ErrorCode::usage, {.what = "the value does not fit the option",
                                 .where = "storage",
                                 .found = "'" + name + "'",
                                 .expected = "auto|memory|disk"});
}

Input read(const std::string& path, const std::optional<std::string>& rhs_column,
           bool drop_nonfinite_rows, const std::string& duplicates, const std::string& storage,
           bool single) {
  ReadOptions options;
  options.rhs_column = rhs_column;
  options.drop_nonfinite_rows = drop_nonfinite_rows;
  if (duplicates == "error") options.duplicates = Duplicates::error;
  options.storage = storage_named(storage);
  options.memory_bytes = machine_memory().available;
  options.single = single;
  return beside([path, options](const std::atomic<bool>&) {
    Table table = read_table(path, options);
    return Input{std::move(table.A), std::move(table.names), std::move(table.b),
                 table.dropped_rows};
  });
}

nb::object numpy_of(const Array& array) {
  std::vector<double> values;
  for (Index i = 0; i < array.rows(); ++i)
    values.insert(values.end(), array.view().row(i), array.view().row(i) + array.cols());
  return new_array(values.data(), {to_size(array.rows()), to_size(array.cols())});
}

}  // namespace

Array array_of(const Numbers& numbers) {
  if (numbers.ndim() != 1 && numbers.ndim() != 2)
    throw Error(ErrorCode::bad_data, {.what = "the array needs one or two dimensions",
                                      .found = std::to_string(numbers.ndim())});
  const auto rows = static_cast<Index>(numbers.shape(0));
  const Index cols = numbers.ndim() == 2 ? static_cast<Index>(numbers.shape(1)) : 1;
  return Array({numbers.data(), rows, cols, cols}, keep(numbers));
}

std::vector<double> vector_of(const Numbers& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

void define_inputs(nb::module_& module) {
  nb::class_<Input>(module, "Matrix", "A matrix as the solver sees it: a view of its data.")
      .def_prop_ro("rows", [](const Input& in) { return in.A->rows(); })
      .def_prop_ro("cols", [](const Input& in) { return in.A->cols(); })
      .def_prop_ro("nnz", [](const Input& in) { return in.A->nonzeros(); })
      .def_prop_ro("kind", [](const Input& in) { return in.A->kind(); })
      .def_prop_ro("only_products", [](const Input& in) { return in.A->only_products(); })
      .def_prop_ro("dropped_rows", [](const Input& in) { return in.dropped_rows; })
      .def_prop_ro("names", [](const Input& in) { return in.names; })
      .def_prop_ro(
          "b",
          [](const Input& in) -> nb::object { return in.b.empty() ? nb::none() : numpy_of(in.b); })
      .def("to_single",
           [](const Input& in) {
             return beside([in](const std::atomic<bool>&) {
               return Input{to_single(in.A), in.names, in.b, in.dropped_rows};
             });
           })
      .def("toarray", [](const Input& in) {
        std::vector<double> values(to_size(in.A->rows() * in.A->cols()));
        const View all{values.data(), in.A->rows(), in.A->cols(), in.A->cols()};
        in.A->copy_rows(0, all.rows, all);
        return new_array(values.data(), {to_size(all.rows), to_size(all.cols)});
      });
  module.def("dense", &dense, nb::arg("array"));
  module.def("csr", &csr, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"), nb::arg("cols"));
  module.def("read", &read, nb::arg("path"), nb::arg("rhs_column").none(),
             nb::arg("drop_nonfinite_rows"), nb::arg("duplicates"), nb::arg("storage"),
             nb::arg("single"));
  module.def("read_array", [](const std::string& path) {
    return numpy_of(beside([path](const std::atomic<bool>&) { return read_array(path); }));
  });
  module.def("check_inputs_unchanged", &check_inputs_unchanged);
  module.def("arrow", &arrow_table, nb::arg("stream"));
  module.def("products", [](nb::object multiply, nb::object transposed, Index rows, Index cols) {
    return Input{product_matrix(std::move(multiply), std::move(transposed), rows, cols)};
  });
  module.def("rows", [](nb::object function, Index rows, Index cols) {
    return Input{function_matrix(std::move(function), rows, cols)};
  });
}

}  // namespace polyak::python
