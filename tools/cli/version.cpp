#include <fmt/format.h>

#include <string>

#include "kernels/device/device.hpp"
#include "sim/engines/engines.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"

namespace bombard::tools {

int version() {
  const std::string cuda_compiler = build_info.cuda_compiler;
  std::string engine_names;
  for (const EngineEntry& entry : engines()) {
    // Without CUDA an engine for GPUs is listed, but not compiled in.
    if (!entry.on_device || !cuda_compiler.empty()) engine_names += std::string(" ") + entry.name;
  }
  const std::string cuda =
      cuda_compiler.empty()
          ? "none"
          : fmt::format("{}, compute capabilities {}; CUB {}; compiler {}", cuda::toolkit_version(),
                        cuda::architectures(), cuda::cub_version(), cuda_compiler);
  print(fmt::format(
      "bombard {}\n"
      "commit    {}\n"
      "compiler  {}, {}, {}\n"
      "CUDA      {}\n"
      "Eigen     {}\n"
      "engines  {}\n",
      build_info.version, build_info.commit, build_info.cxx_compiler, build_info.build_type,
      build_info.processor, cuda, build_info.eigen, engine_names));
  return 0;
}

}  // namespace bombard::tools
