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

/// What a rank has of a storm, a piece on any thread.
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

/// Rank 0's on all of them.
std::string broadcast_name(Communicator& communicator, std::string name) {
  std::int64_t size = static_cast<std::int64_t>(name.size());
  broadcast(communicator, size);
  name.resize(static_cast<std::size_t>(size));
  communicator.broadcast(std::as_writable_bytes(std::span(name)));
  return name;
}

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
  if (communicator.rank() == 0) throw;
  throw InputError(std::string(error.what()) +
                   "; in double precision every rank reads a part of each file");
}

/// The impacts in this rank's part of a file. Where a text is laid out in another way, or is wrong,
/// rank 0 reads all of it, or tells what is wrong.
std::vector<Impact> read_parts(Communicator& communicator, const std::string& file, int threads) {
  std::optional<ImpactsOfPart> own;
  do_together(communicator, [&] { own = read_own_part(communicator, file, threads); });
  PartRead read{.laid_out = own.has_value()};
  if (own) {
    read.announced = own->announced;
    read.impacts = static_cast<std::int64_t>(own->impacts.size());
  }
  const PartRead all = of_all_ranks(communicator, read, std::plus<>());
  if (all.laid_out && all.impacts == all.announced) return std::move(own->impacts);
  own.reset();
  std::vector<Impact> whole;
  do_together(communicator, [&] {
    if (communicator.rank() == 0) whole = StormFile(file).read().impacts;
  });
  return whole;
}

/// For each rank the impacts of this one's part that it gets.
std::vector<std::span<const std::byte>> bytes_for_ranks(int ranks, std::span<const Impact> part,
                                                        const std::optional<SortedByRank>& sorted) {
  std::vector<std::span<const std::byte>> bytes;
  for (int rank = 0; rank < ranks; ++rank) {
    bytes.push_back(std::as_bytes(sorted ? sorted->of_rank(rank) : part));
  }
  return bytes;
}

/// How many bytes come from each rank.
std::vector<std::int64_t> bytes_from_ranks(Communicator& communicator,
                                           const std::vector<std::span<const std::byte>>& to) {
  std::vector<std::int64_t> sent, received(to.size());
  for (const auto& bytes : to) sent.push_back(static_cast<std::int64_t>(bytes.size()));
  std::vector<std::span<const std::byte>> sizes_to;
  std::vector<std::span<std::byte>> sizes_from;
  for (std::size_t rank = 0; rank < to.size(); ++rank) {
    sizes_to.push_back(std::as_bytes(std::span(&sent[rank], 1)));
    sizes_from.push_back(std::as_writable_bytes(std::span(&received[rank], 1)));
  }
  communicator.exchange(sizes_to, sizes_from);
  return received;
}

/// What this rank needs, from what each has.
std::vector<Impact> received(Communicator& communicator,
                             const std::vector<std::span<const std::byte>>& to) {
  const std::vector<std::int64_t> sizes = bytes_from_ranks(communicator, to);
  const auto count = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) /
                     static_cast<std::int64_t>(sizeof(Impact));
  std::vector<Impact> impacts;
  do_together(communicator, [&] {
    require_memory_for(count, communicator.ranks_on_host());
    impacts.resize(static_cast<std::size_t>(count));
  });
  std::span<std::byte> rest = std::as_writable_bytes(std::span(impacts));
  std::vector<std::span<std::byte>> from;
  for (const std::int64_t size : sizes) {
    from.push_back(rest.first(static_cast<std::size_t>(size)));
    rest = rest.subspan(static_cast<std::size_t>(size));
  }
  communicator.exchange(to, from);
  return impacts;
}

/// Adds the next storm. `storm` is rank 0's, null on the others, and so is the file's name.
void share_storm(Communicator& communicator, const Storm* storm, const std::string& name,
                 const Sharing& sharing, StormsForSlab& own) {
  const std::string file = broadcast_name(communicator, name);
  std::vector<Impact> read;
  if (!file.empty()) read = read_parts(communicator, file, sharing.threads);
  const std::span<const Impact> part =
      file.empty() && storm != nullptr ? std::span(storm->impacts) : std::span(read);

  own.whole.push_back(of_all_ranks(communicator, looked_at(part, sharing), std::plus<>()));
  std::optional<SortedByRank> sorted;
  do_together(communicator, [&] {
    if (sharing.for_all(own.whole.back().extent)) return;
    require_memory_for(static_cast<std::int64_t>(part.size()), communicator.ranks_on_host());
    sorted.emplace(part, sharing.needs, sharing.threads);
  });
  own.storms.push_back(
      {{}, received(communicator, bytes_for_ranks(communicator.ranks(), part, sorted))});
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
