#include "tests/sim/engines/generated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace {

using bombard::Impact;
using Impacts = std::vector<Impact>;

std::int32_t some_energy(Random& random) {
  constexpr std::array<std::int64_t, 4> most{1, 150, 1'000'000, 1'000'000'000};
  return static_cast<std::int32_t>(1 + below(random, one_of(random, most)));
}

/// Anywhere on the layer, some twice or mirrored: with few impacts two maxima are equal.
Impacts spread(Random& random, std::int64_t cells, std::int64_t most) {
  Impacts impacts;
  for (std::int64_t i = below(random, most); i >= 0; --i) {
    const std::int64_t choice = impacts.empty() ? 5 : below(random, 6);
    const Impact earlier = impacts.empty() ? Impact{} : one_of(random, impacts);
    if (choice == 0) {
      impacts.push_back(earlier);
    } else if (choice == 1) {
      impacts.push_back({cells - 1 - earlier.position, earlier.energy});
    } else {
      impacts.push_back({below(random, cells), some_energy(random)});
    }
  }
  return impacts;
}

/// Up to `most` impacts of one energy, at positions that position(random) gives.
template <class Position>
Impacts equal_ones(Random& random, std::int64_t most, const Position& position) {
  Impacts impacts(static_cast<std::size_t>(1 + below(random, most)));
  const std::int32_t energy = below(random, 2) == 0 ? 100 : some_energy(random);
  for (Impact& impact : impacts) impact = {position(random), energy};
  return impacts;
}

Impacts dense(Random& random, std::int64_t cells, std::int64_t) {
  return random_impacts(random, std::min<std::int64_t>(3 * cells, 1500), 0, cells);
}

Impacts cluster(Random& random, std::int64_t cells, std::int64_t most) {
  const std::int64_t center = below(random, cells);
  return equal_ones(random, most, [&](Random& bits) { return center + below(bits, 40) - 20; });
}

/// Neighbours: a plateau where no cell is a strict maximum, or nearly one.
Impacts plateau(Random& random, std::int64_t cells, std::int64_t) {
  Impacts impacts;
  for (std::int64_t i = below(random, 3); i >= 0; --i) {
    const Impact first{below(random, cells), some_energy(random)};
    for (std::int64_t j = 1 + below(random, 4); j >= 0; --j) {
      impacts.push_back({first.position + j, first.energy});
    }
  }
  return impacts;
}

Impacts one_cell(Random& random, std::int64_t cells, std::int64_t most) {
  const std::int64_t cell = below(random, cells);
  return equal_ones(random, most, [&](Random&) { return cell; });
}

Impacts at_the_ends(Random& random, std::int64_t cells, std::int64_t most) {
  return equal_ones(random, most, [&](Random& bits) {
    return below(bits, 2) == 0 ? below(bits, 6) - 2 : cells - 1 - below(bits, 6);
  });
}

/// Where chunks, blocks and tiles begin.
Impacts at_borders(Random& random, std::int64_t cells, std::int64_t most) {
  return equal_ones(random, most, [&](Random& bits) {
    return below(bits, cells) / 64 * 64 + below(bits, 3) - 1;
  });
}

/// Equal energies at equal distances: many maxima within a few units in the last place.
Impacts comb(Random& random, std::int64_t cells, std::int64_t most) {
  Impacts impacts;
  const std::int64_t tooth = 1 + below(random, std::max<std::int64_t>(60, cells / most));
  const std::int32_t energy = some_energy(random);
  for (std::int64_t p = below(random, tooth); p < cells && std::ssize(impacts) < most; p += tooth) {
    impacts.push_back({p, energy});
  }
  return impacts;
}

/// Also around the layer; where floats, and where 32 bits, stop counting; and as far away as can
/// be.
Impacts outside(Random& random, std::int64_t cells, std::int64_t most) {
  Impacts impacts = spread(random, cells, most);
  for (std::int64_t i = below(random, 4); i >= 0; --i) {
    const std::array<std::int64_t, 5> far{
        1 + below(random, std::int64_t{1} << below(random, 40)), cells + below(random, cells),
        (1LL << 24) + below(random, 4096) - 2048, (1LL << 31) + below(random, 4096) - 2048,
        (1LL << 61) - below(random, 4096) - cells};
    const std::int64_t off = one_of(random, far);
    impacts.push_back({below(random, 2) == 0 ? -off : cells - 1 + off, some_energy(random)});
  }
  return impacts;
}

Impacts both_signs(Random& random, std::int64_t cells, std::int64_t most) {
  return random_impacts(random, 1 + below(random, most), 0, cells, true);
}

/// Each energy comes with its opposite: only roundings are left.
Impacts cancelling(Random& random, std::int64_t cells, std::int64_t most) {
  Impacts impacts = spread(random, cells, most);
  for (std::size_t i = impacts.size(); i-- > 0;) {
    impacts.push_back({impacts[i].position, -impacts[i].energy});
  }
  return impacts;
}

Impacts extremes(Random& random, std::int64_t cells, std::int64_t most) {
  constexpr std::array<std::int32_t, 6> energies{1, -1, 16'777'217, 2'147'483'647, -2147483647 - 1,
                                                 0};
  Impacts impacts = spread(random, cells, most);
  for (Impact& impact : impacts) impact.energy = one_of(random, energies);
  return impacts;
}

/// Small shares lost beside a large one: the rule's sums stand still while the true ones grow.
Impacts lost(Random& random, std::int64_t cells, std::int64_t) {
  const std::int64_t position = below(random, cells);
  Impacts impacts{{position, 17'616'077}, {below(random, cells), 17'616'077}};
  for (std::int64_t i = below(random, 2000); i > 0; --i) {
    impacts.push_back({position + below(random, 3) - 1, 1});
  }
  return impacts;
}

constexpr StormKind kinds[] = {{"Spread", spread, 0.2, true},
                               {"Dense", dense, 0.6},
                               {"Cluster", cluster, 0.3, true},
                               {"Plateau", plateau, 0.5, true},
                               {"OneCell", one_cell, 0.3, true},
                               {"AtTheEnds", at_the_ends, 0.5, true},
                               {"AtBorders", at_borders, 0.5, true},
                               {"Comb", comb, 0.7, true},
                               // Many are so far away that not every share counts.
                               {"Outside", outside, 0.7, true},
                               {"BothSigns", both_signs, 0.6},
                               {"Cancelling", cancelling, 1},
                               {"Extremes", extremes, 0.7},
                               {"Lost", lost, 0.5}};

/// The share of one of the energies at a distance: as a threshold it makes the share end there,
/// give or take one.
float threshold_at(Random& random, const Bombardment& bombardment, double distance) {
  std::int32_t energy = 100;
  for (const bombard::Storm& storm : bombardment.storms) {
    if (!storm.impacts.empty() && below(random, 2) == 0) {
      energy = one_of(random, storm.impacts).energy;
    }
  }
  const oracle::Rule& rule = bombardment.rule;
  const double share = std::fabs(energy) * (rule.edition == 1 ? 1e-3 : 1e3) / std::sqrt(distance);
  return static_cast<float>(share * (1 + 1e-7 * static_cast<double>(below(random, 3))));
}

float some_threshold(Random& random, const Bombardment& bombardment) {
  constexpr std::array<std::int64_t, 16> ends{1,   2,    63,   64,   65,   127,  128,  129,
                                              192, 1000, 1791, 1792, 1984, 2048, 4096, 8192};
  const std::int64_t choice = below(random, 12);
  if (choice < 2) return 0;
  if (choice < 5) return 0.001F;
  if (choice == 5) return 1e6F * static_cast<float>(below(random, 1000));
  const std::int64_t end =
      choice < 8 ? one_of(random, ends) : 1 + below(random, 2 * bombardment.cells);
  return threshold_at(random, bombardment, static_cast<double>(end));
}

}  // namespace

