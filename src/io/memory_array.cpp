#include <cstring>
#include <numeric>
#include <utility>

#include "io/npy.hpp"
#include "io/stored.hpp"
#include "io/strided.hpp"

namespace polyak::io {
namespace {

class MemoryArray final : public StoredArray {
 public:
  MemoryArray(std::string name, std::string value_type, std::vector<Index> shape,
              std::vector<Index> strides, std::vector<double> values)
      : name_(std::move(name)),
        value_type_(std::move(value_type)),
        shape_(std::move(shape)),
        strides_(std::move(strides)),
        values_(std::move(values)) {}

  std::string name() const override { return name_; }
  const std::vector<Index>& shape() const override { return shape_; }
  std::string value_type() const override { return value_type_; }
  void read(std::span<const Index> first, std::span<const Index> count,
            std::span<double> out) const override {
    copy_box(first, count, strides_, out, [&](Index at) { return values_[to_size(at)]; });
  }

 private:
  std::string name_, value_type_;
  std::vector<Index> shape_, strides_;
  std::vector<double> values_;
};

template <class T>
class NpyArray final : public StoredArray {
 public:
  NpyArray(std::shared_ptr<const MappedFile> file, const NpyHeader& header)
      : file_(std::move(file)),
        header_(header),
        strides_(header.fortran_order ? column_strides(header.shape) : row_strides(header.shape)) {}

  std::string name() const override { return file_->name(); }
  const std::vector<Index>& shape() const override { return header_.shape; }
  std::string value_type() const override { return type_name(header_.type); }
  void read(std::span<const Index> first, std::span<const Index> count,
            std::span<double> out) const override {
    const char* values = file_->bytes().data() + header_.offset;
    copy_box(first, count, strides_, out, [&](Index at) {
      T value;
      std::memcpy(&value, values + at * Index{sizeof(T)}, sizeof(T));
      return static_cast<double>(value);
    });
  }

 private:
  std::shared_ptr<const MappedFile> file_;
  NpyHeader header_;
  std::vector<Index> strides_;
};

template <class T>
StoredArrayPtr npy_array(const std::shared_ptr<const MappedFile>& file, const NpyHeader& header) {
  return std::make_shared<NpyArray<T>>(file, header);
}

}  // namespace

StoredArrayPtr memory_array(std::string name, std::string value_type, std::vector<Index> shape,
                            std::vector<Index> strides, std::vector<double> values) {
  return std::make_shared<MemoryArray>(std::move(name), std::move(value_type), std::move(shape),
                                       std::move(strides), std::move(values));
}

StoredArrayPtr open_npy(const std::shared_ptr<const MappedFile>& file) {
  const NpyHeader header = parse_npy_header(*file, true);
  switch (header.type) {
    case NpyType::f4: return npy_array<float>(file, header);
    case NpyType::i1: return npy_array<std::int8_t>(file, header);
    case NpyType::i2: return npy_array<std::int16_t>(file, header);
    case NpyType::i4: return npy_array<std::int32_t>(file, header);
    case NpyType::i8: return npy_array<std::int64_t>(file, header);
    case NpyType::u1:
    case NpyType::b1: return npy_array<std::uint8_t>(file, header);
    case NpyType::u2: return npy_array<std::uint16_t>(file, header);
    case NpyType::u4: return npy_array<std::uint32_t>(file, header);
    case NpyType::f8: break;
  }
  return npy_array<double>(file, header);
}

}  // namespace polyak::io
