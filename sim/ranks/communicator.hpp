#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace bombard {

/// The ranks of a run: processes that each own a slab of the layer, on one machine or several. Rank
/// 0 reads, tells the others what to do, and writes. What is declared here is called by all ranks
/// in the same order, each in one thread; a lost rank ends the others (MPI_Abort).
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  /// Among the ranks of this machine, which share its memory, its cores and its GPUs.
  virtual int rank_on_host() const = 0;
  virtual int ranks_on_host() const = 0;
  virtual std::string host() const = 0;
  /// Threads for this rank, when nobody asks for a number: its share of the cores, 1 or more.
  virtual int threads() const = 0;

  /// The bytes of rank 0 become those of all.
  void broadcast(std::span<std::byte> bytes);
  /// Each rank gives as many bytes; rank 0 gets all in the order of ranks.
  void gather(std::span<const std::byte> own, std::span<std::byte> all);
  /// Between two ranks.
  void send(int to, std::span<const std::byte> bytes);
  void receive(int from, std::span<std::byte> bytes);
  /// Each rank gives some to each, itself included: `to` and `from` have one for each rank. How
  /// many come from whom, it knows. What stays does not count as moved.
  void exchange(const std::vector<std::span<const std::byte>>& to,
                const std::vector<std::span<std::byte>>& from);

  /// Bytes that this rank has taken part in moving since the start; those that rank 0 broadcasts
  /// count once, however many ranks receive them.
  std::int64_t bytes_moved() const { return bytes_moved_; }

 protected:
  virtual void broadcast_bytes(std::span<std::byte> bytes) = 0;
  virtual void gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) = 0;
  virtual void send_bytes(int to, std::span<const std::byte> bytes) = 0;
  virtual void receive_bytes(int from, std::span<std::byte> bytes) = 0;
  /// The same at once, with two other ranks or one.
  virtual void send_and_receive_bytes(int to, std::span<const std::byte> sent, int from,
                                      std::span<std::byte> received) = 0;

 private:
  std::int64_t bytes_moved_ = 0;
};

template <class Thing>
void broadcast(Communicator& communicator, Thing& thing) {
  static_assert(std::is_trivially_copyable_v<Thing>);
  communicator.broadcast(std::as_writable_bytes(std::span(&thing, 1)));
}

/// What each rank says, on rank 0; empty on the others.
template <class Thing>
std::vector<Thing> gather(Communicator& communicator, const Thing& own) {
  static_assert(std::is_trivially_copyable_v<Thing>);
  std::vector<Thing> all(communicator.rank() == 0 ? static_cast<std::size_t>(communicator.ranks())
                                                  : 0);
  communicator.gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

/// What all ranks say together, summed by add(sum, of a rank), on all of them.
template <class Thing, class Add>
Thing of_all_ranks(Communicator& communicator, const Thing& own, const Add& add) {
  Thing all = own;
  const std::vector<Thing> things = gather(communicator, own);
  for (std::size_t rank = 1; rank < things.size(); ++rank) all = add(all, things[rank]);
  broadcast(communicator, all);
  return all;
}

}  // namespace bombard
