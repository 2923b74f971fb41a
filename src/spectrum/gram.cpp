#include "spectrum/gram.hpp"

#include <algorithm>

#include "linalg/blas.hpp"
#include "linalg/symmetric.hpp"
#include "polyak/error.hpp"

namespace polyak {
namespace {

constexpr Index block_rows = 256;

// How many partial sums; 1 with many rows means one sum shared by columns.
Index chunk_count(const RowMatrix& A) {
  constexpr Index most = Index{1} << 23;  // doubles in all partial sums: 64 MiB
  const Index d = std::max<Index>(1, A.cols());
  return std::clamp<Index>(std::min(most / (d * d), A.rows() / block_rows), 1, 16);
}

// Few columns: each chunk of rows has its own sum.
std::vector<double> gram_by_rows(const RowMatrix& A, const std::function<double(Index)>& factor,
                                 Index chunks, ThreadTeam& team) {
  const Index d = A.cols(), size = d * d;
  std::vector<double> parts(to_size(chunks * size), 0.0);
  for_blocks(A, factor, chunks, team, [&](Index chunk, Index, ConstView block) {
    add_gram(block, {parts.data() + chunk * size, d, d, d});
  });
  for (Index chunk = 1; chunk < chunks; ++chunk)
    for (Index k = 0; k < size; ++k) parts[to_size(k)] += parts[to_size(chunk * size + k)];
  parts.resize(to_size(size));
  copy_upper_to_lower({parts.data(), d, d, d});
  return parts;
}

// Many columns: one sum, whose column panels are shared out.
std::vector<double> gram_by_columns(const RowMatrix& A,
                                    const std::function<double(Index)>& factor,
                                    ThreadTeam& team) {
  constexpr Index panel = 128;
  const Index d = A.cols();
  std::vector<double> H(to_size(d * d), 0.0), rows(to_size(block_rows * d));
  for (Index first = 0; first < A.rows(); first += block_rows) {
    const View block{rows.data(), std::min(block_rows, A.rows() - first), d, d};
    team.run((block.rows + 31) / 32, [&](Index part) {
      const Index r = part * 32;
      load_rows(A, factor, first + r, {block.row(r), std::min<Index>(32, block.rows - r), d, d});
    });
    team.run((d + panel - 1) / panel, [&](Index p) {
      const Index j = p * panel, width = std::min(panel, d - j);
      gemm(1.0, block, Transpose::yes, {block.data + j, block.rows, width, d}, Transpose::no, 1.0,
                   {H.data() + j, d, width, d});
    });
  }
  return H;
}

}  // namespace

void load_rows(const RowMatrix& A, const std::function<double(Index)>& factor, Index first,
               View out) {
  A.copy_rows(first, first + out.rows, out);
  for (Index r = 0; r < out.rows; ++r) {
    const double f = factor(first + r);
    for (Index j = 0; j < out.cols; ++j) out(r, j) *= f;
  }
}

void for_blocks(const RowMatrix& A, const std::function<double(Index)>& factor, Index chunks,
                ThreadTeam& team,
                const std::function<void(Index, Index, ConstView)>& body) {
  const Index n = A.rows(), d = A.cols();
  team.run(chunks, [&](Index chunk) {
    std::vector<double> rows(to_size(block_rows * d));
    const Index last = (chunk + 1) * n / chunks;
    for (Index first = chunk * n / chunks; first < last; first += block_rows) {
      const View block{rows.data(), std::min(block_rows, last - first), d, d};
      load_rows(A, factor, first, block);
      body(chunk, first, block);
    }
  });
}

std::vector<double> eigenvalues_of(std::vector<double> H, Index d) {
  std::vector<double> values(to_size(d));
  if (!symmetric_eigenvalues({H.data(), d, d, d}, values))
    throw Error(ErrorCode::internal, {.what = "the eigenvalues of A'A did not converge"});
  return values;
}

void eigenvectors_of(std::vector<double>& H, std::vector<double>& values) {
  const Index d = std::ssize(values);
  if (!symmetric_eigen({H.data(), d, d, d}, values))
    throw Error(ErrorCode::internal, {.what = "the eigenvectors of A'A did not converge"});
}

std::vector<double> gram(const RowMatrix& A, const std::function<double(Index)>& factor,
                         ThreadTeam& team) {
  const Index chunks = chunk_count(A);
  return chunks > 1 || A.rows() <= block_rows ? gram_by_rows(A, factor, chunks, team)
                                              : gram_by_columns(A, factor, team);
}

double gram_additions(const RowMatrix& A) {
  const Index chunks = chunk_count(A);
  return static_cast<double>(std::min(A.rows(), block_rows) + A.rows() / (chunks * block_rows) +
                             chunks);
}

}  // namespace polyak
