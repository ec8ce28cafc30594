#include "kernels/device/upload.hpp"

#include "kernels/device/cuda_check.hpp"

namespace bombard::cuda {

namespace {

cudaStream_t stream(void* handle) {
  return static_cast<cudaStream_t>(handle);
}
cudaEvent_t event(void* handle) {
  return static_cast<cudaEvent_t>(handle);
}

void* create_event() {
  cudaEvent_t created;
  check(cudaEventCreateWithFlags(&created, cudaEventDisableTiming), "creating an event");
  return created;
}

}  // namespace

CopyStream::CopyStream(int slots)
    : all_arrived_(create_event()), used_{create_event(), create_event()} {
  check(cudaGetDevice(&device_), "asking for the current device");
  for (int slot = 0; slot < slots; ++slot) arrived_.push_back(create_event());
  cudaStream_t created;
  check(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "creating a stream");
  stream_ = created;
}

CopyStream::~CopyStream() {
  for (void* handle : arrived_) cudaEventDestroy(event(handle));
  for (void* handle : {all_arrived_, used_[0], used_[1]}) cudaEventDestroy(event(handle));
  cudaStreamDestroy(stream(stream_));
}

void CopyStream::make_device_current() {
  check(cudaSetDevice(device_), "choosing the device");
}

void CopyStream::wait(int slot) {
  check(cudaEventSynchronize(event(arrived_[static_cast<std::size_t>(slot)])),
        "waiting for a copy");
}

void CopyStream::copy(int slot, const void* from, void* to, std::int64_t bytes) {
  make_device_current();
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                        stream(stream_)),
        "copying to the device");
  check(cudaEventRecord(event(arrived_[static_cast<std::size_t>(slot)]), stream(stream_)),
        "marking a copy");
}

void CopyStream::before_launches() {
  check(cudaEventRecord(event(all_arrived_), stream(stream_)), "marking copies");
  check(cudaStreamWaitEvent(nullptr, event(all_arrived_)), "ordering launches");
}

void CopyStream::used(int memory) {
  check(cudaEventRecord(event(used_[memory]), nullptr), "marking launches");
}

void CopyStream::after_use_of(int memory) {
  check(cudaStreamWaitEvent(stream(stream_), event(used_[memory])), "ordering copies");
}

}  // namespace bombard::cuda
