#pragma once

#include <string_view>

namespace bombard::tools {

/// The pages as they were when the program was built, formats of fmt (tools/page/embed.cmake).
extern const std::string_view embedded_run_page;  ///< empty if dygraphs was not there
extern const std::string_view embedded_ranking_page;

}  // namespace bombard::tools
