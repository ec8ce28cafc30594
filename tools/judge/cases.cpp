#include "tools/judge/cases.hpp"

#include <array>
#include <utility>

#include "sim/generation.hpp"

namespace bombard::judge {

namespace {

constexpr std::uint64_t seed = 2018;

Storm storm_of(std::vector<Impact> impacts) {
  return {"", std::move(impacts)};
}

/// So many storms of random impacts. Energies are positive, in thousands.
std::vector<Storm> random_storms(std::int64_t cells, std::int64_t impacts, int count,
                                 std::int32_t highest_energy = 1000) {
  std::vector<Storm> storms;
  for (int i = 0; i < count; ++i) {
    storms.push_back(generate_storm(cells, impacts, 1, highest_energy, seed, i));
  }
  return storms;
}

// ---- layers without an inside ----

Case one_cell() {
  return {.name = "one_cell",
          .tries = "A layer of one cell is its own end: there is no peak.",
          .cells = 1,
          .storms = {storm_of({{0, 100}}), storm_of({{0, 7}, {3, 50}})}};
}

Case two_cells() {
  return {.name = "two_cells",
          .tries = "Both cells are ends: there is no peak.",
          .cells = 2,
          .storms = {storm_of({{0, 100}}), storm_of({{1, 300}})}};
}

Case three_cells() {
  return {.name = "three_cells",
          .tries = "One cell has two neighbours: it is the peak, or there is none.",
          .cells = 3,
          .storms = {storm_of({{1, 100}}), storm_of({{0, 500}}), storm_of({{1, 2000}})}};
}

// ---- the maximum ----

Case ends() {
  return {.name = "ends",
          .tries = "The highest cells are the two ends, which are never the maximum.",
          .cells = 20,
          .storms = {storm_of({{0, 900}, {8, 300}}), storm_of({{19, 2000}, {11, 400}})}};
}

Case rising() {
  return {
      .name = "rising",
      .tries = "The layer rises from end to end: the largest cell is no peak, and there is none.",
      .cells = 24,
      .storms = {storm_of({{23, 500}}), storm_of({{0, 5000}})}};
}

/// Far from each other on a layer that is its own mirror image.
Case ties() {
  return {.name = "ties",
          .tries = "Two peaks are equal: the one at the smaller position is the maximum.",
          .cells = 60,
          .storms = {storm_of({{9, 400}, {50, 400}}), storm_of({{20, 3000}, {39, 3000}}),
                     storm_of({{4, 20000}, {55, 20000}})}};
}

Case plateaus() {
  return {.name = "plateaus",
          .tries = "Two neighbours are equal and above all others: neither exceeds the other.",
          .cells = 40,
          .storms = {storm_of({{19, 500}, {20, 500}}), storm_of({{19, 100}, {20, 100}, {6, 300}}),
                     storm_of({{33, 400}})}};
}

// ---- shares ----

/// An impact of v reaches v * v cells. So far away that T / CELLS, too, leaves shares out are some
/// outside the layer.
Case thresholds_of_first_edition() {
  constexpr std::int64_t cells = 400;
  Case tried{.name = "thresholds",
             .tries = "Shares below the threshold are not added: impacts end inside the layer.",
             .cells = cells,
             .storms = random_storms(cells, 40, 2, 12)};
  tried.storms.back().impacts.insert(tried.storms.back().impacts.end(), 60, {-10'000'000, 1});
  return tried;
}

/// Every share counts on a layer of this size; where the threshold is T in place of T / CELLS, some
/// do not.
Case thresholds_of_second_edition() {
  constexpr std::int64_t cells = 20'000;
  return {.name = "thresholds",
          .tries = "Small shares of far impacts count: the threshold is 0.001 / CELLS.",
          .cells = cells,
          .storms = random_storms(cells, 12, 2, 2)};
}

Case thresholds(Edition edition) {
  return edition == Edition::first ? thresholds_of_first_edition() : thresholds_of_second_edition();
}

Case outside() {
  return {.name = "outside",
          .tries = "Impacts before the first cell and behind the last one act on the cells inside.",
          .cells = 50,
          .storms = {storm_of({{-1, 800}, {25, 300}, {50, 700}}),
                     storm_of({{-1000, 9000}, {30, 200}, {100000, 50000}}),
                     storm_of({{-7, 600}, {61, 900}})}};
}

Case zero_and_negative() {
  return {.name = "zero_and_negative",
          .tries = "Energies may be 0 and below it; a layer below 0 has no maximum.",
          .cells = 45,
          .storms = {storm_of({{20, 0}, {30, -500}}), storm_of({{12, 700}, {15, -200}, {33, 650}}),
                     storm_of({{12, -900}, {40, 0}, {28, 120}})}};
}

// ---- storms ----

Case no_impacts() {
  return {.name = "no_impacts",
          .tries = "A storm without impacts relaxes the layer all the same.",
          .cells = 30,
          .storms = {storm_of({}), storm_of({{14, 300}, {3, 200}}), storm_of({}), storm_of({})}};
}

Case storm_order() {
  return {.name = "storm_order",
          .tries = "Storms act in the order of the arguments, and the layer keeps its energy.",
          .cells = 80,
          .storms = {storm_of({{60, 90}, {61, 5}}), storm_of({{10, 700}}),
                     storm_of({{35, 250}, {42, 300}}), storm_of({{70, 40}})}};
}

Case many_storms() {
  return {.name = "many_storms",
          .tries = "Sixty storms: arrays for the maxima must be long enough.",
          .cells = 64,
          .storms = random_storms(64, 5, 60)};
}

// ---- parts of a layer ----

/// Storm i has its peaks on both sides of the borders of i + 1 parts, each storm higher than those
/// before it.
Case borders(std::string name, std::string tries, std::int64_t cells) {
  Case tried{.name = std::move(name), .tries = std::move(tries), .cells = cells};
  std::int32_t energy = 50;
  for (std::int64_t parts = 2; parts <= 8; ++parts, energy *= 4) {
    std::vector<Impact> impacts;
    for (std::int64_t border = 1; border < parts; ++border) {
      const std::int64_t first = cells * border / parts;
      const std::int32_t more = energy + static_cast<std::int32_t>(border);
      impacts.push_back({border % 2 == 0 ? first : first - 1, more});
      impacts.push_back({first + 3, energy / 2});
    }
    tried.storms.push_back(storm_of(std::move(impacts)));
  }
  return tried;
}

Case even_borders() {
  return borders(
      "even_borders",
      "The peaks lie where 2 to 8 parts of equal size meet: neighbours must exchange cells.", 840);
}

Case uneven_borders() {
  return borders(
      "uneven_borders",
      "The layer is a prime number of cells, which no number of parts shares out evenly.", 853);
}

// ---- sizes ----

Case random_impacts() {
  return {.name = "random_impacts",
          .tries = "Random impacts, as in the published waves.",
          .cells = 1000,
          .storms = random_storms(1000, 60, 4)};
}

Case many_impacts() {
  return {.name = "many_impacts",
          .tries = "More than 20000 impacts in a storm: arrays must be long enough.",
          .cells = 100,
          .storms = random_storms(100, 25000, 1)};
}

Case a_million_cells() {
  return {.name = "a_million_cells",
          .tries = "More than a million cells: arrays must be long enough.",
          .cells = 1'200'000,
          .storms = {storm_of({{1'100'003, 1000}, {40, 800}}), storm_of({{1'199'990, 1500}})}};
}

Case thirty_million_cells() {
  return {
      .name = "thirty_million_cells",
      .tries = "More than 30 million cells, 128 MB for the layer: a layer on the stack ends here.",
      .cells = 32'000'000,
      .storms = {storm_of({{31'999'000, 900}, {12, 700}})}};
}

Case long_layer(Edition edition) {
  const std::int64_t impacts = edition == Edition::first ? 400 : 500;
  return {.name = "long_layer",
          .tries = "For time: a million cells and few impacts.",
          .cells = 1'000'000,
          .storms = random_storms(1'000'000, impacts, 1)};
}

Case dense_storms(Edition edition) {
  const bool first = edition == Edition::first;
  return {.name = "dense_storms",
          .tries = "For time: many impacts on a layer that fits into a cache.",
          .cells = first ? 20000 : 30000,
          .storms = first ? random_storms(20000, 15000, 2, 149) : random_storms(30000, 20000, 2)};
}

std::vector<Case> of_edition(std::vector<Case> cases, Edition edition) {
  for (Case& tried : cases) tried.edition = edition;
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
  return of_edition({one_cell(), two_cells(), three_cells(), ends(), rising(), ties(), plateaus(),
                     thresholds(edition), outside(), zero_and_negative(), no_impacts(),
                     storm_order(), many_storms(), even_borders(), uneven_borders(),
                     random_impacts(), many_impacts(), a_million_cells()},
                    edition);
}

std::vector<Case> large_cases(Edition edition) {
  return of_edition({thirty_million_cells(), long_layer(edition), dense_storms(edition)}, edition);
}

}  // namespace bombard::judge
