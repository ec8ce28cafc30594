# embed_page(OUTPUT) writes a C++ file that holds the page's files and dygraphs (Debian's libjs-dygraphs) as texts.
# They are read when CMake configures, which it does again if one of them has changed.
set(dygraphs_directories /usr/share/javascript/dygraphs /usr/share/doc/libjs-dygraphs)
find_file(DYGRAPHS_SCRIPT_FILE dygraph.min.js PATHS ${dygraphs_directories} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
find_file(DYGRAPHS_STYLE_FILE dygraph.min.css PATHS ${dygraphs_directories} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
find_file(DYGRAPHS_LICENCE_FILE copyright PATHS ${dygraphs_directories} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)

# A text without the link to its source map, a file that is not next to any page.
function(read_text variable file)
  file(READ ${file} text)
  string(REGEX REPLACE "(//#|/\\*#) sourceMappingURL=[^\n]*\n?$" "" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endfunction()

function(embed_page output)
  read_text(PAGE ${CMAKE_CURRENT_SOURCE_DIR}/page/page.html)
  read_text(RANKING ${CMAKE_CURRENT_SOURCE_DIR}/page/ranking.html)
  read_text(STYLE ${CMAKE_CURRENT_SOURCE_DIR}/page/page.css)
  read_text(SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/page/page.js)
  if(DYGRAPHS_SCRIPT_FILE AND DYGRAPHS_STYLE_FILE AND DYGRAPHS_LICENCE_FILE)
    read_text(DYGRAPHS_SCRIPT ${DYGRAPHS_SCRIPT_FILE})
    read_text(DYGRAPHS_STYLE ${DYGRAPHS_STYLE_FILE})
    read_text(DYGRAPHS_LICENCE ${DYGRAPHS_LICENCE_FILE})
  else()
    message(STATUS "No dygraphs (Debian's libjs-dygraphs): bombard run --report is left out")
  endif()
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/page/embedded.cpp.in ${output} @ONLY)
endfunction()
