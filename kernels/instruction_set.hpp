#pragma once

#include <string_view>

namespace bombard::cpu {

/// The vector instructions that the CPU kernels use on this processor: "AVX-512", "AVX2" or
/// "baseline".
std::string_view instruction_set();

}  // namespace bombard::cpu
