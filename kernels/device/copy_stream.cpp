#include "kernels/device/copy_stream.hpp"

namespace bombard::cuda {

CopyStream::CopyStream(int slots) : arrived_(static_cast<std::size_t>(slots)) {
  check(cudaGetDevice(&device_), "asking for the current device");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
}

CopyStream::~CopyStream() {
  cudaStreamDestroy(stream_);
}

void CopyStream::make_device_current() {
  check(cudaSetDevice(device_), "choosing the device");
}

void CopyStream::wait(int slot) {
  arrived_[static_cast<std::size_t>(slot)].wait();
}

void CopyStream::copy(int slot, const void* from, void* to, std::int64_t bytes) {
  make_device_current();
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream_),
        "copying to the device");
  arrived_[static_cast<std::size_t>(slot)].record(stream_);
}

void CopyStream::before_launches() {
  all_arrived_.record(stream_);
  all_arrived_.hold_back(nullptr);
}

void CopyStream::used(int memory) {
  used_[memory].record();
}

void CopyStream::after_use_of(int memory) {
  used_[memory].hold_back(stream_);
}

}  // namespace bombard::cuda
