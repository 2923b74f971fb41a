#include "io/entries.hpp"
#include "io/format.hpp"
#include "io/svm.hpp"
#include "io/text_writer.hpp"

namespace polyak::io {

void write_svm(const std::string& path, const RowMatrix& A, const Array& b) {
  TextWriter out(open_output(path));
  for_each_row(A, [&](Index i, auto columns, auto values) {
    out.number(b.empty() ? 0.0 : b(i));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      out.put(' ');
      out.integer(static_cast<Index>(columns[k]) + 1);
      out.put(':');
      out.number(static_cast<double>(values[k]));
    }
    out.end_line();
  });
  out.commit();
}

}  // namespace polyak::io
