#pragma once

// One input through one reader, the way a user could send it: with several
// options, as a table, as an array and as something to inspect. Whatever the
// bytes, the only exception is Error, and only for bad data or usage; what is
// accepted must be consistent.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "io/format.hpp"
#include "polyak/error.hpp"

namespace polyak::fuzz {

inline void check(bool condition) {
  if (!condition) std::abort();
}

template <class Call>
void tolerate(Call call) {
  try {
    call();
  } catch (const Error& error) {
    check(error.code() == ErrorCode::bad_data || error.code() == ErrorCode::usage);
    check(std::string(error.what()).find('\n') == std::string::npos);
  }
}

// Reads rows, all of them where there are not millions of empty ones.
inline void use(const Table& table) {
  const RowMatrix& A = *table.A;
  check(A.rows() >= 0 && A.cols() >= 0 && A.nonzeros() >= 0 && table.dropped_rows >= 0);
  check(table.b.empty() || table.b.rows() == A.rows());
  check(table.names.empty() || ssize(table.names) == A.cols());
  (void)A.max_abs(0, std::min<Index>(A.rows(), 100000));
  const Index rows = std::min<Index>(A.rows(), 3);
  if (A.cols() > 100000) return;
  std::vector<double> block(to_size(rows * A.cols()));
  A.copy_rows(A.rows() - rows, A.rows(), View{block.data(), rows, A.cols(), A.cols()});
}

inline std::vector<ReadOptions> option_sets(io::Format format) {
  std::vector<ReadOptions> sets(3);
  sets[1].drop_nonfinite_rows = true;
  sets[1].single = true;
  sets[2].keep_nonfinite = true;
  sets[2].duplicates = Duplicates::error;
  const bool table = format == io::Format::csv || format == io::Format::parquet;
  if (table) sets[1].rhs_column = "2";
  sets[1].intercept = table || format == io::Format::svm;
  return sets;
}

inline int read(io::Format format, const std::uint8_t* data, std::size_t size) {
  std::string bytes(static_cast<const char*>(static_cast<const void*>(data)), size);
  io::Input input{.format = format, .file = io::MappedFile::from_memory("fuzz", std::move(bytes))};
  tolerate([&] {
    if (io::is_gzip(input.file->bytes())) input.file = io::decompress(*input.file);
  });
  for (const auto& options : option_sets(format))
    tolerate([&] { use(io::read_input(input, options)); });
  tolerate([&] { (void)io::read_input_array(input, {}); });
  tolerate([&] { (void)io::inspect_input(input); });
  return 0;
}

}  // namespace polyak::fuzz
