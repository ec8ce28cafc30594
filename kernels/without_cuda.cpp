// Stands in for every .cu file in a build without CUDA: there are no devices, so nothing else is reached.

#include "kernels/copy.hpp"
#include "kernels/device.hpp"
#include "kernels/device_memory.hpp"
#include "kernels/errors.hpp"
#include "kernels/initialise.hpp"
#include "kernels/max_location.hpp"
#include "kernels/attenuation.hpp"
#include "kernels/profiling_range.hpp"
#include "kernels/reduction.hpp"
#include "kernels/relax.hpp"
#include "kernels/storm_batch.hpp"
#include "kernels/timer.hpp"
#include "kernels/update.hpp"
#include "kernels/upload.hpp"

namespace bombard {

namespace {

[[noreturn]] void unavailable() {
  throw CannotRun("this build holds no CUDA code; build with nvcc 13 on the PATH to use a GPU");
}

}  // namespace

ProfilingRange::ProfilingRange(const char*) {}
ProfilingRange::~ProfilingRange() {}

namespace cuda {

std::vector<Device> devices() { return {}; }
void use_device(int) { unavailable(); }
void require_device_memory(std::int64_t, const std::string&) { unavailable(); }
void synchronize() { unavailable(); }
std::string toolkit_version() { return {}; }
std::string cub_version() { return {}; }
std::string architectures() { return {}; }

void* allocate(std::int64_t) { unavailable(); }
void release(void*) noexcept {}
void* allocate_pinned(std::int64_t) { unavailable(); }
void release_pinned(void*) noexcept {}
void copy_to_device(const void*, void*, std::int64_t) { unavailable(); }
void copy_to_host(const void*, void*, std::int64_t) { unavailable(); }

DeviceTimer::DeviceTimer() { unavailable(); }
DeviceTimer::~DeviceTimer() = default;
void DeviceTimer::start() { unavailable(); }
double DeviceTimer::stop() { unavailable(); }

void initialise(float, std::span<float>) { unavailable(); }
void copy(std::span<const float>, std::span<float>) { unavailable(); }
void relax(std::span<const float>, std::span<float>) { unavailable(); }
void mark_peaks(std::span<const float>, std::span<float>) { unavailable(); }
IndexedValue arg_max(std::span<const float>, Reduction) { unavailable(); }

template <class Law>
void update(std::span<const ScaledImpact>, float, std::int64_t, std::span<float>) {
  unavailable();
}
template void update<SquareRootLaw>(std::span<const ScaledImpact>, float, std::int64_t,
                                    std::span<float>);

template <class Law>
void apply_batch(const StormBatch&, const Window&, std::span<const float>, std::span<float>,
                 std::span<IndexedValue>) {
  unavailable();
}
template void apply_batch<SquareRootLaw>(const StormBatch&, const Window&, std::span<const float>,
                                         std::span<float>, std::span<IndexedValue>);

CopyStream::CopyStream() { unavailable(); }
CopyStream::~CopyStream() = default;
void CopyStream::wait(int) { unavailable(); }
void CopyStream::copy(int, const void*, void*, std::int64_t) { unavailable(); }
void CopyStream::used(int) { unavailable(); }

}  // namespace cuda
}  // namespace bombard
