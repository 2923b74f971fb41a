#include "io/csv.hpp"
#include "io/format.hpp"
#include "io/text_writer.hpp"

namespace polyak::io {
namespace {

class CsvSink final : public RowSink {
 public:
  CsvSink(const std::string& path, const std::vector<std::string>& names,
          const std::optional<std::string>& rhs_name)
      : out_(open_output(path)) {
    if (names.empty()) return;
    write_cells(names, [&](const std::string& name) { out_.cell(name); });
    if (rhs_name) {
      out_.put(',');
      out_.cell(*rhs_name);
    }
    out_.end_line();
  }

  void write(ConstView A, std::span<const double> b) override {
    for (Index i = 0; i < A.rows; ++i) {
      const std::span<const double> row(A.row(i), to_size(A.cols));
      write_cells(row, [&](double value) { out_.number(value); });
      if (!b.empty()) {
        if (A.cols > 0) out_.put(',');
        out_.number(b[to_size(i)]);
      }
      out_.end_line();
    }
  }

  void finish() override { out_.commit(); }

 private:
  template <class Cells, class Write>
  void write_cells(const Cells& cells, Write write_one) {
    bool first = true;
    for (const auto& cell : cells) {
      if (!first) out_.put(',');
      write_one(cell);
      first = false;
    }
  }

  TextWriter out_;
};

}  // namespace

std::unique_ptr<RowSink> csv_sink(const std::string& path, const std::vector<std::string>& names,
                                  const std::optional<std::string>& rhs_name) {
  return std::make_unique<CsvSink>(path, names, rhs_name);
}

}  // namespace polyak::io
