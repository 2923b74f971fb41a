# Libraries, headers, package files, program, manual page.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/polyak)
file(RELATIVE_PATH TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)

# polyak_package(ALIAS DESCRIPTION text [NEEDS alias...] [FLAGS flag...])
#
# Installs the library polyak::ALIAS as a component of the CMake package and as
# a pkg-config file. FLAGS are the foreign libraries by name alone: what other
# pkg-config files say of them brings strange flags. A program that links a static library links what that links; what a
# shared library links stays private.
function(polyak_package alias)
  cmake_parse_arguments(PARSE_ARGV 1 package "" "DESCRIPTION" "NEEDS;FLAGS")
  get_target_property(target polyak::${alias} ALIASED_TARGET)
  get_target_property(LIBRARY ${target} OUTPUT_NAME)
  install(TARGETS ${target} EXPORT ${LIBRARY})
  install(EXPORT ${LIBRARY} NAMESPACE polyak:: FILE polyak-${alias}.cmake DESTINATION ${package_dir})
  string(REPLACE _ - NAME ${LIBRARY})
  set(DESCRIPTION ${package_DESCRIPTION})
  list(JOIN package_NEEDS " " NEEDS)
  list(JOIN package_FLAGS " " flags)
  if(BUILD_SHARED_LIBS)
    set(PRIVATE_LIBS ${flags})
  else()
    set(PUBLIC_LIBS ${flags})
  endif()
  configure_file(cmake/polyak.pc.in ${NAME}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(uring_flags "")
if("${URING_LIBRARY}" IN_LIST POLYAK_IO_LINKS)
  set(uring_flags -luring)
endif()
set(blas_flags "")
if(POLYAK_LINK_BLAS)
  set(blas_flags -lopenblas)
endif()
polyak_package(polyak DESCRIPTION ${PROJECT_DESCRIPTION}
  FLAGS ${blas_flags} -lfmt -lhwy -lpthread -ldl)
polyak_package(io DESCRIPTION "Files of matrices, images and checkpoints for polyak" NEEDS polyak
  FLAGS -lfmt -lz -lpng -lsnappy -lzstd -llz4 ${uring_flags})
polyak_package(lab DESCRIPTION "Tomography, experiments and benchmarks with polyak"
  NEEDS polyak-io polyak FLAGS -lfmt -lhwy)

if(TARGET polyak_cli)
  install(TARGETS polyak_cli)
  install(FILES ${PROJECT_BINARY_DIR}/polyak.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(DIRECTORY include/polyak ${PROJECT_BINARY_DIR}/include/polyak
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)
configure_package_config_file(cmake/polyak-config.cmake.in polyak-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(polyak-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/polyak-config.cmake
  ${PROJECT_BINARY_DIR}/polyak-config-version.cmake DESTINATION ${package_dir})
