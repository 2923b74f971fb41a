// PETSc's binary files. The bytes are made here by hand; tests/petsc/files.sh
// compares with files that PETSc itself has written.

#include <bit>
#include <cstdint>

#include "io_testing.hpp"

namespace polyak {
namespace {

using namespace testing;
using Values = std::vector<double>;

// Big-endian numbers, one after the other.
class Bytes {
 public:
  explicit Bytes(int width = 4) : width_(width) {}
  Bytes& indices(const std::vector<Index>& values) {
    for (Index v : values) put(static_cast<std::uint64_t>(v), width_);
    return *this;
  }
  Bytes& numbers(const Values& values) {
    for (double v : values) put(std::bit_cast<std::uint64_t>(v), 8);
    return *this;
  }
  operator std::string_view() const { return bytes_; }

 private:
  void put(std::uint64_t bits, int size) {
    for (int k = size - 1; k >= 0; --k) bytes_ += static_cast<char>(bits >> (8 * k) & 0xff);
  }
  int width_;
  std::string bytes_;
};

constexpr Index mat = 1211216, vec = 1211214;

Bytes sparse(int width) {
  return Bytes(width)
      .indices({mat, 3, 4, 5, /*lengths*/ 2, 0, 3, /*columns*/ 0, 3, 1, 2, 3})
      .numbers({1.5, -2, 3, 4, 5});
}
const Values sparse_values{1.5, 0, 0, -2, 0, 0, 0, 0, 0, 3, 4, 5};

TEST(PetscFile, SparseRowsAreReadWithIndicesOfEitherWidth) {
  const Folder folder;
  for (int width : {4, 8}) {
    const Table table = read_table(folder.write("a.petsc", sparse(width)));
    EXPECT_EQ(values_of(*table.A), sparse_values);
    EXPECT_EQ(table.A->nonzeros(), 5);
    EXPECT_EQ(table.A->kind(), "csr, double, 32-bit columns");
    EXPECT_TRUE(table.b.empty());
  }
}

TEST(PetscFile, DenseRowsAndVectorsAreRead) {
  const Folder folder;
  for (int width : {4, 8}) {
    const auto dense =
        folder.write("a.petsc", Bytes(width).indices({mat, 2, 3, -1}).numbers({1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(values_of(*read_table(dense).A), (Values{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(read_table(dense).A->kind(), "dense, double");
    const auto b = folder.write("b.petsc", Bytes(width).indices({vec, 3}).numbers({7, 8, 9}));
    EXPECT_EQ(values_of(read_array(b)), (Values{7, 8, 9}));
    EXPECT_EQ(read_table(b).A->rows(), 3);
  }
}

TEST(PetscFile, AVectorBehindTheMatrixIsTheRightHandSide) {
  const Folder folder;
  Bytes bytes = sparse(8);
  const auto path = folder.write("a.petsc", bytes.indices({vec, 3}).numbers({7, 8, 9}));
  const Table table = read_table(path);
  EXPECT_EQ(values_of(*table.A), sparse_values);
  EXPECT_EQ(values_of(table.b), (Values{7, 8, 9}));
  EXPECT_EQ(inspect(path).note, "sparse, 64-bit indices, with b");
  ReadOptions drop;
  drop.drop_nonfinite_rows = true;
  EXPECT_EQ(error_of([&] { read_table(path, drop); }).code(), ErrorCode::usage);
}

TEST(PetscFile, TellsItsSizesWithoutReadingTheRows) {
  const Folder folder;
  const FileInfo info = inspect(folder.write("a.petsc", sparse(4)));
  EXPECT_EQ(info.format, "PETSc binary");
  EXPECT_EQ(info.rows, 3);
  EXPECT_EQ(info.cols, 4);
  EXPECT_EQ(info.nonzeros, 5);
  EXPECT_EQ(info.note, "sparse, 32-bit indices");
}

TEST(PetscFile, ThatCannotBeIsRefusedInOneLine) {
  const Folder folder;
  const auto says = [&](std::string_view bytes, const std::string& what) {
    const auto path = folder.write("a.petsc", bytes);
    const Error error = error_of([&] { read_table(path); });
    EXPECT_EQ(error.code(), ErrorCode::bad_data) << error.what();
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  };
  const std::string whole(std::string_view(sparse(4)));
  says("a text", "not a matrix or vector in PETSc's binary format");
  says(whole + "x", "holds other data after its first object (found 1 bytes more");
  says(whole.substr(0, whole.size() - 1), "ends before all its values");
  says(Bytes().indices({mat, 1, 1, -2}), "a kind of matrix that is not supported");
  says(Bytes().indices({mat, -1, 1, -1}), "states sizes that its length cannot hold");
  says(Bytes().indices({mat, 1, 3, 1, 1, 3}).numbers({1}), "an index lies outside");
  says(Bytes().indices({mat, 2, 3, 1, -1, 2, 0}).numbers({1}),
       "row 1: a row of a sparse matrix has an invalid length (found -1");
  says(Bytes().indices({mat, 2, 3, 2, 1, 0, 0, 1}).numbers({1, 2}),
       "do not add up to its entries (found 1, expected 2)");
  says(Bytes().indices({mat, 2, 3, 2, 2, 2, 0, 1}).numbers({1, 2}),
       "do not add up to its entries (found 4, expected 2)");
  says(Bytes().indices({vec, 1}).numbers({1, 0}), "files of complex numbers");
  Bytes tall = sparse(4);
  says(tall.indices({vec, 2}).numbers({1, 2}),
       "A and b of the file have different numbers of rows");
}

TEST(PetscFile, IsConverted) {
  const Folder folder;
  Bytes bytes = sparse(4);
  const auto path = folder.write("a.petsc", bytes.indices({vec, 3}).numbers({7, 8, 9}));
  convert(path, folder / "A.npy");
  EXPECT_EQ(values_of(*read_table(folder / "A.npy").A), sparse_values);
  EXPECT_EQ(values_of(read_array(folder / "A_b.npy")), (Values{7, 8, 9}));
  EXPECT_EQ(code_of([&] { convert(folder / "A.npy", folder / "B.petsc"); }), 2);
}

TEST(PetscFile, TheInfoFileBesideItIsNotRead) {
  const Folder folder;
  const auto path = folder.write("a.petsc", sparse(4));
  folder.write("a.petsc.info", "-matload_block_size 7\n-vecload_block_size 7\n");
  EXPECT_EQ(values_of(*read_table(path).A), sparse_values);
}

}  // namespace
}  // namespace polyak
