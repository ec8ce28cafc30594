#include "kernels/upload.hpp"

#include "kernels/cuda_check.hpp"

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

CopyStream::CopyStream()
    : arrived_{create_event(), create_event()}, used_{create_event(), create_event()} {
  cudaStream_t created;
  check(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "creating a stream");
  stream_ = created;
}

CopyStream::~CopyStream() {
  for (void* handle : {arrived_[0], arrived_[1], used_[0], used_[1]}) {
    cudaEventDestroy(event(handle));
  }
  cudaStreamDestroy(stream(stream_));
}

void CopyStream::wait(int slot) {
  check(cudaEventSynchronize(event(arrived_[slot])), "waiting for a copy");
}

void CopyStream::copy(int slot, const void* from, void* to, std::int64_t bytes) {
  check(cudaStreamWaitEvent(stream(stream_), event(used_[slot])), "ordering a copy");
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                        stream(stream_)),
        "copying to the device");
  check(cudaEventRecord(event(arrived_[slot]), stream(stream_)), "marking a copy");
  check(cudaStreamWaitEvent(nullptr, event(arrived_[slot])), "ordering launches");
}

void CopyStream::used(int slot) {
  check(cudaEventRecord(event(used_[slot]), nullptr), "marking launches");
}

}  // namespace bombard::cuda
