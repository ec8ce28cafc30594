#pragma once

namespace bombard {

/// The sources and tools that this program was built from; tools/cli/build_info.cmake writes the
/// values at every build.
struct BuildInfo {
  const char* version;
  const char* commit;         ///< "unknown" outside a git checkout
  const char* compiler;       ///< "GNU 12.2.0, Release, x86_64"
  const char* cuda_compiler;  ///< "NVIDIA 13.0.88"; empty without CUDA
  const char* eigen;
};
extern const BuildInfo build_info;

}  // namespace bombard