std::span<const StormKind> storm_kinds() {
  return kinds;
}

std::string told(const Bombardment& bombardment) {
  const oracle::Rule& rule = bombardment.rule;
  std::string text =
      fmt::format("edition {}, T {}, {} cells:", rule.edition, rule.threshold, bombardment.cells);
  for (const bombard::Storm& storm : bombardment.storms) text += " " + storm.name;
  return text;
}

Bombardment generated_at_random(std::int64_t cells, std::int64_t storms, std::int64_t impacts) {
  Random random(static_cast<std::uint64_t>(cells));
  Bombardment made{cells, {}};
  for (std::int64_t i = 0; i < storms; ++i) {
    made.storms.push_back({"random", random_impacts(random, impacts, 0, cells)});
  }
  return made;
}

Bombardment generated_of_kind(Random& random, const StormKind& kind) {
  constexpr std::array<std::int64_t, 16> sizes{1,   2,   3,   4,   31,  63,   64,   65,
                                               127, 191, 193, 500, 997, 2048, 4099, 9001};
  Bombardment made{one_of(random, sizes), {}};
  for (std::int64_t i = below(random, 5); i >= 0; --i) {
    made.storms.push_back({kind.name, kind.impacts(random, made.cells, 60)});
  }
  return made;
}

Bombardment generated_of_family(Random& random) {
  constexpr std::array<std::int64_t, 30> sizes{
      1,   2,   3,   4,   5,   16,   31,   32,   33,   63,   64,   65,   97,   127,   129,
      255, 257, 521, 769, 997, 1023, 1024, 1025, 1793, 2053, 3000, 4097, 8257, 12289, 16411};
  Bombardment made{one_of(random, sizes), {}};
  if (below(random, 3) > 0) made.rule.edition = 1 + static_cast<int>(below(random, 2));
  const std::int64_t storms = below(random, 16) == 0 ? 70 : below(random, 6);
  for (std::int64_t i = 0; i < storms; ++i) {
    const StormKind kind = one_of(random, storm_kinds());
    const std::int64_t most = storms > 10 ? 6 : below(random, 6) == 0 ? 400 : 50;
    made.storms.push_back({kind.name, kind.impacts(random, made.cells, most)});
  }
  made.rule.threshold = some_threshold(random, made);
  return made;
}

Bombardment generated_sparse(Random& random) {
  constexpr std::array<std::int64_t, 12> sizes{300,  513,  1000,  1025,  2047,  4099,
                                               8192, 9973, 16411, 30011, 65537, 100'003};
  Bombardment made{one_of(random, sizes), {}};
  made.rule.threshold = 0;
  const std::int64_t storms = below(random, 10) == 0 ? 40 : 1 + below(random, 7);
  // Few cells are in a neighbourhood.
  const std::int64_t most =
      std::clamp<std::int64_t>(made.cells / (10 * storms * (storms + 4)), 1, 120);
  const StormKind* kind = nullptr;
  while (kind == nullptr || !kind->sparse) kind = &kinds[below(random, std::ssize(kinds))];
  for (std::int64_t i = 0; i < storms; ++i) {
    made.storms.push_back({kind->name, kind->impacts(random, made.cells, most)});
  }
  return made;
}
