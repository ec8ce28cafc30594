#pragma once

#include <string_view>

namespace bombard::tools {

/// The pages as they were when the program was built, formats of fmt (tools/page/embed.cmake).
struct EmbeddedPages {
  std::string_view run;  ///< empty if dygraphs was not there
  std::string_view ranking;
};
extern const EmbeddedPages embedded_pages;

}  // namespace bombard::tools
