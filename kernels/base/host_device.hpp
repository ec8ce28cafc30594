#pragma once

/// The one place that asks which compiler is reading: a function marked BOMBARD_HOST_DEVICE runs on
/// the host and, when nvcc compiles it, on the device.
#ifdef __CUDACC__
#define BOMBARD_HOST_DEVICE __host__ __device__
#else
#define BOMBARD_HOST_DEVICE
#endif

/// A function compiled for AVX-512, or for AVX2 and FMA, whatever the rest of the program is
/// compiled for: call it only where instruction_set() allows it (kernels/base/vector.hpp). On
/// other architectures the macros are empty.
#if defined(__x86_64__) && !defined(__CUDACC__)
#define BOMBARD_AVX512 [[gnu::target("arch=x86-64-v4")]]
#define BOMBARD_AVX2 [[gnu::target("arch=x86-64-v3")]]
/// Whether this CPU has a feature of x86-64.
#define BOMBARD_PROCESSOR_HAS(feature) (__builtin_cpu_init(), __builtin_cpu_supports(feature) != 0)
#define BOMBARD_IS_X86_64 true
#else
#define BOMBARD_AVX512
#define BOMBARD_AVX2
#define BOMBARD_PROCESSOR_HAS(feature) false
#define BOMBARD_IS_X86_64 false
#endif
