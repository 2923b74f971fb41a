#include "stored_testing.hpp"

#include <matio.h>
#include <tiffio.h>

#include <cstring>
#include <memory>
#include <type_traits>

namespace polyak::testing {

Hdf5Writer::Hdf5Writer(const std::string& path)
    : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
      links_(H5Pcreate(H5P_LINK_CREATE)) {
  H5Pset_create_intermediate_group(links_, 1);
  if (file_ < 0) throw std::runtime_error("cannot make " + path);
}
Hdf5Writer::~Hdf5Writer() {
  H5Pclose(links_);
  H5Fclose(file_);
}

void Hdf5Writer::put(const std::string& name, const std::vector<hsize_t>& shape,
                     const std::vector<double>& values, hid_t type,
                     const std::vector<hsize_t>& chunk) {
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (!chunk.empty()) {
    H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 6);
  }
  const hid_t dataset = H5Dcreate2(file_, name.c_str(), type, space, links_, creation, H5P_DEFAULT);
  if (dataset < 0 ||
      H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw std::runtime_error("cannot write " + name);
  H5Dclose(dataset);
  H5Pclose(creation);
  H5Sclose(space);
}

void Hdf5Writer::attribute(const std::string& name, const std::string& attribute,
                           const std::vector<std::int64_t>& values) {
  const hsize_t count = values.size();
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t object = H5Oopen(file_, name.c_str(), H5P_DEFAULT);
  const hid_t id =
      H5Acreate2(object, attribute.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(id, H5T_NATIVE_INT64, values.data());
  H5Aclose(id);
  H5Oclose(object);
  H5Sclose(space);
}

void Hdf5Writer::text(const std::string& name, const std::string& attribute,
                      const std::string& value) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t object = H5Oopen(file_, name.c_str(), H5P_DEFAULT);
  const hid_t id = H5Acreate2(object, attribute.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  const char* text = value.c_str();
  H5Awrite(id, type, &text);
  H5Aclose(id);
  H5Oclose(object);
  H5Sclose(space);
  H5Tclose(type);
}

namespace {

void put_dense(mat_t* file, MatVariable v, matio_compression compression) {
  matvar_t* variable =
      Mat_VarCreate(v.name.c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, static_cast<int>(v.shape.size()),
                    v.shape.data(), v.values.data(), 0);
  EXPECT_EQ(Mat_VarWrite(file, variable, compression), 0) << v.name;
  Mat_VarFree(variable);
}

void put_sparse(mat_t* file, MatVariable v, matio_compression compression) {
  const std::size_t rows = v.shape[0], cols = v.shape[1];
  std::vector<mat_uint32_t> ir, jc{0};
  std::vector<double> values;
  for (std::size_t j = 0; j < cols; ++j) {
    for (std::size_t i = 0; i < rows; ++i) {
      if (v.values[j * rows + i] == 0.0) continue;
      ir.push_back(static_cast<mat_uint32_t>(i));
      values.push_back(v.values[j * rows + i]);
    }
    jc.push_back(static_cast<mat_uint32_t>(ir.size()));
  }
  const auto count = static_cast<mat_uint32_t>(values.size());
  mat_sparse_t sparse{count, ir.data(),    count, jc.data(), static_cast<mat_uint32_t>(jc.size()),
                      count, values.data()};
  matvar_t* variable = Mat_VarCreate(v.name.c_str(), MAT_C_SPARSE, MAT_T_DOUBLE, 2, v.shape.data(),
                                     &sparse, MAT_F_DONT_COPY_DATA);
  EXPECT_EQ(Mat_VarWrite(file, variable, compression), 0) << v.name;
  Mat_VarFree(variable);
}

}  // namespace

void write_mat(const std::string& path, const std::vector<MatVariable>& variables,
               MatVersion version) {
  const mat_ft kind = version == MatVersion::v73 ? MAT_FT_MAT73 : MAT_FT_MAT5;
  const auto compression = version == MatVersion::v7 ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE;
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, kind);
  ASSERT_NE(file, nullptr);
  for (const MatVariable& v : variables)
    v.sparse ? put_sparse(file, v, compression) : put_dense(file, v, compression);
  Mat_Close(file);
}

namespace {

template <class T>
std::uint16_t sample_format() {
  if (std::is_floating_point_v<T>) return SAMPLEFORMAT_IEEEFP;
  return std::is_signed_v<T> ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT;
}

template <class T>
void write_tiles(TIFF* tiff, std::uint32_t rows, std::uint32_t cols, const std::vector<T>& page) {
  constexpr std::uint32_t side = 16;
  std::vector<T> tile(side * side);
  for (std::uint32_t top = 0; top < rows; top += side) {
    for (std::uint32_t left = 0; left < cols; left += side) {
      std::fill(tile.begin(), tile.end(), T(99));  // beyond the image: to be ignored
      for (std::uint32_t i = top; i < std::min(rows, top + side); ++i)
        for (std::uint32_t j = left; j < std::min(cols, left + side); ++j)
          tile[(i - top) * side + j - left] = page[i * cols + j];
      EXPECT_GT(TIFFWriteTile(tiff, tile.data(), left, top, 0, 0), 0);
    }
  }
}

}  // namespace

template <class T>
void write_tiff(const std::string& path, std::uint32_t rows, std::uint32_t cols,
                const std::vector<std::vector<T>>& pages, const TiffStyle& style) {
  TIFF* tiff = TIFFOpen(path.c_str(), "w");
  ASSERT_NE(tiff, nullptr);
  for (std::vector<T> page : pages) {
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, cols);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, rows);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, int{8 * sizeof(T)});
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, sample_format<T>());
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, style.channels);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    if (style.compressed) TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
    if (style.tiled) {
      TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
      TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
      write_tiles(tiff, rows, cols, page);
    } else {
      TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, style.rows_per_strip);
      for (std::uint32_t i = 0; i < rows; ++i)
        EXPECT_EQ(TIFFWriteScanline(tiff, page.data() + i * cols * style.channels, i, 0), 1);
    }
    EXPECT_EQ(TIFFWriteDirectory(tiff), 1);
  }
  TIFFClose(tiff);
}

#define POLYAK_TIFF_OF(T)                                                       \
  template void write_tiff<T>(const std::string&, std::uint32_t, std::uint32_t, \
                              const std::vector<std::vector<T>>&, const TiffStyle&)
POLYAK_TIFF_OF(float);
POLYAK_TIFF_OF(double);
POLYAK_TIFF_OF(std::uint8_t);
POLYAK_TIFF_OF(std::int8_t);
POLYAK_TIFF_OF(std::uint16_t);
POLYAK_TIFF_OF(std::int16_t);
POLYAK_TIFF_OF(std::uint32_t);
POLYAK_TIFF_OF(std::int32_t);
#undef POLYAK_TIFF_OF

}  // namespace polyak::testing
