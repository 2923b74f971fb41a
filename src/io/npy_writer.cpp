#include <vector>

#include "io/npy.hpp"

namespace polyak::io {
namespace {

// NumPy wants the values to start at a multiple of 64. The sizes get the room
// of the largest count, so that the header can be rewritten in place.
constexpr std::size_t header_size = 128;

std::string npy_header(Index rows, const NpyLayout& layout) {
  std::string text("\x93NUMPY\x01\x00", 8);
  constexpr std::size_t length = header_size - 10;
  text += static_cast<char>(length & 0xff);
  text += static_cast<char>(length >> 8);
  text += layout.single ? "{'descr': '<f4'" : "{'descr': '<f8'";
  text += ", 'fortran_order': False, 'shape': (" + std::to_string(rows) + ",";
  if (!layout.one_dimension) text += " " + std::to_string(layout.cols);
  text += "), }";
  text.resize(header_size - 1, ' ');
  return text + "\n";
}

template <class Value>
class NpySink final : public RowSink {
 public:
  NpySink(const std::string& path, const NpyLayout& layout)
      : name_(path), file_(path), layout_(layout) {
    file_.write(npy_header(0, layout_));
  }

  void write(ConstView A, std::span<const double>) override {
    buffer_.clear();
    for (Index i = 0; i < A.rows; ++i) {
      const double* row = A.row(i);
      for (Index j = 0; j < A.cols; ++j)
        buffer_.push_back(narrow<Value>(row[j], rows_ + i, j, name_));
    }
    rows_ += A.rows;
    const void* bytes = buffer_.data();
    file_.write({static_cast<const char*>(bytes), buffer_.size() * sizeof(Value)});
  }

  void finish() override {
    file_.write_at(0, npy_header(rows_, layout_));
    file_.commit();
  }

 private:
  std::string name_;
  OutputFile file_;
  NpyLayout layout_;
  Index rows_ = 0;
  std::vector<Value> buffer_;
};

}  // namespace

std::unique_ptr<RowSink> npy_sink(const std::string& path, const NpyLayout& layout) {
  if (layout.single) return std::make_unique<NpySink<float>>(path, layout);
  return std::make_unique<NpySink<double>>(path, layout);
}

}  // namespace polyak::io
