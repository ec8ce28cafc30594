# embed_pages(OUTPUT) writes a C++ file that holds the pages as formats of fmt, each with its style and, in that of a run, its
# script and dygraphs (Debian's libjs-dygraphs). CMake reads them when it configures, which it does again when one has changed.
set(dygraphs_directories /usr/share/javascript/dygraphs /usr/share/doc/libjs-dygraphs)
foreach(file dygraph.min.js dygraph.min.css copyright)
  find_file(DYGRAPHS_${file} ${file} PATHS ${dygraphs_directories} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
endforeach()

# A text as fmt writes it, without the link to its source map, a file that is not next to any page.
function(read_text variable file)
  file(READ ${file} text)
  string(REGEX REPLACE "(//#|/\\*#) sourceMappingURL=[^\n]*\n?$" "" text "${text}")
  string(REPLACE "{" "{{" text "${text}")
  string(REPLACE "}" "}}" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endfunction()

function(embed_pages output)
  set(page ${CMAKE_CURRENT_SOURCE_DIR}/page)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page}/page.html ${page}/ranking.html)
  read_text(STYLE ${page}/page.css)
  file(READ ${page}/ranking.html ranking)
  string(CONFIGURE "${ranking}" RANKING @ONLY)
  if(DYGRAPHS_dygraph.min.js AND DYGRAPHS_dygraph.min.css AND DYGRAPHS_copyright)
    read_text(SCRIPT ${page}/page.js)
    read_text(DYGRAPHS_SCRIPT ${DYGRAPHS_dygraph.min.js})
    read_text(DYGRAPHS_STYLE ${DYGRAPHS_dygraph.min.css})
    read_text(DYGRAPHS_LICENCE ${DYGRAPHS_copyright})
    string(REPLACE "<" "&lt;" DYGRAPHS_LICENCE "${DYGRAPHS_LICENCE}")
    file(READ ${page}/page.html run)
    string(CONFIGURE "${run}" RUN @ONLY)
  else()
    message(STATUS "No dygraphs (Debian's libjs-dygraphs): bombard run --report is left out")
  endif()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "tools/page/embedded.hpp"
const std::string_view bombard::tools::embedded_run_page = R"embedded(@RUN@)embedded";
const std::string_view bombard::tools::embedded_ranking_page = R"embedded(@RANKING@)embedded";
]])
endfunction()
