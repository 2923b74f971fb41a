#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "io/disk/disk_matrix.hpp"
#include "io/npy/npy.hpp"
#include "io/stored.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are used as they are stored in the file");

template <class T>
double value_at(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));  // the address may be unaligned
  return static_cast<double>(value);
}

template <class T>
class TypedNpyRows final : public RowSource {
 public:
  TypedNpyRows(std::shared_ptr<const MappedFile> file, const NpyHeader& header)
      : file_(std::move(file)), header_(header), values_(file_->bytes().data() + header.offset) {}

  Index cols() const override { return header_.cols; }
  bool single() const override { return header_.type == NpyType::f4; }
  Index max_rows_left() const override { return header_.rows - next_; }

  Index read(View A, std::span<double>) override {
    const Index count = std::min(A.rows, header_.rows - next_);
    header_.fortran_order ? read_columns(A, count) : read_rows(A, count);
    next_ += count;
    return count;
  }

 private:
  const char* at(Index position) const { return values_ + position * Index{sizeof(T)}; }

  void read_rows(View A, Index count) {
    for (Index i = 0; i < count; ++i) {
      const char* p = at((next_ + i) * header_.cols);
      for (Index j = 0; j < header_.cols; ++j, p += sizeof(T)) A(i, j) = value_at<T>(p);
    }
    const char* end = at((next_ + count) * header_.cols);
    releaser_.release_up_to(static_cast<std::size_t>(end - file_->bytes().data()));
  }

  // A block of rows takes a short piece of every column: a blocked transpose.
  void read_columns(View A, Index count) const {
    for (Index j = 0; j < header_.cols; ++j) {
      const char* p = at(j * header_.rows + next_);
      for (Index i = 0; i < count; ++i, p += sizeof(T)) A(i, j) = value_at<T>(p);
    }
  }

  std::shared_ptr<const MappedFile> file_;
  NpyHeader header_;
  const char* values_;
  Index next_ = 0;
  PageReleaser releaser_{*file_};
};

template <class T>
std::unique_ptr<RowSource> typed_rows(std::shared_ptr<const MappedFile> file,
                                      const NpyHeader& header) {
  return std::make_unique<TypedNpyRows<T>>(std::move(file), header);
}

std::unique_ptr<RowSource> rows_of(std::shared_ptr<const MappedFile> file, const NpyHeader& h) {
  switch (h.type) {
    case NpyType::f4: return typed_rows<float>(std::move(file), h);
    case NpyType::i1: return typed_rows<std::int8_t>(std::move(file), h);
    case NpyType::i2: return typed_rows<std::int16_t>(std::move(file), h);
    case NpyType::i4: return typed_rows<std::int32_t>(std::move(file), h);
    case NpyType::i8: return typed_rows<std::int64_t>(std::move(file), h);
    case NpyType::u1:
    case NpyType::b1: return typed_rows<std::uint8_t>(std::move(file), h);
    case NpyType::u2: return typed_rows<std::uint16_t>(std::move(file), h);
    case NpyType::u4: return typed_rows<std::uint32_t>(std::move(file), h);
    case NpyType::f8: break;
  }
  return typed_rows<double>(std::move(file), h);
}

// A matrix that uses the mapped values without a copy; null if they are not row-major or not
// aligned.
template <class T>
MatrixPtr view_in_place(const std::shared_ptr<const MappedFile>& file, const NpyHeader& header) {
  const char* values = file->bytes().data() + header.offset;
  const bool aligned = reinterpret_cast<std::uintptr_t>(values) % alignof(T) == 0;
  if (header.fortran_order || !aligned) return nullptr;
  const T* data = static_cast<const T*>(static_cast<const void*>(values));
  const MatrixView<const T> view{data, header.rows, header.cols, header.cols};
  if constexpr (std::is_same_v<T, double>) {
    return dense_view(view, file,
                      [read_from = file.get()](const void* from, std::size_t bytes, void* to) {
                        read_from->read(from, bytes, to);
                      });
  }
  return dense_view(view, file);
}

// The values lie one row after the other, as they are used.
bool has_plain_rows(const NpyHeader& header, const ReadOptions& options) {
  const bool same = header.type == NpyType::f4 || (header.type == NpyType::f8 && !options.single);
  return same && !header.fortran_order && header.offset % item_size(header.type) == 0 &&
         header.rows > 0 && header.cols > 0;
}

constexpr double share_of_memory = 0.5;  // larger files are read row by row
constexpr double share_of_buffers = 0.125, most_buffer_bytes = 1e9;

bool stays_on_disk(const MappedFile& file, const NpyHeader& header, const ReadOptions& options) {
  if (options.storage == Storage::memory) return false;
  const bool possible =
      file.mapped() && has_plain_rows(header, options) && !options.drop_nonfinite_rows;
  if (options.storage == Storage::automatic)
    return possible && static_cast<double>(file.size()) > share_of_memory * options.memory_bytes;
  if (possible) return true;
  throw Error(ErrorCode::usage,
              {.what = "rows cannot be left in this file",
               .where = file.name(),
               .expected = "an .npy file of doubles or floats in C order, used as they are",
               .hint = "polyak convert makes one"});
}

MatrixPtr open_rows(const MappedFile& file, const NpyHeader& header, const ReadOptions& options) {
  const double buffers = std::min(share_of_buffers * options.memory_bytes, most_buffer_bytes) /
                         static_cast<double>(options.processes);
  return disk_matrix({.path = file.name(),
                      .offset = static_cast<Index>(header.offset),
                      .rows = header.rows,
                      .cols = header.cols,
                      .single = header.type == NpyType::f4,
                      .file = file.identity()},
                     {.reader = reader_named(options.disk_reader),
                      .buffer_bytes = buffers,
                      .measure_rates = options.processes == 1,
                      .sweep_bytes = options.disk_sweep_bytes,
                      .single_rows = options.disk_single_rows});
}

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

std::unique_ptr<RowSource> npy_rows(const std::shared_ptr<const MappedFile>& file) {
  return rows_of(file, parse_npy_header(*file));
}

Table read_npy(const std::shared_ptr<const MappedFile>& file, const ReadOptions& options) {
  const NpyHeader header = parse_npy_header(*file);
  Table table;
  if (stays_on_disk(*file, header, options)) {
    table.A = open_rows(*file, header, options);
    return table;
  }
  if (!options.drop_nonfinite_rows) {
    if (header.type == NpyType::f4) table.A = view_in_place<float>(file, header);
    if (header.type == NpyType::f8 && !options.single)
      table.A = view_in_place<double>(file, header);
  }
  return table.A ? table : load_rows(rows_of(file, header), options, file->name());
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

FileInfo inspect_npy(const MappedFile& file) {
  const NpyHeader header = parse_npy_header(file, true);
  FileInfo info;
  info.format = "NumPy array";
  info.value_type = type_name(header.type);
  info.rows = header.rows;
  info.cols = header.cols;
  info.nonzeros = header.rows * header.cols;
  if (header.dimensions == 1) info.note = "one dimension";
  if (header.dimensions == 2 && header.fortran_order) info.note = "Fortran order";
  if (header.dimensions > 2) info.note = "shape " + shape_text(header.shape);
  return info;
}

}  // namespace polyak::io
