// A build uses the instructions that BOMBARD_SIMD names (CMakeLists.txt); on a CPU without them it
// would be killed by SIGILL. So, before anything else in the program or the library runs, static
// initialisers included, this says what is missing and ends the process. It is compiled for every
// CPU of 64 bits, and calls nothing but C: a function of the C++ library could be a copy that was
// compiled for the whole build.

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/needed_features.hpp"

namespace bombard::cpu {

namespace {

constexpr int cannot_run = 3;  ///< the exit code (docs/usage.md)

// Initialisers without a priority come after those that have one; up to 100 are the compiler's.
[[gnu::constructor(101)]] void check_processor() {
  __builtin_cpu_init();
  const char* before = "";
  const auto check = [&before](const char* feature, bool is_there) {
    if (strstr(needed_features, feature) == nullptr || is_there) return;
    fprintf(stderr, "%s%.*s", *before == '\0' ? "bombard: this CPU lacks " : before,
            static_cast<int>(strlen(feature)) - 2, feature + 1);  // without the commas
    before = ", ";
  };
  check(",SSE4.2,", __builtin_cpu_supports("sse4.2") != 0);
  check(",POPCNT,", __builtin_cpu_supports("popcnt") != 0);
  check(",AVX,", __builtin_cpu_supports("avx") != 0);
  check(",AVX2,", __builtin_cpu_supports("avx2") != 0);
  check(",FMA,", __builtin_cpu_supports("fma") != 0);
  check(",BMI,", __builtin_cpu_supports("bmi") != 0);
  check(",BMI2,", __builtin_cpu_supports("bmi2") != 0);
  check(",AVX-512 F,", __builtin_cpu_supports("avx512f") != 0);
  check(",AVX-512 BW,", __builtin_cpu_supports("avx512bw") != 0);
  check(",AVX-512 CD,", __builtin_cpu_supports("avx512cd") != 0);
  check(",AVX-512 DQ,", __builtin_cpu_supports("avx512dq") != 0);
  check(",AVX-512 VL,", __builtin_cpu_supports("avx512vl") != 0);
  check(",AVX-512 VBMI,", __builtin_cpu_supports("avx512vbmi") != 0);
  check(",AVX-512 VBMI2,", __builtin_cpu_supports("avx512vbmi2") != 0);
  check(",AVX-512 VNNI,", __builtin_cpu_supports("avx512vnni") != 0);
  check(",AVX-512 VPOPCNTDQ,", __builtin_cpu_supports("avx512vpopcntdq") != 0);
  if (*before == '\0') return;
  fputs(", which this build uses (BOMBARD_SIMD=" BOMBARD_SIMD
        "): build bombard on this machine, or with -DBOMBARD_SIMD=x86-64, which every CPU of 64 "
        "bits can run\n",
        stderr);
  _exit(cannot_run);
}

}  // namespace

}  // namespace bombard::cpu
