#include "sim/ranks/storms_for_slabs.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "bombard/errors.hpp"
#include "inputs/byte_count.hpp"
#include "inputs/storm_file.hpp"
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

/// Sorts impacts by the ranks that need them, each rank's in file order.
class SortByRank {
 public:
  SortByRank(std::span<const CellRange> needs, int threads)
      : needs_(needs), threads_(threads), begins_(needs.size() + 1) {}

  /// How many each rank needs.
  std::vector<std::int64_t> count(std::span<const Impact> impacts) {
    take(impacts);
    std::vector<std::int64_t> counts(needs_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) counts[i % needs_.size()] += places_[i];
    return counts;
  }

  void sort(std::span<const Impact> impacts) {
    take(impacts);
    make_places();
    sorted_.resize(std::max(sorted_.size(), static_cast<std::size_t>(begins_.back())));
    each_part([&](std::span<const Impact> of_part, std::span<std::int64_t> places) {
      for (const Impact& impact : of_part) {
        each_rank(impact, [&](std::size_t rank) {
          sorted_[static_cast<std::size_t>(places[rank]++)] = impact;
        });
      }
    });
  }

  /// Of those sorted last.
  std::span<const Impact> of_rank(std::size_t rank) const {
    return slice(std::span(sorted_), {begins_[rank], begins_[rank + 1]});
  }

 private:
  /// Counts the impacts of each part for each rank.
  void take(std::span<const Impact> impacts) {
    // One thread has done fewer before another has begun.
    constexpr std::size_t few_impacts = std::size_t{1} << 14;
    impacts_ = impacts;
    parts_ = static_cast<std::int64_t>(std::clamp<std::size_t>(impacts.size() / few_impacts, 1,
                                                               static_cast<std::size_t>(threads_)));
    places_.assign(static_cast<std::size_t>(parts_) * needs_.size(), 0);
    each_part([&](std::span<const Impact> of_part, std::span<std::int64_t> counts) {
      for (const Impact& impact : of_part) {
        each_rank(impact, [&](std::size_t rank) { ++counts[rank]; });
      }
    });
  }

  /// Calls work(impacts, numbers for each rank) for each part, on any thread.
  template <class Work>
  void each_part(const Work& work) {
    cpu::share_out(parts_, threads_, [&](const auto& each) {
      each([&](std::int64_t part) {
        const auto all = static_cast<std::int64_t>(impacts_.size());
        work(slice(impacts_, {part * all / parts_, (part + 1) * all / parts_}),
             std::span(places_).subspan(first_of(part), needs_.size()));
      });
    });
  }

  std::size_t first_of(std::int64_t part) const {
    return static_cast<std::size_t>(part) * needs_.size();
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

  /// From how many to where the first goes.
  void make_places() {
    std::int64_t next = 0;
    for (std::size_t rank = 0; rank < needs_.size(); ++rank) {
      begins_[rank] = next;
      for (std::int64_t part = 0; part < parts_; ++part) {
        next += std::exchange(places_[first_of(part) + rank], next);
      }
    }
    begins_.back() = next;
  }

  std::span<const CellRange> needs_;
  int threads_;
  std::span<const Impact> impacts_;
  std::int64_t parts_ = 1;
  std::vector<std::int64_t> places_;  ///< [part][rank]
  std::vector<std::int64_t> begins_;  ///< [rank], and the end
  std::vector<Impact> sorted_;
};

/// A part of a file as this rank finds it.
struct PartRead {
  bool laid_out = false;  ///< so that parts can be read
  std::int64_t announced = 0, impacts = 0;

