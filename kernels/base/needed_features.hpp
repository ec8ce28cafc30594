#pragma once

namespace bombard::cpu {

/// The features of an x86-64 CPU, beyond what every one has, that the compiler was allowed to use
/// (BOMBARD_SIMD in CMakeLists.txt), each between commas: ",AVX,,AVX2,".
extern const char needed_features[];

}  // namespace bombard::cpu
