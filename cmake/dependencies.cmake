# Everything comes from distribution packages; tools/setup.sh names them.

# What the library links. polyak-config.cmake.in and polyak.pc.in repeat this
# list for those who link it statically.
find_package(Threads REQUIRED)
set(BLA_VENDOR OpenBLAS)
find_package(LAPACK REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
set(POLYAK_LINKS Threads::Threads LAPACK::LAPACK fmt::fmt ZLIB::ZLIB ${CMAKE_DL_LIBS})

# What it only includes.
find_package(nlohmann_json REQUIRED)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
add_library(polyak_random123 INTERFACE)
target_include_directories(polyak_random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})

# The program.
find_package(tomlplusplus REQUIRED)

if(POLYAK_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(Eigen3 REQUIRED NO_MODULE)
endif()
if(POLYAK_BENCH)
  find_package(benchmark REQUIRED)
  find_package(Eigen3 REQUIRED NO_MODULE)
endif()