  /// Both parts: as many announced in both, or something else.
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

/// Brings the impacts of all ranks' parts to those that need them, some of each part at a time:
/// what they are sorted into is small, and stays in the caches.
class Exchange {
 public:
  /// `for_all`: every rank needs all.
  Exchange(Communicator& communicator, std::span<const Impact> part, const Sharing& sharing,
           bool for_all)
      : communicator_(communicator),
        part_(part),
        most_at_once_(sharing.most_at_once),
        ranks_(static_cast<std::size_t>(communicator.ranks())) {
    if (!for_all) sort_.emplace(sharing.needs, sharing.threads);
    const auto own = static_cast<std::int64_t>(part.size());
    rounds_ = sum_of_all(communicator, (own + most_at_once_ - 1) / most_at_once_,
                         [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }

  /// What this rank needs, in file order.
  std::vector<Impact> impacts() {
    count();
    find_places();
    require_memory_for(count_, communicator_.ranks_on_host());
    communicator_.meet();  // all ranks of a machine ask before one of them takes any
    std::vector<Impact> all(static_cast<std::size_t>(count_));
    for (std::int64_t round = 0; round < rounds_; ++round) move(round, all);
    return all;
  }

 private:
  std::span<const Impact> of_round(std::int64_t round) const {
    const auto own = static_cast<std::int64_t>(part_.size());
    return slice(
        part_, {std::min(round * most_at_once_, own), std::min((round + 1) * most_at_once_, own)});
  }

  /// How many go to each rank in each round.
  void count() {
    going_.assign(ranks_, std::vector<std::int64_t>(static_cast<std::size_t>(rounds_)));
    for (std::int64_t round = 0; round < rounds_; ++round) {
      const std::span<const Impact> own = of_round(round);
      const std::vector<std::int64_t> counts =
          sort_ ? sort_->count(own)
                : std::vector<std::int64_t>(ranks_, static_cast<std::int64_t>(own.size()));
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        going_[rank][static_cast<std::size_t>(round)] = counts[rank];
      }
    }
  }

  /// How many come from each rank in each round, and where the first of each goes.
  void find_places() {
    coming_.assign(ranks_, std::vector<std::int64_t>(static_cast<std::size_t>(rounds_)));
    std::vector<std::span<const std::byte>> to;
    std::vector<std::span<std::byte>> from;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      to.push_back(std::as_bytes(std::span(going_[rank])));
      from.push_back(std::as_writable_bytes(std::span(coming_[rank])));
    }
    communicator_.exchange(to, from);
    for (const std::vector<std::int64_t>& of_rank : coming_) {
      next_.push_back(count_);
      count_ = std::accumulate(of_rank.begin(), of_rank.end(), count_);
    }
  }

  void move(std::int64_t round, std::span<Impact> all) {
    const std::span<const Impact> own = of_round(round);
    if (sort_) sort_->sort(own);
    std::vector<std::span<const std::byte>> to;
    std::vector<std::span<std::byte>> from;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const std::int64_t begin = next_[rank];
      next_[rank] += coming_[rank][static_cast<std::size_t>(round)];
      to.push_back(std::as_bytes(sort_ ? sort_->of_rank(rank) : own));
      from.push_back(std::as_writable_bytes(slice(all, {begin, next_[rank]})));
    }
    communicator_.exchange(to, from);
  }

  Communicator& communicator_;
  std::span<const Impact> part_;
  std::int64_t most_at_once_;
  std::size_t ranks_;
  std::optional<SortByRank> sort_;  ///< none where every rank needs all
  std::int64_t rounds_;
  std::vector<std::vector<std::int64_t>> going_, coming_;  ///< [rank][round]
  std::int64_t count_ = 0;                                 ///< that come in all
  std::vector<std::int64_t> next_;                         ///< [rank]: where the next one goes
};

/// Adds the next storm. `storm` is rank 0's, null on the others, and so is the file's name.
void share_storm(Communicator& communicator, const Storm* storm, std::string file,
                 const Sharing& sharing, StormsForSlab& own) {
  broadcast(communicator, file);
  std::vector<Impact> read;
  if (!file.empty()) read = read_parts(communicator, file, sharing.threads);
  const std::span<const Impact> part =
      file.empty() && storm != nullptr ? std::span(storm->impacts) : std::span(read);

  own.whole.push_back(sum_of_all(communicator, looked_at(part, sharing), std::plus<>()));
  const bool for_all = sharing.for_all(own.whole.back().extent);
  own.storms.push_back({{}, Exchange(communicator, part, sharing, for_all).impacts()});
}

}  // namespace

WholeStorm looked_at(std::span<const Impact> impacts, const Sharing& sharing) {
  constexpr std::int64_t of_piece = 1 << 18;
  const auto count = static_cast<std::int64_t>(impacts.size());
  const CellRange layer{0, sharing.cells};
  WholeStorm all;
  std::mutex adding;
  cpu::share_out((count + of_piece - 1) / of_piece, sharing.threads, [&](const auto& each) {
    each([&](std::int64_t piece) {
      const auto own = slice(impacts, {piece * of_piece, std::min((piece + 1) * of_piece, count)});
      const WholeStorm found{.extent = extent_of(own),
                             .impacts = static_cast<std::int64_t>(own.size()),
                             .outside = std::ranges::count_if(own, [&](const Impact& impact) {
                               return !layer.contains(impact.position);
                             })};
      const std::scoped_lock lock(adding);
      all = all + found;
    });
  });
  return all;
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
