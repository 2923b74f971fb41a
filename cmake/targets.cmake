# How our own code is compiled: strict, and with the same bits everywhere (no
# fused multiply-add unless a kernel asks for it by name, no fast-math).
# g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug
# 105651), hence no -Wrestrict from it.
function(polyak_compile target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
    -Woverloaded-virtual $<$<BOOL:${POLYAK_WERROR}>:-Werror>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -ffp-contract=off)
endfunction()

# polyak_room(NAME [DEPENDS room...] [PUBLIC header...] [USES library...])
#
# One room of the house: src/NAME/**.cpp as the object library polyak_NAME. It
# may include the rooms it depends on and theirs, and owns the public headers
# include/polyak/HEADER.hpp; tests/layers reads these calls and holds every
# #include to them. A room without sources is passed over.
function(polyak_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "DEPENDS;PUBLIC;USES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(polyak_${name} OBJECT ${sources})
  polyak_compile(polyak_${name})
  target_include_directories(polyak_${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(polyak_${name} PRIVATE ${room_USES})
  set_property(GLOBAL APPEND PROPERTY POLYAK_OBJECTS $<TARGET_OBJECTS:polyak_${name}>)
endfunction()

# polyak_program(NAME source... [USES library...]): an executable of ours.
function(polyak_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "" "USES")
  add_executable(${name} ${program_UNPARSED_ARGUMENTS})
  polyak_compile(${name})
  target_link_libraries(${name} PRIVATE polyak::polyak ${program_USES})
endfunction()
