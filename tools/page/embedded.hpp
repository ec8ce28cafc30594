#pragma once

#include <string_view>

namespace bombard::tools {

/// The files that a page is made of, as they were when the program was built; those of dygraphs are
/// empty if it was not there.
struct EmbeddedFiles {
  std::string_view page, ranking, style, script;
  std::string_view dygraphs_script, dygraphs_style, dygraphs_licence;
};
extern const EmbeddedFiles embedded_files;

}  // namespace bombard::tools
