#pragma once

// A matrix by the way it stores its rows, where that is one of those known here.

#include <cstdint>

#include "matrix/storage.hpp"
#include "matrix/typed_matrix.hpp"
#include "polyak/matrices.hpp"

namespace polyak {

/// What visit(storage) makes of the rows of A, a DenseRows or CsrRows; null for any other A.
template <class Visit>
MatrixPtr as_stored(const RowMatrix& A, Visit visit) {
  MatrixPtr out;
  const auto try_as = [&]<class Rows>(const Rows*) {
    const auto* typed = dynamic_cast<const TypedMatrix<Rows>*>(&A);
    if (typed != nullptr) out = visit(typed->storage());
    return typed != nullptr;
  };
  using Narrow = std::int32_t;
  const auto known = [&]<class... Rows>() {
    return (try_as(static_cast<const Rows*>(nullptr)) || ...);
  };
  known.template operator()<DenseRows<double>, DenseRows<float>, CsrRows<double, Narrow>,
                            CsrRows<double, Index>, CsrRows<float, Narrow>,
                            CsrRows<float, Index>>();
  return out;
}

}  // namespace polyak
