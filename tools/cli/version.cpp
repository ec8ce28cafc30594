#include <fmt/format.h>

#include <string>

#include "kernels/device/device.hpp"
#include "sim/engines/engines.hpp"
#include "tools/cli/build_info.hpp"
#include "tools/cli/subcommands.hpp"
#include "tools/cli/terminal.hpp"
#include "tools/page/embedded.hpp"

namespace bombard::tools {

int version() {
  const cuda::CudaPart* const part = cuda::cuda_part();
  std::string engine_names;
  for (const EngineEntry& entry : engines()) {
    // Without the CUDA part an engine for GPUs is known, but cannot be created.
    if (!entry.on_device || part != nullptr) engine_names += std::string(" ") + entry.name;
  }
  const std::string cuda =
      part == nullptr
          ? "none"
          : fmt::format("{}, compute capabilities {}; CUB {}; compiler {}", part->toolkit_version,
                        part->architectures, part->cub_version, build_info::cuda_compiler);
  print(fmt::format(
      "bombard {}\n"
      "commit    {}\n"
      "compiler  {}\n"
      "CUDA      {}\n"
      "Eigen     {}\n"
      "dygraphs  {}\n"
      "engines  {}\n",
      build_info::version, build_info::commit, build_info::compiler, cuda, build_info::eigen,
      embedded_run_page.empty() ? "none" : "embedded", engine_names));
  return 0;
}

}  // namespace bombard::tools
