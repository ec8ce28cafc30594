#include "sim/ranks/storms_for_slabs.hpp"

#include <algorithm>
#include <utility>

#include "inputs/byte_count.hpp"
#include "kernels/base/host_memory.hpp"
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

/// The impacts of a storm, for each rank those that lie where it needs them.
std::vector<std::vector<Impact>> sorted_by_rank(std::span<const Impact> impacts,
                                                std::span<const CellRange> needs) {
  std::vector<std::vector<Impact>> of_ranks(needs.size());
  for (std::vector<Impact>& of_rank : of_ranks) {
    of_rank.reserve(impacts.size() / needs.size() + impacts.size() / 64);
  }
  for (const Impact& impact : impacts) {
    // Those before this one need nothing from there on.
    auto rank =
        std::ranges::upper_bound(needs, impact.position, {}, &CellRange::end) - needs.begin();
    const auto ranks = static_cast<std::ptrdiff_t>(needs.size());
    for (; rank < ranks && needs[static_cast<std::size_t>(rank)].begin <= impact.position; ++rank) {
      of_ranks[static_cast<std::size_t>(rank)].push_back(impact);
    }
  }
  return of_ranks;
}

/// Each rank's own, from rank 0.
void send_impacts(Communicator& communicator, std::vector<std::vector<Impact>>& of_ranks,
                  std::vector<Impact>& own) {
  if (communicator.rank() != 0) return communicator.receive(0, bytes_of(own));
  for (int rank = 1; rank < communicator.ranks(); ++rank) {
    communicator.send(rank, bytes_of(of_ranks[static_cast<std::size_t>(rank)]));
  }
  own = std::move(of_ranks.front());
}

/// On each rank how many impacts of a storm it is to have.
std::int64_t send_count(Communicator& communicator,
                        const std::vector<std::vector<Impact>>& of_ranks) {
  std::int64_t count = 0;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&count, 1));
  if (communicator.rank() != 0) {
    communicator.receive(0, bytes);
    return count;
  }
  for (int rank = 1; rank < communicator.ranks(); ++rank) {
    count = static_cast<std::int64_t>(of_ranks[static_cast<std::size_t>(rank)].size());
    communicator.send(rank, bytes);
  }
  return static_cast<std::int64_t>(of_ranks.front().size());
}

StormForSlab share_storm(Communicator& communicator, const Storm* storm,
                         std::span<const CellRange> needs,
                         const std::function<bool(const StormExtent&)>& for_all) {
  StormForSlab own;
  std::int64_t count = 0;
  if (storm != nullptr) {
    own.whole = extent_of(storm->impacts);
    count = static_cast<std::int64_t>(storm->impacts.size());
  }
  broadcast(communicator, own.whole);
  const bool all = for_all(own.whole);
  std::vector<std::vector<Impact>> of_ranks;
  if (all) {
    broadcast(communicator, count);
  } else {
    do_together(communicator, [&] {
      if (storm == nullptr) return;
      require_memory_for(count, 1);
      of_ranks = sorted_by_rank(storm->impacts, needs);
    });
    count = send_count(communicator, of_ranks);
  }
  std::vector<Impact>& impacts = own.storm.impacts;
  do_together(communicator, [&] {
    if (storm != nullptr && !all) return;  // they are there
    require_memory_for(count, communicator.ranks_on_host());
    impacts.resize(static_cast<std::size_t>(count));
  });
  if (!all) {
    send_impacts(communicator, of_ranks, impacts);
    return own;
  }
  if (storm != nullptr) impacts = storm->impacts;
  communicator.broadcast(bytes_of(impacts));
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
                                       std::int64_t count, std::span<const CellRange> needs,
                                       const std::function<bool(const StormExtent&)>& for_all) {
  std::vector<StormForSlab> shared;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    shared.push_back(
        share_storm(communicator, storms.empty() ? nullptr : &storms[i], needs, for_all));
  }
  return shared;
}

}  // namespace bombard
