#include "kernels/base/needed_features.hpp"

namespace bombard::cpu {

// A constant, so that no instruction runs for it before processor_check.cpp has read it.
constinit const char needed_features[] =
    ""
#ifdef __SSE4_2__
    ",SSE4.2,"
#endif
#ifdef __POPCNT__
    ",POPCNT,"
#endif
#ifdef __AVX__
    ",AVX,"
#endif
#ifdef __AVX2__
    ",AVX2,"
#endif
#ifdef __FMA__
    ",FMA,"
#endif
#ifdef __BMI__
    ",BMI,"
#endif
#ifdef __BMI2__
    ",BMI2,"
#endif
#ifdef __AVX512F__
    ",AVX-512 F,"
#endif
#ifdef __AVX512BW__
    ",AVX-512 BW,"
#endif
#ifdef __AVX512CD__
    ",AVX-512 CD,"
#endif
#ifdef __AVX512DQ__
    ",AVX-512 DQ,"
#endif
#ifdef __AVX512VL__
    ",AVX-512 VL,"
#endif
#ifdef __AVX512VBMI__
    ",AVX-512 VBMI,"
#endif
#ifdef __AVX512VBMI2__
    ",AVX-512 VBMI2,"
#endif
#ifdef __AVX512VNNI__
    ",AVX-512 VNNI,"
#endif
#ifdef __AVX512VPOPCNTDQ__
    ",AVX-512 VPOPCNTDQ,"
#endif
    ;

}  // namespace bombard::cpu
