// The readers of HDF5, MATLAB, Parquet and TIFF files, and of zstd, need libraries that the package
// does not bring. These stand in their place when the extension is linked; polyak/_inputs.py reads
// such files through h5py, SciPy, pyarrow and tifffile instead.

#include "io/parquet/parquet.hpp"
#include "io/stored.hpp"
#include "io/stream/byte_source.hpp"
#include "polyak/error.hpp"

namespace polyak::io {
namespace {

[[noreturn]] void refuse(const std::string& file) {
  throw Error(ErrorCode::usage,
              {.what = "this format is not read here",
               .where = file,
               .hint = "read the array in Python and pass it instead of the name"});
}

}  // namespace

std::vector<ArrayInfo> list_hdf5(const std::string& path) { refuse(path); }
std::optional<ArrayInfo> find_hdf5(const std::string& path, const std::string&) { refuse(path); }
StoredArrayPtr open_hdf5(const std::string& path, const std::string&) { refuse(path); }
SparseParts read_hdf5_sparse(const std::string& path, const std::string&) { refuse(path); }
std::vector<ArrayInfo> list_mat(const MappedFile& file) { refuse(file.name()); }
StoredArrayPtr open_mat(const MappedFile& file, const std::string&) { refuse(file.name()); }
SparseParts read_mat_sparse(const MappedFile& file, const std::string&) { refuse(file.name()); }
StoredArrayPtr open_tiff(const std::vector<std::string>& files) {
  refuse(files.empty() ? "" : files.front());
}
ArrayInfo inspect_tiff(const MappedFile& file) { refuse(file.name()); }
std::unique_ptr<RowSource> parquet_rows(const std::shared_ptr<const MappedFile>& file,
                                        const ReadOptions&, const std::optional<RowRange>&) {
  refuse(file->name());
}
FileInfo inspect_parquet(const MappedFile& file) { refuse(file.name()); }
std::unique_ptr<ByteSource> unzstded(std::unique_ptr<ByteSource> source) { refuse(source->name()); }
std::vector<std::string> tiff_files(const std::string&) { return {}; }

}  // namespace polyak::io
