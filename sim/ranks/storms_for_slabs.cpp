#include "sim/ranks/storms_for_slabs.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/share_out.hpp"
#include "sim/ranks/agreement.hpp"

namespace bombard {

namespace {

/// Rank 0's are only read.
std::span<std::byte> bytes_of(std::span<const Impact> impacts) {
  return std::as_writable_bytes(std::span(const_cast<Impact*>(impacts.data()), impacts.size()));
}

void require_memory_for(std::int64_t impacts, int ranks) {
  require_host_memory(byte_count({impacts, sizeof(Impact), ranks}),
                      "the impacts in each rank of a machine");
}

/// The impacts of a storm, rank by rank those that lie where it needs them, in file order.
class SortedByRank {
 public:
  SortedByRank(std::span<const Impact> impacts, std::span<const CellRange> needs, int threads)
      : impacts_(impacts), needs_(needs), begins_(needs.size() + 1) {
    // One thread has done fewer before another has begun.
    constexpr std::size_t few_impacts = std::size_t{1} << 14;
    parts_ = static_cast<std::int64_t>(std::clamp<std::size_t>(impacts.size() / few_impacts, 1,
                                                               static_cast<std::size_t>(threads)));
    std::vector<std::int64_t> places(static_cast<std::size_t>(parts_) * needs.size());
    each_part(threads, [&](std::int64_t part, std::span<const Impact> of_part) {
      count(of_part, std::span(places).subspan(first_of(part), needs_.size()));
    });
    make_places(places);
    sorted_.resize(static_cast<std::size_t>(begins_.back()));
    each_part(threads, [&](std::int64_t part, std::span<const Impact> of_part) {
      place(of_part, std::span(places).subspan(first_of(part), needs_.size()));
    });
  }

  std::span<const Impact> of_rank(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return slice(std::span(sorted_), {begins_[r], begins_[r + 1]});
  }

 private:
  std::size_t first_of(std::int64_t part) const {
    return static_cast<std::size_t>(part) * needs_.size();
  }

  template <class Work>
  void each_part(int threads, const Work& work) const {
    cpu::share_out(parts_, threads, [&](const auto& each) {
      each([&](std::int64_t part) {
        const auto all = static_cast<std::int64_t>(impacts_.size());
        work(part, slice(impacts_, {part * all / parts_, (part + 1) * all / parts_}));
      });
    });
  }

  /// Calls work(rank) for those that need an impact, neighbours all.
  template <class Work>
  void each_rank(const Impact& impact, const Work& work) const {
    // Those before this one need nothing from there on.
    const auto first = std::upper_bound(
        needs_.begin(), needs_.end(), impact.position,
        [](std::int64_t position, const CellRange& range) { return position < range.end; });
    for (auto range = first; range != needs_.end() && range->begin <= impact.position; ++range) {
      work(static_cast<std::size_t>(range - needs_.begin()));
    }
  }

  void count(std::span<const Impact> impacts, std::span<std::int64_t> counts) const {
    for (const Impact& impact : impacts) {
      each_rank(impact, [&](std::size_t rank) { ++counts[rank]; });
    }
  }

  /// From [part][rank] how many to where the first goes.
  void make_places(std::vector<std::int64_t>& places) {
    std::int64_t next = 0;
    for (std::size_t rank = 0; rank < needs_.size(); ++rank) {
      begins_[rank] = next;
      for (std::int64_t part = 0; part < parts_; ++part) {
        next += std::exchange(places[first_of(part) + rank], next);
      }
    }
    begins_.back() = next;
  }

  void place(std::span<const Impact> impacts, std::span<std::int64_t> places) {
    for (const Impact& impact : impacts) {
      each_rank(impact, [&](std::size_t rank) {
        sorted_[static_cast<std::size_t>(places[rank]++)] = impact;
      });
    }
  }

