#pragma once

#include <string_view>
#include <vector>

namespace bombard::cpu {

/// The vector instructions that the CPU kernels use: "AVX-512" (x86-64-v4), "AVX2" (x86-64-v3) or
/// "baseline" (what every CPU of this architecture has). They are the widest that this CPU offers;
/// the answers do not depend on them.
std::string_view instruction_set();

enum class InstructionSet { baseline, avx2, avx512 };
/// The same as an enumerator, cheap enough to ask for at every call.
InstructionSet chosen_instruction_set();

/// The names of all that this CPU offers, the widest first, the baseline last.
std::vector<std::string_view> offered_instruction_sets();

/// For tests: uses this one of offered_instruction_sets() from now on.
void use_instruction_set(std::string_view name);

}  // namespace bombard::cpu
