#include "sim/ranks/storms_for_slabs.hpp"

#include <algorithm>
#include <functional>
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

/// Impacts by the ranks that need them, each rank's in file order. They are sorted by counting,
/// several parts at a time, each on any thread.
class SortedByRank {
 public:
  SortedByRank(std::span<const Impact> impacts, const Sharing& sharing)
      : impacts_(impacts), needs_(sharing.needs), threads_(sharing.threads) {
    // One thread has done fewer before another has begun.
    constexpr std::size_t few_impacts = std::size_t{1} << 14;
    parts_ = static_cast<std::int64_t>(std::clamp<std::size_t>(impacts.size() / few_impacts, 1,
                                                               static_cast<std::size_t>(threads_)));
    places_.resize(static_cast<std::size_t>(parts_) * needs_.size());
    each_needed([](const Impact&, std::int64_t& count) { ++count; });
    find_begins();
    sorted_.resize(static_cast<std::size_t>(begins_.back()));
    each_needed([&](const Impact& impact, std::int64_t& place) {
      sorted_[static_cast<std::size_t>(place++)] = impact;
    });
  }

  std::span<const Impact> of_rank(std::size_t rank) const {
    return slice(std::span(sorted_), {begins_[rank], begins_[rank + 1]});
  }

 private:
  /// Calls work(impact, place of its part and rank) for each rank that needs an impact.
  template <class Work>
  void each_needed(const Work& work) {
    cpu::share_out(parts_, threads_, [&](const auto& each) {
      each([&](std::int64_t part) {
        const auto all = static_cast<std::int64_t>(impacts_.size());
        const CellRange own{part * all / parts_, (part + 1) * all / parts_};
        for (const Impact& impact : slice(impacts_, own)) {
          // Neighbours all; those before the first one need nothing from there on.
          auto range = std::upper_bound(
              needs_.begin(), needs_.end(), impact.position,
              [](std::int64_t position, const CellRange& other) { return position < other.end; });
          for (; range != needs_.end() && range->begin <= impact.position; ++range) {
            work(impact, place_of(part, static_cast<std::size_t>(range - needs_.begin())));
          }
        }
      });
    });
  }

  std::int64_t& place_of(std::int64_t part, std::size_t rank) {
    return places_[static_cast<std::size_t>(part) * needs_.size() + rank];
  }

  /// Makes places of counts: where the first impact goes.
  void find_begins() {
    std::int64_t next = 0;
    for (std::size_t rank = 0; rank < needs_.size(); ++rank) {
      begins_.push_back(next);
      for (std::int64_t part = 0; part < parts_; ++part) {
        next += std::exchange(place_of(part, rank), next);
      }
    }
    begins_.push_back(next);
  }

  std::span<const Impact> impacts_;
  std::span<const CellRange> needs_;
  int threads_;
  std::int64_t parts_;
  std::vector<std::int64_t> places_;  ///< [part][rank]
  std::vector<std::int64_t> begins_;  ///< [rank], and the end
  std::vector<Impact> sorted_;
};

/// A part of a file as this rank finds it.
struct PartRead {
  bool laid_out = false;  ///< so that parts can be read
  std::int64_t announced = 0, impacts = 0;

  /// Both parts together; they announce the same number of impacts, or something is wrong.
  PartRead operator+(const PartRead& other) const {
    return {laid_out && other.laid_out && announced == other.announced, announced,
            impacts + other.impacts};
  }
};

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
  PartRead read{.laid_out = own.has_value()};
  if (own) {
    read.announced = own->announced;
    read.impacts = static_cast<std::int64_t>(own->impacts.size());
  }
  const PartRead all = sum_of_all(communicator, read, std::plus<>());
  if (all.laid_out && all.impacts == all.announced) return std::move(own->impacts);
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

/// Adds the next storm. `storm` is rank 0's, null on the others, and so is the file's name.
void share_storm(Communicator& communicator, const Storm* storm, std::string file,
                 const Sharing& sharing, StormsForSlab& own) {
  broadcast(communicator, file);
  std::vector<Impact> read;
  if (!file.empty()) read = read_parts(communicator, file, sharing.threads);
  const std::span<const Impact> part =
      file.empty() && storm != nullptr ? std::span(storm->impacts) : std::span(read);

  own.whole.push_back(sum_of_all(communicator, looked_at(part, sharing), std::plus<>()));
  std::vector<std::span<const Impact>> going(static_cast<std::size_t>(communicator.ranks()), part);
  std::optional<SortedByRank> sorted;
  if (!sharing.for_all(own.whole.back().extent)) {
    require_memory_for(static_cast<std::int64_t>(part.size()), communicator.ranks_on_host());
    communicator.meet();  // all ranks of a machine ask before one of them takes any
    sorted.emplace(part, sharing);
    read = std::vector<Impact>();
    for (std::size_t rank = 0; rank < going.size(); ++rank) going[rank] = sorted->of_rank(rank);
  }
  own.storms.push_back({{}, exchanged(communicator, going)});
}

}  // namespace

WholeStorm looked_at(std::span<const Impact> impacts, const Sharing& sharing) {
  WholeStorm whole{extent_of(impacts, sharing.threads), static_cast<std::int64_t>(impacts.size())};
  const CellRange layer{0, sharing.cells};
  if (whole.extent.lowest < layer.begin || whole.extent.highest >= layer.end) {
    whole.outside = std::ranges::count_if(
        impacts, [&](const Impact& impact) { return !layer.contains(impact.position); });
  }
  return whole;
}

std::vector<Storm> broadcast_storms(Communicator& communicator, std::span<const Storm> storms,
                                    std::int64_t count) {
  if (communicator.is_alone()) return {};
  const bool first = communicator.is_first();
  std::vector<std::int64_t> impacts(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < storms.size(); ++i) {
    impacts[i] = static_cast<std::int64_t>(storms[i].impacts.size());
  }
  communicator.broadcast(std::as_writable_bytes(std::span(impacts)));
  std::vector<Storm> received(first ? 0 : impacts.size());
  if (!first) {
    const auto all = std::accumulate(impacts.begin(), impacts.end(), std::int64_t{0});
    require_memory_for(all, communicator.ranks_on_host() - 1);
  }
  communicator.meet();  // all ranks of a machine ask before one of them takes any
  for (std::size_t i = 0; i < received.size(); ++i) {
    received[i].impacts.resize(static_cast<std::size_t>(impacts[i]));
  }
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    communicator.broadcast(bytes_of(first ? storms[i].impacts : received[i].impacts));
  }
  return received;
}

StormsForSlab share_storms(Communicator& communicator, std::span<const Storm> storms,
                           std::span<const std::string> files, std::int64_t count,
                           const Sharing& sharing) {
  StormsForSlab shared;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    share_storm(communicator, storms.empty() ? nullptr : &storms[i],
                files.empty() ? std::string() : files[i], sharing, shared);
  }
  return shared;
}

}  // namespace bombard
