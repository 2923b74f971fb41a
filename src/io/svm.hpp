#pragma once

// SVMlight: "label index:value index:value ... # comment". Indices count from
// 1 and ascend; a file that uses index 0 counts from 0. "qid:" is passed over.

#include <span>
#include <string>

#include "io/file.hpp"
#include "polyak/io.hpp"

namespace polyak::io {

Table read_svm(const MappedFile& file, const ReadOptions& options);
FileInfo inspect_svm(const MappedFile& file);

/// Labels are 0 where there is no b.
void write_svm(const std::string& path, const RowMatrix& A, const Array& b);

}  // namespace polyak::io
