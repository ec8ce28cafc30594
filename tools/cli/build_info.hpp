#pragma once

/// The sources and tools that this program was built from; tools/cli/build_info.cmake writes the
/// values at every build.
namespace bombard::build_info {

extern const char* const version;
extern const char* const commit;         ///< "unknown" outside a git checkout
extern const char* const compiler;       ///< "GNU 12.2.0, Release, x86_64"
extern const char* const cuda_compiler;  ///< "NVIDIA 13.0.88"; empty without CUDA
extern const char* const eigen;

}  // namespace bombard::build_info
