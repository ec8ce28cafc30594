# Runs at every build: writes build_info.cpp with the commit of this moment. The file is touched only when something has
# changed, so that nothing is recompiled needlessly.
#   cmake -DSOURCE=... -DOUTPUT=... -DVERSION=... -D... -P build_info.cmake
set(COMMIT unknown)
find_program(GIT git)
if(GIT)
  # An archive unpacked inside someone else's checkout is not at that checkout's commit.
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel
                  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCE}" source)
  if(top STREQUAL source)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --abbrev=12 --exclude=* --dirty=-modified
                    OUTPUT_VARIABLE described RESULT_VARIABLE status
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(status EQUAL 0)
      set(COMMIT ${described})
    endif()
  endif()
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_info.cpp.in ${OUTPUT} @ONLY)
