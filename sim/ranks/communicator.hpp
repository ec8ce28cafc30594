#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/layer/cell_range.hpp"

namespace bombard {

/// The cells that a rank owns: the same number as the others, or one more. Rank 0 owns one
/// at least.
constexpr CellRange slab_of_rank(int rank, int ranks, std::int64_t cells) {
  const std::int64_t each = cells / ranks, larger_ones = cells % ranks;
  const std::int64_t begin = each * rank + std::min<std::int64_t>(rank, larger_ones);
  return {begin, begin + each + (rank < larger_ones)};
}

/// The processes (ranks) that share a run: each runs the same program on its slab of the layer and
/// calls the collective members in the same order as the others, in one thread. This class itself
/// is a single process; classes for several ranks override the virtual members.
///
/// A rank that fails throws, up to do_together(), which tells the others when they next meet: there
/// they throw, too. So no rank waits for one that never comes. All collective members begin with a
/// meeting. A rank that is lost ends the others (MPI_Abort).
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const { return 0; }
  virtual int ranks() const { return 1; }
  /// Among the ranks of this machine, which share its memory, its cores and its GPUs.
  virtual int rank_on_host() const { return 0; }
  virtual int ranks_on_host() const { return 1; }
  virtual std::string host() const { return "this machine"; }
  /// Threads for this rank if the user gives no number: its share of the cores. 0: all cores.
  virtual int threads() const { return 0; }

  /// Rank 0 reads, decides, prints and writes.
  bool is_first() const { return rank() == 0; }
  bool is_alone() const { return ranks() == 1; }

  /// Throws if another rank has failed.
  void meet();
  /// The bytes of rank `from` become those of all.
  void broadcast(std::span<std::byte> bytes, int from = 0);
  /// Each rank gives the same number of bytes; every rank gets the bytes of all, in the order of
  /// the ranks.
  void gather(std::span<const std::byte> own, std::span<std::byte> all);

 protected:
  virtual void broadcast_bytes(std::span<std::byte>, int /*from*/) {}
  virtual void gather_bytes(std::span<const std::byte> own, std::span<std::byte> all);

 private:
  friend void do_together(Communicator&, const std::function<void()>&);
  void meet(std::uint8_t own, std::string message);

  bool all_know_ = false;  ///< that a rank has failed
};

/// Work of all ranks, which meet during it and once more afterwards. Where it throws on some of
/// them, it throws on all: on these the same exception, on the others InputError or CannotRun with
/// the first of these ranks, its machine and its message.
void do_together(Communicator& ranks, const std::function<void()>& work);

template <class Thing>
void broadcast(Communicator& communicator, Thing& thing) {
  static_assert(std::is_trivially_copyable_v<Thing>);
  communicator.broadcast(std::as_writable_bytes(std::span(&thing, 1)));
}

/// The values of all ranks, on all ranks.
template <class Thing>
std::vector<Thing> gather(Communicator& communicator, const Thing& own) {
  static_assert(std::is_trivially_copyable_v<Thing>);
  std::vector<Thing> all(static_cast<std::size_t>(communicator.ranks()));
  communicator.gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

}  // namespace bombard
