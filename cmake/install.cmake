# Library, headers, package files, program, manual page.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/polyak)

install(TARGETS polyak EXPORT polyak)
if(TARGET polyak_cli)
  install(TARGETS polyak_cli)
  install(FILES ${PROJECT_BINARY_DIR}/polyak.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(DIRECTORY include/polyak ${PROJECT_BINARY_DIR}/include/polyak
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)

install(EXPORT polyak NAMESPACE polyak:: FILE polyak-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/polyak-config.cmake.in polyak-config.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(polyak-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/polyak-config.cmake
  ${PROJECT_BINARY_DIR}/polyak-config-version.cmake DESTINATION ${package_dir})

# Whoever links a static library links what it links; of a shared one that
# stays private.
set(requires "fmt zlib libpng libtiff-4 matio hdf5 libhwy")
set(libs "-lopenblas -lpthread -ldl")
if(BUILD_SHARED_LIBS)
  set(PRIVATE_REQUIRES ${requires})
  set(PRIVATE_LIBS ${libs})
else()
  set(PUBLIC_REQUIRES ${requires})
  set(PUBLIC_LIBS ${libs})
endif()
file(RELATIVE_PATH TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/polyak.pc.in polyak.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/polyak.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
