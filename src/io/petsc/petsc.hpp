#pragma once

// PETSc's binary files, as MatView and VecView write them: a matrix, a vector, or a matrix and
// then the vector b. All numbers are big-endian; indices have 32 or 64 bits, as configured in the
// PETSc that wrote the file. The .info file in the same folder is never read.

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "io/file.hpp"
#include "io/rows.hpp"
#include "polyak/ranks.hpp"
#include "polyak/types.hpp"

namespace polyak::internal::io {

enum class PetscKind { sparse, dense, vector };

/// Offsets of the arrays, in bytes from the start of the file.
struct PetscLayout {
  PetscKind kind = PetscKind::sparse;
  std::size_t width = 4;  ///< bytes of an index
  Index rows = 0;
  Index cols = 1;
  Index stored = 0;
  std::size_t lengths = 0, columns = 0;  ///< row lengths and column indices of sparse rows
  std::size_t values = 0;
  std::optional<std::size_t> rhs = {};  ///< of the vector b after the matrix
};

bool looks_like_petsc(std::string_view bytes);
/// Checks all sizes against the length of the file.
PetscLayout parse_petsc(const MappedFile& file);

/// The number of entries in these rows; Error bad_data if a row length is invalid.
Index petsc_entries(const MappedFile& file, const PetscLayout& layout, RowRange rows);
/// Reads these rows of A and of b, if any; `entries_before` is the number of entries in the rows
/// before them.
Table read_petsc_rows(const std::shared_ptr<const MappedFile>& file, const PetscLayout& layout,
                      RowRange rows, Index entries_before, const ReadOptions& options);

Table read_petsc(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options);
FileInfo inspect_petsc(const MappedFile& file);

/// Throws bad_data: the row lengths do not add up to the number of entries.
[[noreturn]] void refuse_petsc_sum(const std::string& name, Index found, Index expected);

static_assert(std::endian::native == std::endian::little);

// Big-endian numbers at any address.

inline std::uint32_t big_endian_32(const char* p) {
  std::uint32_t bits;
  std::memcpy(&bits, p, sizeof(bits));
  return __builtin_bswap32(bits);
}
inline std::uint64_t big_endian_64(const char* p) {
  std::uint64_t bits;
  std::memcpy(&bits, p, sizeof(bits));
  return __builtin_bswap64(bits);
}

inline double big_endian_double(const char* p) { return std::bit_cast<double>(big_endian_64(p)); }

/// A signed integer of 4 or 8 bytes.
inline Index big_endian_index(const char* p, std::size_t width) {
  return width == 4 ? static_cast<std::int32_t>(big_endian_32(p))
                    : static_cast<Index>(big_endian_64(p));
}

}  // namespace polyak::internal::io
