#include "io/image.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "io/npz.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"

namespace polyak {
namespace {

void check_finite(ConstView values, const std::string& path) {
  for (Index i = 0; i < values.rows; ++i)
    for (Index j = 0; j < values.cols; ++j)
      if (!std::isfinite(values(i, j)))
        throw Error(ErrorCode::bad_data, {.what = "a value of the image is not finite",
                                          .where = path,
                                          .found = "row " + std::to_string(i + 1) + ", column " +
                                                   std::to_string(j + 1)});
}

// Three dimensions: image, row, column.
void write_stack(const std::string& path, ConstView values, Index count) {
  io::OutputFile file(path);
  file.write(io::npy_head("<f8", "(" + std::to_string(count) + ", " +
                                     std::to_string(values.rows / count) + ", " +
                                     std::to_string(values.cols) + ")"));
  for (Index i = 0; i < values.rows; ++i)
    file.write(
        {reinterpret_cast<const char*>(values.row(i)), to_size(values.cols) * sizeof(double)});
  file.commit();
}

}  // namespace

void write_image(const std::string& path, ConstView values, const ImageOptions& options,
                 Index count) {
  std::string name = path;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool png = name.ends_with(".png");
  if (name.ends_with(".npy") && count > 1) return write_stack(path, values, count);
  if (!png && !name.ends_with(".tif") && !name.ends_with(".tiff")) return write_array(path, values);
  check_finite(values, path);
  io::OutputFile file(path);
  file.write(png ? io::encode_png(values, options, path)
                 : io::encode_tiff(values, options, count, path));
  file.commit();
}

}  // namespace polyak
