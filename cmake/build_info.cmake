# Run at every build, so that the commit named is the one built:
#   cmake -DSOURCE= -DOUTPUT= -DCOMPILER= -DTYPE= -P build_info.cmake
set(COMMIT unknown)
if(EXISTS ${SOURCE}/.git)
  set(ENV{GIT_OPTIONAL_LOCKS} 0)
  execute_process(COMMAND git describe --always --dirty --tags
    WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE failed OUTPUT_VARIABLE described
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(COMMIT ${described})
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_info.cpp.in ${OUTPUT} @ONLY)
