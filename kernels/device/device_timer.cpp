#include "kernels/device/device_timer.hpp"

#include "kernels/device/cuda_check.hpp"

namespace bombard::cuda {

namespace {

cudaEvent_t event(void* handle) {
  return static_cast<cudaEvent_t>(handle);
}

void* create_event() {
  cudaEvent_t created;
  check(cudaEventCreate(&created), "creating an event");
  return created;
}

}  // namespace

DeviceTimer::DeviceTimer() : start_(create_event()), stop_(create_event()) {}

DeviceTimer::~DeviceTimer() {
  cudaEventDestroy(event(start_));
  cudaEventDestroy(event(stop_));
}

void DeviceTimer::start() {
  check(cudaEventRecord(event(start_), nullptr), "recording an event");
}

double DeviceTimer::stop() {
  check(cudaEventRecord(event(stop_), nullptr), "recording an event");
  check(cudaEventSynchronize(event(stop_)), "waiting for an event");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, event(start_), event(stop_)), "reading events");
  return milliseconds * 1e-3;
}

}  // namespace bombard::cuda
