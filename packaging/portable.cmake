# Makes a program and a Python module that run on systems other than the one they were built on: they bring everything that
# they need except the C library. libbombard uses the C++ library and the OpenMP of its users' compiler.
option(BOMBARD_PORTABLE "The program and the Python module bring their C++ library, OpenMP and fmt (g++)" OFF)
set(BOMBARD_FMT $<IF:$<BOOL:${BOMBARD_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)

# bring_runtime(TARGET WAY FOLDER COMPONENT...): installs OpenMP in FOLDER; WAY is the path there from the target's folder.
function(bring_runtime target way folder)
  if(NOT BOMBARD_PORTABLE)
    return()
  endif()
  # A module shares libgcc_s with its interpreter, which ends a daemon thread by unwinding its stack; with two copies of the
  # unwinder it would abort.
  target_link_options(${target} PRIVATE -static-libstdc++
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-libgcc>)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${way}")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.so.1 OUTPUT_VARIABLE openmp
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(REAL_PATH "${openmp}" openmp)
  install(FILES ${openmp} DESTINATION ${folder} RENAME libgomp.so.1 COMPONENT ${ARGN})
endfunction()
