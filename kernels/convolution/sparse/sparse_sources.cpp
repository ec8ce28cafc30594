#include "kernels/convolution/sparse/sparse_sources.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/base/stoppable_work.hpp"

namespace bombard::cpu {

namespace {

/// The chunk with this number among the last ones; if there is none, a new one where it belongs.
SparseChunk& chunk_of(std::vector<SparseChunk>& chunks, std::int64_t number, std::int64_t source) {
  auto at = chunks.end();
  while (at != chunks.begin() && (at - 1)->number >= number) --at;
  if (at != chunks.end() && at->number == number) return *at;
  return *chunks.insert(at, {number, source, source, {0, 0}});
}

void look_at(const CellRange& cells, SparseChunk& chunk) {
  CellRange& seen = chunk.seen;
  seen = seen.count() <= 0
             ? cells
             : CellRange{std::min(seen.begin, cells.begin), std::max(seen.end, cells.end)};
}

}  // namespace

std::vector<SparseSource> sorted_sources(std::span<const Impact> deposits, std::int64_t storm) {
  std::vector<SparseSource> sources;
  sources.reserve(deposits.size());
  for (const Impact& deposit : deposits) {
    sources.push_back({deposit.position, storm, static_cast<double>(deposit.energy)});
  }
  StoppableWork::may_stop();
  // The sums of those on one cell are exact up to 2^53, in any order.
  std::ranges::sort(sources, {}, &SparseSource::position);
  std::size_t last = 0;
  for (std::size_t i = 1; i < sources.size(); ++i) {
    const SparseSource& next = sources[i];
    if (next.position == sources[last].position) {
      sources[last].energy += next.energy;
    } else {
      sources[++last] = next;
    }
  }
  sources.resize(std::min(sources.size(), last + 1));
  return sources;
}

std::vector<SparseChunk> occupied_chunks(std::span<const SparseSource> sources, std::int64_t storms,
                                         int chunk_bits, const CellRange& cells) {
  std::vector<SparseChunk> chunks;
  chunks.reserve(sources.size() + sources.size() / 8 + 2);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    StoppableWork::may_stop_at(i);
    const auto& [position, storm, energy] = sources[i];
    const auto index = static_cast<std::int64_t>(i);
    const std::int64_t beside = storms - storm + 1;
    const CellRange around = cells.common({position - beside, position + beside + 1});
    if (around.count() > 0) {
      for (std::int64_t c = around.begin >> chunk_bits; c <= (around.end - 1) >> chunk_bits; ++c) {
        const CellRange chunk_range{c << chunk_bits, (c + 1) << chunk_bits};
        look_at(around.common(chunk_range), chunk_of(chunks, c, index));
      }
    }
    SparseChunk& own = chunk_of(chunks, position >> chunk_bits, index);
    if (own.end == own.begin) own.begin = index;
    own.end = index + 1;
  }
  // A chunk without sources begins and ends after those of the chunk before.
  std::int64_t end = 0;
  for (SparseChunk& chunk : chunks) {
    if (chunk.begin == chunk.end) chunk.begin = chunk.end = end;
    end = chunk.end;
  }
  return chunks;
}

}  // namespace bombard::cpu
