#include "io/image.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

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

}  // namespace

void write_image(const std::string& path, ConstView values, const ImageOptions& options,
                 Index count) {
  std::string name = path;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool png = name.ends_with(".png");
  if (!png && !name.ends_with(".tif") && !name.ends_with(".tiff")) return write_array(path, values);
  check_finite(values, path);
  io::OutputFile file(path);
  file.write(png ? io::encode_png(values, options, path)
                 : io::encode_tiff(values, options, count, path));
  file.commit();
}

}  // namespace polyak
