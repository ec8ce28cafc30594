#include "tools/judge/cases.hpp"

#include <utility>

#include "sim/generation.hpp"

namespace bombard::judge {

namespace {

constexpr std::uint64_t seed = 2018;

using Impacts = std::vector<Impact>;

Case case_of(std::string name, std::string tries, std::int64_t cells,
             const std::vector<Impacts>& storms) {
  Case tried{.name = std::move(name), .tries = std::move(tries), .cells = cells};
  for (const Impacts& impacts : storms) tried.storms.push_back({"", impacts});
  return tried;
}

/// Storms of random impacts, `count` of them. Energies are positive, in thousands.
Case random_case(std::string name, std::string tries, std::int64_t cells, std::int64_t impacts,
                 int count, std::int32_t highest_energy = 1000) {
  Case tried = case_of(std::move(name), std::move(tries), cells, {});
  for (int i = 0; i < count; ++i) {
    tried.storms.push_back(generate_storm(cells, impacts, 1, highest_energy, seed, i));
  }
  return tried;
}

Case thresholds(Edition edition) {
  if (edition == Edition::second) {
    // Every share counts on a layer of this size; with a threshold of T instead of T / CELLS, some
    // do not.
    return random_case("thresholds",
                       "Small shares of far impacts count: the threshold is 0.001 / CELLS.", 20'000,
                       12, 2, 2);
  }
  // An impact of v reaches v * v cells.
  return random_case("thresholds",
                     "Shares below the threshold are not added: impacts end inside the layer.", 400,
                     40, 2, 12);
}

/// Threads meet in each of many short storms, and peaks rise from left to right, so that each
/// thread replaces the maximum until the end: what nothing protects goes wrong in some storm, and
/// among few cells that always shows.
Case many_storms() {
  constexpr int storms = 250, peaks = 16, peaks_that_rise = 8;
  Case tried = case_of("many_storms",
                       "250 short storms: arrays for the maxima must be long enough, and what "
                       "several threads change needs protection.",
                       4 * peaks, {});
  double energy = 50;
  for (int storm = 0; storm < storms; ++storm, energy *= 1.06) {  // above what earlier storms left
    Impacts impacts;
    for (int peak = 0; peak < peaks; ++peak) {
      const double rise = 1 + 0.4 * (peak % peaks_that_rise);
      const double times = peak == 7 * storm % peaks ? 2.5 : 1;
      impacts.push_back({4 * peak + 2, static_cast<std::int32_t>(energy * rise * times)});
    }
    tried.storms.push_back({"", std::move(impacts)});
  }
  tried.shows_races = true;
  return tried;
}

/// The peaks are far from each other, and the layer is its own mirror image around them: several
/// threads find them, and without protection the last one to write counts. Of two halves of the
/// layer, the second storm has both in the first one.
Case ties() {
  Case tried =
      case_of("ties", "Two peaks are equal: the one at the smaller position is the maximum.", 90,
              {{{9, 160}, {50, 160}}, {{19, 1280}, {40, 1280}}, {{4, 7681}, {55, 7681}}});
  tried.shows_races = true;
  return tried;
}

/// Cells 54 and 55 are the mirror image of each other, and the one of the peak at 10 is the end.
/// Each storm leaves them equal in the arithmetic of both editions: we looked for energies with
/// this property. Other arithmetic makes one of them the maximum, but not in each storm.
Case plateaus() {
  Case tried =
      case_of("plateaus",
              "Two neighbours are equal and above all others: neither exceeds the other.", 100, {});
  for (const std::int32_t energy :
       {240,  289,  351,  423,  507,  608,  730,  876,  1051, 1264,  1516,  1819,
        2182, 2618, 3143, 3772, 4527, 5432, 6518, 7821, 9385, 11262, 13514, 16216}) {
    const std::int32_t less = energy - energy / 4;
    tried.storms.push_back({"", {{54, energy}, {55, energy}, {10, less}, {99, less}}});
  }
  return tried;
}

/// Storm i has its peaks on both sides of the borders of i + 1 parts, and each storm is higher than
/// those before it. With pairs of impacts, only the relaxation makes them peaks.
Case borders(std::string name, std::string tries, std::int64_t cells, bool in_pairs = false) {
  Case tried = case_of(std::move(name), std::move(tries), cells, {});
  std::int32_t energy = 50;
  for (std::int64_t parts = 2; parts <= 8; ++parts, energy *= 4) {
    Impacts impacts;
    for (std::int64_t border = 1; border < parts; ++border) {
      const std::int64_t first = cells * border / parts;
      const std::int32_t more = energy + static_cast<std::int32_t>(border);
      const std::int64_t peak = border % 2 == 0 ? first : first - 1;
      impacts.push_back({in_pairs ? peak - 1 : peak, more});
      if (in_pairs) impacts.push_back({peak + 1, more});
      impacts.push_back({first + 3, energy / 2});
    }
    tried.storms.push_back({"", std::move(impacts)});
  }
  return tried;
}

/// 839 is a prime number, and one less than a multiple of all numbers up to 8: P parts of equal
/// size leave P - 1 cells over. The last storm has its peak there.
Case uneven_borders() {
  Case tried = borders(
      "uneven_borders",
      "The layer is a prime number of cells, which no number of parts shares out evenly.", 839);
  tried.storms.push_back({"", {{837, 3'000'000}}});
  return tried;
}

std::vector<Case> cases_of_the_assignment(Edition edition) {
  return {
      case_of("three_cells", "One cell has two neighbours: it is the peak.", 3,
              {{{1, 100}}, {{1, 50}, {0, 20}}, {{1, 2000}}}),
      case_of("ends", "The highest cells are the two ends, which are never the maximum.", 20,
              {{{0, 900}, {8, 300}}, {{19, 2000}, {11, 400}}}),
      ties(),
      plateaus(),
      thresholds(edition),
      case_of("storm_order",
              "Storms act in the order of the arguments, and the layer keeps its energy.", 80,
              {{{60, 90}, {61, 5}}, {{10, 700}}, {{35, 250}, {42, 300}}, {{70, 1}}}),
      many_storms(),
      borders(
          "even_borders",
          "The peaks lie where 2 to 8 parts of equal size meet: neighbours must exchange cells.",
          840),
      case_of("slopes",
              "A slope higher than all peaks leads to an end: where parts meet on it, a cell "
              "exceeds one of its neighbours.",
              840, {{{0, 100'000}, {800, 500}}, {{839, 900'000}, {40, 4000}}}),
      borders("paired_borders",
              "Where parts meet, a peak exceeds both its neighbours after they are relaxed.", 840,
              true),
      uneven_borders(),
      random_case("random_impacts", "Random impacts, as in the published waves.", 1000, 60, 4),
      random_case("many_impacts", "More than 20000 impacts in a storm: arrays must be long enough.",
                  100, 25000, 1),
      case_of("a_million_cells", "More than a million cells: arrays must be long enough.",
              1'200'000, {{{1'100'003, 1000}, {40, 800}}, {{1'199'990, 1500}}}),
      random_case("as_in_courses",
                  "For time: a layer and storms as in the published tests, some seconds of work.",
                  20'000, 6000, 4),
  };
}

/// In the first edition some impacts are so far outside the layer that even a threshold of T /
/// CELLS excludes their shares.
Case outside(Edition edition) {
  Case tried =
      case_of("outside",
              "Impacts before the first cell and behind the last one act on the cells inside.", 50,
              {{{-1, 800}, {25, 300}, {50, 700}},
               {{-1000, 9000}, {30, 200}, {100000, 50000}},
               {{-7, 600}, {61, 900}}});
  std::vector<Impact>& first = tried.storms.front().impacts;
  if (edition == Edition::first) first.insert(first.begin(), 600, {-500'000'000, 1});
  return tried;
}

std::vector<Case> cases_beyond(Edition edition) {
  std::vector<Case> cases{
      case_of("one_cell", "A layer of one cell is its own end: there is no peak.", 1,
              {{{0, 100}}, {{0, 7}, {3, 50}}}),
      case_of("two_cells", "Both cells are ends: there is no peak.", 2, {{{0, 100}}, {{1, 300}}}),
      case_of(
          "no_peak",
          "There is a plateau, then the layer rises from end to end: position and maximum are 0.",
          24, {{{13, 210}, {14, 210}}, {{23, 50000}}, {{0, 500000}}}),
      outside(edition),
      case_of("zero_and_negative",
              "Energies may be 0 and below it; a layer below 0 has no maximum.", 45,
              {{{20, 0}, {30, -500}},
               {{12, 700}, {15, -200}, {33, 650}},
               {{12, -900}, {40, 0}, {28, 120}},
               {{22, -50000}}}),
      case_of("no_impacts", "A storm without impacts relaxes the layer all the same.", 30,
              {{}, {{14, 300}, {3, 200}}, {}, {}}),
  };
  for (Case& tried : cases) tried.is_beyond = true;
  return cases;
}

}  // namespace

std::int64_t interactions(const Case& tried) {
  std::int64_t impacts = 0;
  for (const Storm& storm : tried.storms) {
    impacts += static_cast<std::int64_t>(storm.impacts.size());
  }
  return tried.cells * impacts;
}

std::vector<Case> quick_cases(Edition edition) {
  std::vector<Case> cases = cases_of_the_assignment(edition);
  for (Case& beyond : cases_beyond(edition)) cases.push_back(std::move(beyond));
  for (Case& tried : cases) tried.edition = edition;
  return cases;
}

std::vector<Case> large_cases(Edition edition) {
  const bool first = edition == Edition::first;
  const char* const dense = "For time: many impacts on a layer that fits into a cache.";
  std::vector<Case> cases{
      case_of("thirty_million_cells",
              "More than 30 million cells, 128 MB for the layer: a layer on the stack ends here.",
              32'000'000, {{{31'999'000, 900}, {12, 700}}}),
      random_case("long_layer", "For time: a million cells and few impacts.", 1'000'000,
                  first ? 400 : 500, 1),
      first ? random_case("dense_storms", dense, 20000, 15000, 2, 149)
            : random_case("dense_storms", dense, 30000, 20000, 2)};
  for (Case& tried : cases) tried.edition = edition;
  return cases;
}

}  // namespace bombard::judge
