#pragma once

/// The one place that asks which compiler is reading: a function marked BOMBARD_HOST_DEVICE runs on
/// the host and, when nvcc compiles it, on the device.
#ifdef __CUDACC__
#define BOMBARD_HOST_DEVICE __host__ __device__
#else
#define BOMBARD_HOST_DEVICE
#endif
