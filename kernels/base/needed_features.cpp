#include "kernels/base/needed_features.hpp"

namespace bombard::cpu {

// A constant, so that no instruction runs for it before processor_check.cpp has read it.
constinit const unsigned needed_features = 0
#ifdef __SSE4_2__
                                           | sse4_2
#endif
#ifdef __POPCNT__
                                           | popcnt
#endif
#ifdef __AVX__
                                           | avx
#endif
#ifdef __AVX2__
                                           | avx2
#endif
#ifdef __FMA__
                                           | fma
#endif
#ifdef __BMI__
                                           | bmi
#endif
#ifdef __BMI2__
                                           | bmi2
#endif
#ifdef __AVX512F__
                                           | avx512f
#endif
#ifdef __AVX512BW__
                                           | avx512bw
#endif
#ifdef __AVX512CD__
                                           | avx512cd
#endif
#ifdef __AVX512DQ__
                                           | avx512dq
#endif
#ifdef __AVX512VL__
                                           | avx512vl
#endif
#ifdef __AVX512VBMI__
                                           | avx512vbmi
#endif
#ifdef __AVX512VBMI2__
                                           | avx512vbmi2
#endif
#ifdef __AVX512VNNI__
                                           | avx512vnni
#endif
#ifdef __AVX512VPOPCNTDQ__
                                           | avx512vpopcntdq
#endif
    ;

}  // namespace bombard::cpu
