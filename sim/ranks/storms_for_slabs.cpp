#include "sim/ranks/storms_for_slabs.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/storms/storm_file.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/base/share_out.hpp"

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

/// The impacts at these positions, in their order.
std::vector<Impact> needed(std::span<const Impact> impacts, const CellRange& positions,
                           int threads) {
  constexpr std::int64_t of_part = 1 << 14;  // one thread has done fewer before another has begun
  const auto all = std::ssize(impacts);
  std::vector<std::vector<Impact>> parts(static_cast<std::size_t>((all + of_part - 1) / of_part));
  cpu::share_out(std::ssize(parts), threads, [&](const auto& each) {
    each([&](std::int64_t part) {
      const CellRange own{part * of_part, std::min((part + 1) * of_part, all)};
      std::ranges::copy_if(
          slice(impacts, own), std::back_inserter(parts[static_cast<std::size_t>(part)]),
          [&](const Impact& impact) { return positions.contains(impact.position); });
    });
  });
  std::vector<Impact> joined;
  for (const std::vector<Impact>& part : parts) {
    joined.insert(joined.end(), part.begin(), part.end());
  }
  return joined;
}

std::optional<ImpactsOfPart> read_own_part(Communicator& communicator, const std::string& file,
                                           int threads) try {
  StormFile storm(file);
  require_memory_for(storm.announced_impacts().value_or(0) / communicator.ranks(),
                     communicator.ranks_on_host());
  return storm.read_part({communicator.rank(), communicator.ranks(), threads});
} catch (const InputError& error) {
  if (communicator.is_first()) throw;
  throw InputError(std::string(error.what()) +
                   "; in double precision every rank reads a part of each file");
}

/// The impacts in this rank's part of a file. Where a text is laid out in another way, or is wrong,
/// rank 0 reads all of it, or tells what is wrong.
std::vector<Impact> read_parts(Communicator& communicator, const std::string& file, int threads) {
  std::optional<ImpactsOfPart> own = read_own_part(communicator, file, threads);
  constexpr std::int64_t laid_out_in_another_way = -1;
  const std::int64_t announced = own ? own->announced : laid_out_in_another_way;
  std::int64_t left = announced;
  bool same = true;
  for (const auto& [of_rank, impacts] :
       gather(communicator, std::array{announced, own ? std::ssize(own->impacts) : 0})) {
    same = same && of_rank == announced;
    left -= impacts;
  }
  if (same && left == 0) return std::move(own->impacts);
  own.reset();
  return communicator.is_first() ? StormFile(file).read().impacts : std::vector<Impact>();
}

/// The impacts that come from all ranks, in their order; `going` are those for each.
std::vector<Impact> exchanged(Communicator& communicator,
                              const std::vector<std::span<const Impact>>& going) {
  const std::size_t ranks = going.size();
  std::vector<std::int64_t> counts, all_counts(ranks * ranks);
  for (const auto& for_rank : going) counts.push_back(static_cast<std::int64_t>(for_rank.size()));
  communicator.gather(std::as_bytes(std::span(counts)),
                      std::as_writable_bytes(std::span(all_counts)));
  // That many come from each rank.
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    counts[rank] = all_counts[rank * ranks + static_cast<std::size_t>(communicator.rank())];
  }
  const auto count = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  require_memory_for(count, communicator.ranks_on_host());
  communicator.meet();  // all ranks of a machine ask before one of them takes any
  std::vector<Impact> all(static_cast<std::size_t>(count));
  std::vector<std::span<Impact>> coming;
  for (std::span<Impact> rest(all); const std::int64_t from_rank : counts) {
    coming.push_back(rest.first(static_cast<std::size_t>(from_rank)));
    rest = rest.subspan(coming.back().size());
  }
  exchange(communicator, going, coming);
  return all;
}

/// The facts about the impacts that this process has of a storm; several threads read them.
WholeStorm looked_at(std::span<const Impact> impacts, const Sharing& sharing) {
  WholeStorm whole{extent_of(impacts, sharing.threads), static_cast<std::int64_t>(impacts.size())};
  const CellRange layer{0, sharing.cells};
  if (whole.extent.lowest < layer.begin || whole.extent.highest >= layer.end) {
    whole.outside = std::ranges::count_if(
        impacts, [&](const Impact& impact) { return !layer.contains(impact.position); });
  }
  return whole;
}

/// The impacts of a storm that this rank needs; adds what all ranks know of it. `storm` is rank
/// 0's, null on the others, and so is the file's name.
std::vector<Impact> share_storm(Communicator& communicator, const Storm* storm, std::string file,
                                const Sharing& sharing, std::vector<WholeStorm>& whole) {
  broadcast(communicator, file);
  std::vector<Impact> read;
  if (!file.empty()) read = read_parts(communicator, file, sharing.threads);
  const std::span<const Impact> part =
      file.empty() && storm != nullptr ? std::span(storm->impacts) : std::span(read);

  whole.push_back(sum_of_all(communicator, looked_at(part, sharing), std::plus<>()));
  std::vector<std::span<const Impact>> going(static_cast<std::size_t>(communicator.ranks()), part);
  std::vector<std::vector<Impact>> lists(going.size());
  if (!sharing.for_all(whole.back().extent)) {
    require_memory_for(std::ssize(part), communicator.ranks_on_host());
    communicator.meet();  // all ranks of a machine ask before one of them takes any
    for (std::size_t rank = 0; rank < going.size(); ++rank) {
      going[rank] = lists[rank] = needed(part, sharing.needs[rank], sharing.threads);
    }
    read = std::vector<Impact>();
  }
  return exchanged(communicator, going);
}

/// All impacts of all storms, on ranks other than 0; rank 0 gets nothing, it has them.
std::vector<Storm> broadcast_storms(Communicator& communicator, std::span<const Storm> storms,
                                    std::int64_t count) {
  const bool first = communicator.is_first();
  std::vector<std::int64_t> impacts(static_cast<std::size_t>(count));
  std::ranges::transform(storms, impacts.begin(),
                         [](const Storm& storm) { return std::ssize(storm.impacts); });
  communicator.broadcast(std::as_writable_bytes(std::span(impacts)));
  std::vector<Storm> received(first ? 0 : impacts.size());
  if (!first) {
    const auto all = std::accumulate(impacts.begin(), impacts.end(), std::int64_t{0});
    require_memory_for(all, communicator.ranks_on_host() - 1);
  }
  communicator.meet();  // all ranks of a machine ask before one of them takes any
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    if (!first) received[i].impacts.resize(static_cast<std::size_t>(impacts[i]));
    communicator.broadcast(bytes_of(first ? storms[i].impacts : received[i].impacts));
  }
  return received;
}

}  // namespace

std::vector<WholeStorm> share_storms(Communicator& communicator, std::span<const Storm> storms,
                                     std::span<const std::string> files, std::int64_t count,
                                     const Sharing& sharing, std::vector<Storm>& received) {
  std::vector<WholeStorm> whole;
  if (sharing.needs.empty()) {
    if (!communicator.is_alone()) received = broadcast_storms(communicator, storms, count);
    for (const Storm& storm : communicator.is_first() ? storms : std::span<const Storm>(received)) {
      whole.push_back(looked_at(storm.impacts, sharing));
    }
    return whole;
  }
  received.clear();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    received.push_back({{},
                        share_storm(communicator, storms.empty() ? nullptr : &storms[i],
                                    files.empty() ? std::string() : files[i], sharing, whole)});
  }
  return whole;
}

}  // namespace bombard
