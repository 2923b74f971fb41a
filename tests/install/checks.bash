# What the tests of the package share.
fail() {
  echo "$1" >&2
  exit 1
}

# needs_no_files PROGRAM...: none of the libraries that read files is loaded.
needs_no_files() {
  local file
  for file in "$@"; do
    ! ldd "$file" | grep -i 'hdf5\|tiff\|matio\|png\|snappy\|zstd\|lz4\|libmpi\|polyak_io' || fail "$file needs these"
  done
}

# starts_alone PROGRAM...: libraries of file formats are loaded when a file needs them.
starts_alone() {
  local file
  for file in "$@"; do
    ! ldd "$file" | grep -i 'hdf5\|tiff\|matio\|curl' || fail "$file loads these when it starts"
  done
}
