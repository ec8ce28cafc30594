#include "sim/ranks/communicator.hpp"

namespace bombard {

void Communicator::broadcast(std::span<std::byte> bytes) {
  broadcast_bytes(bytes);
  bytes_moved_ += static_cast<std::int64_t>(bytes.size());
}

void Communicator::gather(std::span<const std::byte> own, std::span<std::byte> all) {
  gather_bytes(own, all);
  bytes_moved_ += static_cast<std::int64_t>(own.size());
}

void Communicator::send(int to, std::span<const std::byte> bytes) {
  send_bytes(to, bytes);
  bytes_moved_ += static_cast<std::int64_t>(bytes.size());
}

void Communicator::receive(int from, std::span<std::byte> bytes) {
  receive_bytes(from, bytes);
  bytes_moved_ += static_cast<std::int64_t>(bytes.size());
}

}  // namespace bombard
