#include "sim/checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bombard/errors.hpp"
#include "kernels/share/attenuation.hpp"

namespace bombard {

namespace {

// With this bound 64 bits count the bytes of a layer: an engine keeps less than 2^7 per cell.
constexpr std::int64_t most_cells = std::int64_t{1} << 56;

void check_cells(std::int64_t cells) {
  if (cells < 1) {
    throw InputError(
        fmt::format("a layer of {} cells is not possible; it needs 1 cell or more", cells));
  }
  if (cells > most_cells) {
    throw CannotRun(fmt::format(
        "a layer of {} cells is larger than any engine takes; take {} cells (2^56) or fewer", cells,
        most_cells));
  }
}

void check_rule(const Rule& rule) {
  if (!std::isfinite(rule.threshold) || rule.threshold < 0) {
    throw InputError(
        fmt::format("threshold {} is not a threshold; it is a finite binary32 number, 0 or more",
                    rule.threshold));
  }
  if (!is_there(rule.attenuation)) {
    throw InputError(fmt::format("attenuation {} is not an attenuation; it is {}",
                                 name_of(rule.attenuation), attenuations_there_are));
  }
}

}  // namespace

void check(const SimulationSettings& settings, std::int64_t cells) {
  if (settings.threads < 0 || settings.threads > most_threads) {
    throw InputError(
        fmt::format("threads {} is not a number of threads; it is 1 to {}, or 0 for all cores",
                    settings.threads, most_threads));
  }
  check_cells(cells);
  check_rule(settings.rule);
}

void check_positions(std::span<const Impact> impacts) {
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const std::int64_t position = impacts[i].position;
    if (position >= -largest_position && position <= largest_position) continue;
    throw InputError(
        fmt::format("impact {}: position {} is too far away; it may lie between {} and {}", i,
                    position, -largest_position, largest_position));
  }
}

std::vector<CellRange> ranges_of(std::span<const std::int64_t> list, std::int64_t cells) {
  std::vector<CellRange> ranges;
  for (const std::int64_t cell : list) {
    if (cell < 0 || cell >= cells) {
      throw InputError(
          fmt::format("cell {} is not in the layer; its cells are 0 to {}", cell, cells - 1));
    }
    if (!ranges.empty() && ranges.back().end == cell) {
      ++ranges.back().end;
    } else {
      ranges.push_back({cell, cell + 1});
    }
  }
  return ranges;
}

void check_peaks(std::int64_t peaks) {
  if (peaks >= 0) return;
  throw InputError(fmt::format("peaks {} is not a number of peaks; it is 0 or more", peaks));
}

}  // namespace bombard
