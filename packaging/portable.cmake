# A program and a Python module for other systems than the one that they were built on: what they need besides the C
# library comes with them. libbombard has the C++ library and OpenMP of the compiler that its users have.
option(BOMBARD_PORTABLE "The program and the Python module bring their C++ library, OpenMP and fmt (g++)" OFF)
set(BOMBARD_FMT $<IF:$<BOOL:${BOMBARD_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)

# bring_runtime(TARGET WAY FOLDER COMPONENT...): OpenMP is installed in FOLDER, which the target finds by WAY from its own.
function(bring_runtime target way folder)
  if(NOT BOMBARD_PORTABLE)
    return()
  endif()
  # A module shares libgcc_s with its interpreter, which ends a daemon's thread by unwinding its stack: two copies of the
  # unwinder abort there.
  target_link_options(${target} PRIVATE -static-libstdc++
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-libgcc>)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${way}")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.so.1 OUTPUT_VARIABLE openmp
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(REAL_PATH "${openmp}" openmp)
  install(FILES ${openmp} DESTINATION ${folder} RENAME libgomp.so.1 COMPONENT ${ARGN})
endfunction()
