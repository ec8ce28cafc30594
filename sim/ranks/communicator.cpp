#include "sim/ranks/communicator.hpp"

#include <algorithm>

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

// Pair by pair, as MPI_Alltoallv does with long messages; that one counts in int.
void Communicator::exchange(const std::vector<std::span<const std::byte>>& to,
                            const std::vector<std::span<std::byte>>& from) {
  const int own = rank();
  const auto number = [&](int rank) {
    return static_cast<std::size_t>((rank + ranks()) % ranks());
  };
  std::ranges::copy(to[number(own)], from[number(own)].begin());
  for (int far = 1; far < ranks(); ++far) {
    const std::size_t next = number(own + far), last = number(own - far);
    send_and_receive_bytes(static_cast<int>(next), to[next], static_cast<int>(last), from[last]);
    bytes_moved_ += static_cast<std::int64_t>(to[next].size() + from[last].size());
  }
}

}  // namespace bombard
