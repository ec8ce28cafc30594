# Makes a program and a Python module that run on systems other than the one they were built on: they bring everything that
# they need except the C library. libbombard uses the C++ library of its users' compiler.
option(BOMBARD_PORTABLE "The program and the Python module bring their C++ library and fmt (g++)" OFF)
set(BOMBARD_FMT $<IF:$<BOOL:${BOMBARD_PORTABLE}>,fmt::fmt-header-only,fmt::fmt>)

function(bring_runtime target)
  # A module shares libgcc_s with its interpreter, which ends a daemon thread by unwinding its stack; with two copies of the
  # unwinder it would abort.
  if(BOMBARD_PORTABLE)
    target_link_options(${target} PRIVATE -static-libstdc++
      $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-static-libgcc>)
  endif()
endfunction()
