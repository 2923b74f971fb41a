# Everything comes from distribution packages; tools/setup.sh names them.

# Defines MACRO as the name by which the dynamic loader finds the library FILE: the name it has
# of itself, or the whole path where the loader does not search.
function(polyak_late_library target macro file)
  file(REAL_PATH ${file} name)
  cmake_path(GET file PARENT_PATH folder)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${name} OUTPUT_VARIABLE headers ERROR_QUIET)
  if(folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES AND headers MATCHES "SONAME +([^ \n]+)")
    set(name ${CMAKE_MATCH_1})
  endif()
  target_compile_definitions(${target} INTERFACE ${macro}="${name}")
endfunction()

# What the libraries link, one list each. polyak-config.cmake.in repeats the
# lists for programs that link a static library; polyak.pc follows from them.
find_package(Threads REQUIRED)
# OpenBLAS is loaded when it is first called, see src/linalg/loader.cpp; tests
# and builds with POLYAK_LINK_BLAS link it.
set(POLYAK_BLAS_LIBRARY libopenblas.so.0 CACHE STRING "The OpenBLAS to load at the first call")
if(NOT POLYAK_PYTHON STREQUAL "ONLY" OR POLYAK_LINK_BLAS)
  set(BLA_VENDOR OpenBLAS)
  find_package(LAPACK REQUIRED)
endif()
add_library(polyak_blas INTERFACE)
if(POLYAK_LINK_BLAS)
  add_compile_definitions(POLYAK_LINK_BLAS)
  set(linked_blas LAPACK::LAPACK)
else()
  target_compile_definitions(polyak_blas INTERFACE POLYAK_BLAS_LIBRARY="${POLYAK_BLAS_LIBRARY}")
  set(linked_blas "")
endif()
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
set(POLYAK_IO_LINKS fmt::fmt ZLIB::ZLIB)
if(NOT POLYAK_PYTHON STREQUAL "ONLY")
  find_package(PNG REQUIRED)
  # HDF5, matio and TIFF are loaded when a file needs them (src/io/late_library.hpp): only their
  # headers and the names of the libraries are used here. Tests link them.
  find_package(TIFF REQUIRED)
  # Debian keeps HDF5's parallel builds beside the plain one.
  find_path(HDF5_C_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
  find_library(HDF5_C_LIBRARY NAMES hdf5_serial hdf5 REQUIRED)
  find_path(MATIO_INCLUDE_DIR matio.h REQUIRED)
  find_library(MATIO_LIBRARY matio REQUIRED)
  get_target_property(TIFF_LIBRARY_FILE TIFF::TIFF LOCATION)
  add_library(polyak_late_formats INTERFACE)
  target_include_directories(polyak_late_formats SYSTEM INTERFACE
    ${HDF5_C_INCLUDE_DIR} ${MATIO_INCLUDE_DIR} ${TIFF_INCLUDE_DIRS})
  polyak_late_library(polyak_late_formats POLYAK_HDF5_LIBRARY ${HDF5_C_LIBRARY})
  polyak_late_library(polyak_late_formats POLYAK_MATIO_LIBRARY ${MATIO_LIBRARY})
  polyak_late_library(polyak_late_formats POLYAK_TIFF_LIBRARY ${TIFF_LIBRARY_FILE})
  set(POLYAK_LATE_LINKS ${MATIO_LIBRARY} ${HDF5_C_LIBRARY} TIFF::TIFF)
  list(APPEND POLYAK_IO_LINKS PNG::PNG)
  # Compressed pages of Parquet files, and tables of text compressed by zstd.
  find_path(SNAPPY_INCLUDE_DIR snappy-c.h REQUIRED)
  find_library(SNAPPY_LIBRARY snappy REQUIRED)
  find_path(ZSTD_INCLUDE_DIR zstd.h REQUIRED)
  find_library(ZSTD_LIBRARY zstd REQUIRED)
  find_path(LZ4_INCLUDE_DIR lz4.h REQUIRED)
  find_library(LZ4_LIBRARY lz4 REQUIRED)
  add_library(polyak_codecs INTERFACE)
  target_include_directories(polyak_codecs SYSTEM INTERFACE
    ${SNAPPY_INCLUDE_DIR} ${ZSTD_INCLUDE_DIR} ${LZ4_INCLUDE_DIR})
  list(APPEND POLYAK_IO_LINKS ${SNAPPY_LIBRARY} ${ZSTD_LIBRARY} ${LZ4_LIBRARY})
endif()
# Many reads of a disk at once; without it a pool of threads reads (src/io/disk).
add_library(polyak_uring INTERFACE)
find_path(URING_INCLUDE_DIR liburing.h)
find_library(URING_LIBRARY uring)
if(URING_INCLUDE_DIR AND URING_LIBRARY AND NOT POLYAK_PYTHON STREQUAL "ONLY")
  target_include_directories(polyak_uring SYSTEM INTERFACE ${URING_INCLUDE_DIR})
  target_compile_definitions(polyak_uring INTERFACE POLYAK_URING)
  list(APPEND POLYAK_IO_LINKS ${URING_LIBRARY})
endif()
find_path(HIGHWAY_INCLUDE_DIR hwy/highway.h REQUIRED)
find_library(HIGHWAY_LIBRARY hwy REQUIRED)
add_library(polyak_highway INTERFACE)
target_include_directories(polyak_highway SYSTEM INTERFACE ${HIGHWAY_INCLUDE_DIR})
# One way for each width: AVX-512, AVX2, NEON, plain.
target_compile_definitions(polyak_highway INTERFACE
  "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
set(POLYAK_LINKS Threads::Threads ${linked_blas} fmt::fmt ${HIGHWAY_LIBRARY} ${CMAKE_DL_LIBS})
set(POLYAK_LAB_LINKS fmt::fmt ${HIGHWAY_LIBRARY})

# What it only includes.
find_package(nlohmann_json REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
add_library(polyak_random123 INTERFACE)
target_include_directories(polyak_random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})
if(POLYAK_PYTHON STREQUAL "ONLY")
  return()
endif()
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(polyak_xxhash INTERFACE)
target_include_directories(polyak_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})

# The program.
find_package(tomlplusplus REQUIRED)

if(POLYAK_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(Eigen3 REQUIRED NO_MODULE)
endif()
if(POLYAK_BENCH)
  find_package(Eigen3 REQUIRED NO_MODULE)
endif()
