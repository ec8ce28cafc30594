# find_package(bombard) reads this file.
include(${CMAKE_CURRENT_LIST_DIR}/bombard-targets.cmake)
foreach(component IN LISTS bombard_FIND_COMPONENTS)
  if(bombard_FIND_REQUIRED_${component})
    set(bombard_FOUND FALSE)
    set(bombard_NOT_FOUND_MESSAGE "bombard has no component \"${component}\": leave COMPONENTS out")
  endif()
endforeach()
