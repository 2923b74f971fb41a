# How our own code is compiled: strict, and with the same bits everywhere (no
# fused multiply-add unless a kernel asks for it by name, no fast-math).
# In a unity build a local name may be that of a function or constant of another file, so g++
# looks at local names alone there, and clang++, which cannot, at none; `dev` looks at all.
# g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug
# 105651), hence no -Wrestrict from it.
function(polyak_compile target)
  set(shadow -Wshadow)
  if(CMAKE_UNITY_BUILD)
    set(shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
  endif()
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic ${shadow} -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
    -Woverloaded-virtual $<$<BOOL:${POLYAK_WERROR}>:-Werror>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -ffp-contract=off)
  # Public headers make their own names visible; everything else stays inside its library.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden)
endfunction()

# polyak_room(NAME [DEPENDS room...] [PUBLIC header...] [USES library...])
#
# One room of the house: src/NAME/**.cpp as the object library polyak_NAME. It
# may include the rooms it depends on and theirs, and owns the public headers
# include/polyak/HEADER.hpp; tests/layers reads these calls and holds every
# #include to them. A room without sources is passed over, and so are sources whose path matches
# POLYAK_LEFT_OUT.
function(polyak_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "DEPENDS;PUBLIC;USES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(POLYAK_LEFT_OUT)
    list(FILTER sources EXCLUDE REGEX "${POLYAK_LEFT_OUT}")
  endif()
  if(NOT sources)
    return()
  endif()
  add_library(polyak_${name} OBJECT ${sources})
  polyak_compile(polyak_${name})
  # Highway includes such a file again for every vector target: it is compiled alone. So are those
  # that match POLYAK_ALONE: a program may link the static library without them.
  foreach(source IN LISTS sources)
    file(STRINGS ${source} vector_code REGEX HWY_TARGET_INCLUDE LIMIT_COUNT 1)
    if(vector_code OR (POLYAK_ALONE AND source MATCHES "${POLYAK_ALONE}"))
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  target_include_directories(polyak_${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(polyak_${name} PRIVATE ${room_USES})
  set_property(GLOBAL APPEND PROPERTY POLYAK_OBJECTS $<TARGET_OBJECTS:polyak_${name}>)
endfunction()

# polyak_library(NAME AS ALIAS [SOURCES file...] [NEEDS name...] [LINKS library...])
#
# libNAME, polyak::ALIAS for others, of the rooms declared since the
# polyak_library before it. NEEDS are libraries of ours, LINKS foreign ones.
#
# The same objects make two libraries. The static one has every internal symbol
# and is libNAME_inside for tests and benchmarks. The shared one exports the
# public headers only; where it uses internals of another of our libraries it
# takes them from that one's static library. BUILD_SHARED_LIBS says which of the
# two is libNAME and installed; the tests look at the shared one in any case.
function(polyak_library name)
  cmake_parse_arguments(PARSE_ARGV 1 library "" "AS" "SOURCES;NEEDS;LINKS")
  get_property(objects GLOBAL PROPERTY POLYAK_OBJECTS)
  set_property(GLOBAL PROPERTY POLYAK_OBJECTS "")
  if(BUILD_SHARED_LIBS)
    set(shared "")
    set(static _inside)
  else()
    set(shared _shared)
    set(static "")
  endif()

  set(inside lib${name}${static})
  add_library(${inside} STATIC ${library_SOURCES} ${objects})
  list(TRANSFORM library_NEEDS REPLACE "(.+)" "lib\\1${static}" OUTPUT_VARIABLE needs_inside)
  target_link_libraries(${inside} PUBLIC ${needs_inside} PRIVATE ${library_LINKS})
  set(targets ${inside})
  if(BUILD_SHARED_LIBS OR (POLYAK_TESTS AND POLYAK_TEST_INSTALL))
    set(outside lib${name}${shared})
    add_library(${outside} SHARED ${library_SOURCES} ${objects})
    list(TRANSFORM library_NEEDS REPLACE "(.+)" "lib\\1${shared}" OUTPUT_VARIABLE needs)
    target_link_libraries(${outside} PUBLIC ${needs} PRIVATE ${needs_inside} ${library_LINKS})
    target_link_options(${outside} PRIVATE LINKER:--exclude-libs,ALL LINKER:--as-needed)
    set_target_properties(${outside} PROPERTIES VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    list(APPEND targets ${outside})
  endif()
  if(BUILD_SHARED_LIBS)
    set_target_properties(${inside} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    add_library(lib${name}_inside ALIAS ${inside})
    if(outside)
      set_target_properties(${outside} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/shared)
    endif()
  endif()

  foreach(target IN LISTS targets)
    polyak_compile(${target})
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${library_AS})
    if(library_SOURCES)
      add_dependencies(${target} polyak_build_info)
    endif()
  endforeach()
  add_library(polyak::${library_AS} ALIAS lib${name})
endfunction()

# polyak_program(NAME source... [INSIDE] [USES library...]): an executable of
# ours. INSIDE: it sees the internals of all libraries, else the solver alone.
function(polyak_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "INSIDE" "" "USES")
  add_executable(${name} ${program_UNPARSED_ARGUMENTS})
  polyak_compile(${name})
  if(program_INSIDE)
    target_link_libraries(${name} PRIVATE libpolyak_lab_inside)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  else()
    target_link_libraries(${name} PRIVATE polyak::polyak)
  endif()
  target_link_libraries(${name} PRIVATE ${program_USES})
endfunction()