  std::span<const Impact> impacts_;
  std::span<const CellRange> needs_;
  std::int64_t parts_ = 1;
  std::vector<std::int64_t> begins_;  ///< [rank], and the end
  std::vector<Impact> sorted_;
};

/// Where all impacts of a storm lie, a part on any thread.
StormExtent extent_of_all(std::span<const Impact> impacts, int threads) {
  constexpr std::int64_t of_part = 1 << 18;
  const auto count = static_cast<std::int64_t>(impacts.size());
  StormExtent extent;
  std::mutex adding;
  cpu::share_out((count + of_part - 1) / of_part, threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      const StormExtent own =
          extent_of(slice(impacts, {part * of_part, std::min((part + 1) * of_part, count)}));
      const std::scoped_lock lock(adding);
      extent.add(own);
    });
  });
  return extent;
}

/// On each rank how many impacts of a storm it is to have.
std::int64_t send_count(Communicator& communicator, const std::optional<SortedByRank>& sorted) {
  std::int64_t count = 0;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&count, 1));
  if (communicator.rank() != 0) {
    communicator.receive(0, bytes);
    return count;
  }
  for (int rank = 1; rank < communicator.ranks(); ++rank) {
    count = static_cast<std::int64_t>(sorted->of_rank(rank).size());
    communicator.send(rank, bytes);
  }
  return static_cast<std::int64_t>(sorted->of_rank(0).size());
}

/// From rank 0 to each rank its own, for which it has room.
void send_impacts(Communicator& communicator, const std::optional<SortedByRank>& sorted,
                  std::span<Impact> own) {
  if (communicator.rank() != 0) return communicator.receive(0, std::as_writable_bytes(own));
  for (int rank = 1; rank < communicator.ranks(); ++rank) {
    communicator.send(rank, std::as_bytes(sorted->of_rank(rank)));
  }
  std::ranges::copy(sorted->of_rank(0), own.begin());
}

/// `storm` is rank 0's, null on the others.
StormForSlab share_storm(Communicator& communicator, const Storm* storm, const Sharing& sharing) {
  StormForSlab own;
  std::int64_t count = 0;
  if (storm != nullptr) {
    own.whole = extent_of_all(storm->impacts, sharing.threads);
    count = static_cast<std::int64_t>(storm->impacts.size());
  }
  broadcast(communicator, own.whole);
  const bool for_all = sharing.for_all(own.whole);
  std::optional<SortedByRank> sorted;
  if (for_all) {
    broadcast(communicator, count);
  } else {
    do_together(communicator, [&] {
      if (storm == nullptr) return;
      require_memory_for(count, 1);
      sorted.emplace(storm->impacts, sharing.needs, sharing.threads);
    });
    count = send_count(communicator, sorted);
  }
  std::vector<Impact>& impacts = own.storm.impacts;
  do_together(communicator, [&] {
    require_memory_for(count, communicator.ranks_on_host());
    impacts.resize(static_cast<std::size_t>(count));
    if (for_all && storm != nullptr) impacts = storm->impacts;
  });
  if (for_all) {
    communicator.broadcast(bytes_of(impacts));
  } else {
    send_impacts(communicator, sorted, impacts);
  }
  return own;
}

}  // namespace

std::vector<Storm> broadcast_storms(Communicator& communicator, std::span<const Storm> storms,
                                    std::int64_t count) {
  const bool first = communicator.rank() == 0;
  std::vector<std::int64_t> impacts(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < storms.size(); ++i) {
    impacts[i] = static_cast<std::int64_t>(storms[i].impacts.size());
  }
  communicator.broadcast(std::as_writable_bytes(std::span(impacts)));
  std::vector<Storm> received(first ? 0 : impacts.size());
  do_together(communicator, [&] {
    if (first) return;
    std::int64_t all = 0;
    for (const std::int64_t of_storm : impacts) all += of_storm;
    require_memory_for(all, communicator.ranks_on_host() - 1);
    for (std::size_t i = 0; i < impacts.size(); ++i) {
      received[i].impacts.resize(static_cast<std::size_t>(impacts[i]));
    }
  });
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    communicator.broadcast(bytes_of(first ? storms[i].impacts : received[i].impacts));
  }
  return received;
}

std::vector<StormForSlab> share_storms(Communicator& communicator, std::span<const Storm> storms,
                                       std::int64_t count, const Sharing& sharing) {
  std::vector<StormForSlab> shared;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    shared.push_back(share_storm(communicator, storms.empty() ? nullptr : &storms[i], sharing));
  }
  return shared;
}

}  // namespace bombard
