// The engines that store no layer, against the oracle and, on layers beyond it, against the direct
// engine and long double. BOMBARD_CASES says how many random cases there are (CONTRIBUTING.md).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "bombard/errors.hpp"
#include "sim/engines/sparse/sparse_engine.hpp"
#include "sim/generation.hpp"
#include "tests/random_storms.hpp"
#include "tests/sim/engines/against_oracle.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace {

using bombard::Evidence;
using bombard::Impact;
using bombard::Maximum;
using bombard::Storm;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : bits_(seed) {}

  /// Layers so large that the neighbourhoods of their impacts do not cover them. Every share
  /// counts.
  Bombardment bombardment() { return bombardment(8); }

  /// Shares that end at any distance, in both editions.
  Bombardment with_reaches() {
    Bombardment made = bombardment(24);
    made.rule.edition = 1 + static_cast<int>(below(2));
    std::int32_t energy = 100;
    for (const Storm& storm : made.storms) {
      if (!storm.impacts.empty() && below(2) == 0) energy = storm.impacts.front().energy;
    }
    const double reach = 1 + std::exp2(static_cast<double>(below(1800)) / 100);
    const double scaled = energy * (made.rule.edition == 1 ? 1e-3 : 1e3);
    made.rule.threshold = static_cast<float>(scaled / std::pow(reach, made.rule.quarters / 4.0) *
                                             (1 + 1e-7 * static_cast<double>(below(3))));
    return made;
  }

  std::int64_t below(std::int64_t bound) { return ::below(bits_, bound); }

 private:
  /// At most one cell in `cells_of_neighbourhood_cell` is in a neighbourhood.
  Bombardment bombardment(std::int64_t cells_of_neighbourhood_cell) {
    static constexpr std::array<std::int64_t, 12> sizes{300,  513,  1000,  1025,  2047,  4099,
                                                        8192, 9973, 16411, 30011, 65537, 100'003};
    static constexpr std::array quarters{2, 2, 2, 1, 3, 4, 6, 8, 12};
    Bombardment made{sizes[below(sizes.size())], {}};
    made.rule.quarters = quarters[below(quarters.size())];
    made.rule.threshold = 0;
    const std::int64_t storms = below(10) == 0 ? 40 : 1 + below(7);
    const std::int64_t most = std::max<std::int64_t>(
        1, made.cells / (cells_of_neighbourhood_cell * storms * (storms + 4)));
    kind_ = below(8);
    center_ = below(made.cells);
    for (std::int64_t i = 0; i < storms; ++i) {
      made.storms.push_back(storm(made.cells, std::min<std::int64_t>(most, 120)));
    }
    return made;
  }

  Storm storm(std::int64_t cells, std::int64_t most) {
    Storm storm{"generated", {}};
    const std::int64_t impacts = below(12) == 0 ? 0 : 1 + below(most);
    for (std::int64_t i = 0; i < impacts; ++i) {
      if (i > 0 && below(6) == 0) {
        // Mirrored, or once more: equal maxima and plateaus.
        const Impact& earlier = storm.impacts[below(i)];
        const bool mirror = below(2) == 0;
        storm.impacts.push_back(
            {mirror ? cells - 1 - earlier.position : earlier.position, earlier.energy});
      } else {
        storm.impacts.push_back({position(cells), energy()});
      }
    }
    return storm;
  }

  std::int64_t position(std::int64_t cells) {
    switch (kind_) {
      case 0:  // a cluster
        return center_ + below(40) - 20;
      case 1:  // on the ends and beside them
        return below(2) == 0 ? below(6) - 2 : cells - 1 - below(6);
      case 2:  // one cell
        return center_;
      case 3:  // also outside, some as far as can be
        if (below(8) == 0) {
          return (below(2) == 0 ? 1 : -1) * (std::int64_t{1} << below(62));
        }
        return below(3 * cells) - cells;
      case 4:  // neighbours
        return center_ + below(3);
      case 5:  // where chunks begin
        return below(cells) / 128 * 128 + below(3) - 1;
      default:
        return below(cells);
    }
  }

  std::int32_t energy() {
    if (kind_ == 7) return 100;  // many equal ones
    const std::int64_t few = below(4);
    if (few == 0) return 1;
    return static_cast<std::int32_t>(1 + below(few == 1 ? 1'000'000'000 : 1000));
  }

  std::mt19937_64 bits_;
  std::int64_t kind_ = 0, center_ = 0;
};

bombard::EngineOptions options_for(const Bombardment& bombardment) {
  return {.part = bombard::whole_layer(bombardment.cells),
          .storms = static_cast<std::int64_t>(bombardment.storms.size()),
          .rule = rule_of(bombardment)};
}

class Sparse : public EngineTest {
 protected:
  static std::unique_ptr<bombard::Engine> engine_for(std::int64_t cells, std::int64_t storms,
                                                     float threshold = 0.001F) {
    return GetParam().make(
        {.part = bombard::whole_layer(cells), .storms = storms, .rule = {.threshold = threshold}});
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Sparse, testing::ValuesIn(sparse_engines_under_test()),
                         engine_name);

/// With the widest instructions there are: what long tests look at has no vectors.
class SparseOnce : public Sparse {};
INSTANTIATE_TEST_SUITE_P(Engines, SparseOnce, testing::Values(sparse_engines_under_test().front()),
                         engine_name);

void expect_generated_cases_to_follow_the_rule(const EngineUnderTest& tested,
                                               Bombardment (Generator::*generate)()) {
  std::int64_t storms = 0, sparse = 0;
  for (std::uint64_t seed = 1; seed <= cases(120); ++seed) {
    Generator generator(seed);
    const Bombardment bombardment = (generator.*generate)();
    SCOPED_TRACE(testing::Message()
                 << "seed " << seed << ", edition " << bombardment.rule.edition << ", power "
                 << bombardment.rule.quarters << "/4, T " << bombardment.rule.threshold << ", "
                 << bombardment.cells << " cells");
    const oracle::Result rule = by_the_rule(bombardment);
    bombard::EngineOptions options = options_for(bombardment);
    options.threads = static_cast<int>(1 + generator.below(3));
    const auto engine = tested.make(options);
    ASSERT_EQ(written(rule.peaks), written(engine->apply(bombardment.storms)));
    for (const Evidence& evidence : engine->evidence()) {
      ++storms;
      sparse += std::string_view(evidence.why_dense).empty();
    }
    if (seed % 8 == 0) {
      expect_rule_in_parts(tested, bombardment, rule, 2 + generator.below(3));
    }
    if (testing::Test::HasFailure()) return;
  }
  // The cases are about this engine and not about the one that it leaves the others to.
  EXPECT_GT(sparse, storms * 3 / 4);
}

TEST_P(Sparse, GeneratedCasesFollowTheRule) {
  expect_generated_cases_to_follow_the_rule(GetParam(), &Generator::bombardment);
}

TEST_P(Sparse, GeneratedCasesWithReachesFollowTheRule) {
  expect_generated_cases_to_follow_the_rule(GetParam(), &Generator::with_reaches);
}

Bombardment with_reaches_or_without(Generator& generator, std::uint64_t seed) {
  return seed % 2 == 0 ? generator.with_reaches() : generator.bombardment();
}

/// Cells of a layer and ranges of them, in any order, some twice.
std::vector<bombard::CellRange> some_cells(Generator& generator, std::int64_t cells) {
  std::vector<bombard::CellRange> list;
  for (std::int64_t i = generator.below(5); i >= 0; --i) {
    const std::int64_t begin =
        list.empty() || generator.below(2) == 0 ? generator.below(cells) : list.front().begin;
    list.push_back({begin, std::min(begin + 1 + generator.below(30), cells)});
  }
  return list;
}

/// The `count` highest peaks of a layer, sorted.
std::vector<bombard::CellValue> sorted_peaks(const std::vector<float>& layer, std::size_t count) {
  std::vector<bombard::CellValue> peaks;
  for (std::size_t k = 1; k + 1 < layer.size(); ++k) {
    if (layer[k] > 0 && layer[k] > layer[k - 1] && layer[k] > layer[k + 1]) {
      peaks.push_back({static_cast<std::int64_t>(k), layer[k]});
    }
  }
  std::ranges::stable_sort(peaks, [](const auto& a, const auto& b) { return a.value > b.value; });
  peaks.resize(std::min(count, peaks.size()));
  return peaks;
}

void expect_cells_and_peaks(bombard::Engine& engine, const std::vector<float>& layer,
                            Generator& generator) {
  const auto list = some_cells(generator, static_cast<std::int64_t>(layer.size()));
  std::vector<bombard::CellValue> expected;
  for (const bombard::CellRange& range : list) {
    for (std::int64_t k = range.begin; k < range.end; ++k) {
      expected.push_back({k, layer[static_cast<std::size_t>(k)]});
    }
  }
  const std::int64_t count = generator.below(generator.below(4) == 0 ? 9 : 3);
  const bool peaks_first = generator.below(2) == 0;
  if (peaks_first) {
    ASSERT_EQ(engine.highest_peaks(count), sorted_peaks(layer, static_cast<std::size_t>(count)));
  }
  ASSERT_EQ(engine.values_at(list), expected);
  if (!peaks_first) {
    ASSERT_EQ(engine.highest_peaks(count), sorted_peaks(layer, static_cast<std::size_t>(count)));
  }
}

TEST_P(SparseOnce, CellsAndPeaksAreTheRules) {
  std::int64_t storms = 0, sparse = 0;
  for (std::uint64_t seed = 1; seed <= cases(120) / 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator generator(seed);
    const Bombardment bombardment = with_reaches_or_without(generator, seed);
    const auto engine = GetParam().make(options_for(bombardment));
    std::vector<float> layer(static_cast<std::size_t>(bombardment.cells));
    expect_cells_and_peaks(*engine, layer, generator);
    for (const Storm& storm : bombardment.storms) {
      const oracle::Result rule =
          by_the_rule({bombardment.cells, {storm}, bombardment.rule}, layer);
      layer = rule.layer;
      ASSERT_EQ(written(rule.peaks), written(engine->apply({&storm, 1})));
      expect_cells_and_peaks(*engine, layer, generator);
      ASSERT_FALSE(HasFailure());
    }
    for (const Evidence& evidence : engine->evidence()) {
      ++storms;
      sparse += std::string_view(evidence.why_dense).empty();
    }
  }
  EXPECT_GT(sparse, storms / 2);
}

// Between two impacts, roundings may make a peak of any cell; with all impacts on one side, of
// none.
TEST_P(Sparse, PeaksOfALayerThatNoMemoryHolds) {
  constexpr std::int64_t cells = std::int64_t{1} << 50;
  const auto engine = engine_for(cells, 1);
  const std::vector<Storm> storms{{"two", {{1000, 200}, {1010, 100}}}};
  const Maximum maximum = engine->apply(storms).front();
  const std::vector<bombard::CellValue> peaks = engine->highest_peaks(9);
  ASSERT_EQ(peaks.size(), 2U);
  EXPECT_EQ(peaks[0], (bombard::CellValue{maximum.position, maximum.value}));
  EXPECT_EQ(peaks[1], engine->values_at(std::vector<bombard::CellRange>{{1010, 1011}})[0]);
  EXPECT_EQ(engine->values_at(std::vector<bombard::CellRange>{{cells - 1, cells}}).size(), 1U);
  engine->reset();
  engine->apply(std::vector<Storm>{{"far apart", {{1000, 200}, {cells / 2, 100}}}});
  EXPECT_EQ(engine->highest_peaks(2).size(), 2U);
  EXPECT_THROW(engine->highest_peaks(3), bombard::CannotRun);
}

// The impact far away makes one of the two cells the higher one, by 2e-14 of its value: roundings
// level that.
// Most of the impacts are candidates, which are told from the maximum by bounds; the highest peaks
// are not.
TEST_P(SparseOnce, TheMaximumOfManyEqualImpacts) {
  constexpr std::int64_t cells = std::int64_t{1} << 56, impacts = 2000, apart = cells / impacts;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    std::mt19937_64 bits(seed);
    Storm storm;
    for (std::int64_t i = 0; i < impacts; ++i) {
      const auto beside = static_cast<std::int64_t>(bits() % (apart / 2));
      storm.impacts.push_back({i * apart + beside, 100});
    }
    std::ranges::shuffle(storm.impacts, bits);
    const auto engine = engine_for(cells, 1, 0);
    const Maximum found = engine->apply(std::vector<Storm>{storm}).front();
    const auto peaks = engine->highest_peaks(1);
    ASSERT_EQ(peaks.size(), 1U);
    EXPECT_EQ(peaks.front(), (bombard::CellValue{found.position, found.value}));
    EXPECT_GT(engine->evidence().front().candidates, impacts / 2);
  }
}

TEST_P(Sparse, PeaksThatRoundingsLevelAreNone) {
  constexpr std::int64_t cells = 1'000'000;
  const auto engine = engine_for(cells, 1);
  const Maximum maximum = engine->apply(std::vector<Storm>{
      {"side by side", {{500'000, 1'000'000}, {500'001, 1'000'000}, {900'000, 10}}}})[0];
  EXPECT_EQ(maximum.position, 900'000);
  EXPECT_EQ(engine->highest_peaks(1),
            (std::vector<bombard::CellValue>{{maximum.position, maximum.value}}));
}

// Two impacts side by side and of one energy leave two equal cells, and one outside leaves a slope.
TEST_P(Sparse, WithoutAPeakNoLayerIsStored) {
  constexpr std::int64_t cells = std::int64_t{1} << 50;
  for (const Storm& storm : {Storm{"side by side", {{cells / 2, 100}, {cells / 2 + 1, 100}}},
                             Storm{"outside", {{-5, 100}}},
                             Storm{"on the last cell", {{cells - 1, 70}, {cells + 3, 90}}}}) {
    const auto engine = engine_for(cells, 1);
    EXPECT_EQ(engine->apply({&storm, 1}).front(), Maximum{}) << storm.name;
    EXPECT_STREQ(engine->evidence().front().why_dense, "");
  }
}

TEST_P(SparseOnce, HugeLayersAreThoseOfTheDirectEngine) {
  std::mt19937_64 random(3);
  constexpr std::int64_t cells = 5'000'011;
  Bombardment made{cells, {}};
  for (int storm = 0; storm < 3; ++storm) {
    Storm& of = made.storms.emplace_back(Storm{"generated", {}});
    for (int i = 0; i < 60; ++i) {
      of.impacts.push_back({static_cast<std::int64_t>(random() % cells), 100});
    }
  }
  const auto direct =
      bombard::find_engine("cpu_direct")
          ->make({.part = bombard::whole_layer(cells), .storms = 3, .keep_layer = false});
  const auto engine = engine_for(cells, 3);
  EXPECT_EQ(written(engine->apply(made.storms)), written(direct->apply(made.storms)));
  for (const Evidence& evidence : engine->evidence()) {
    EXPECT_STREQ(evidence.why_dense, "");
    EXPECT_GT(evidence.cells_seen, 0);
    EXPECT_LT(evidence.cells_seen, 100'000);
  }
}

// e = 1000 v / L; the shares of one impact are e, e / sqrt(2) twice, and their mean is the peak.
TEST_P(Sparse, ALayerThatNoMemoryHolds) {
  constexpr std::int64_t cells = std::int64_t{1} << 50;
  const auto engine = engine_for(cells, 1);
  const std::vector<Storm> storms{{"one", {{cells / 2, 1 << 20}, {3, 50}}}};
  const std::vector<Maximum> maxima = engine->apply(storms);
  EXPECT_EQ(maxima.front().position, cells / 2);
  EXPECT_FLOAT_EQ(static_cast<float>(maxima.front().value),
                  1000.0F * 0x1p-30F * (1 + std::sqrt(2.0F)) / 3);
}

TEST_P(Sparse, WhereNothingFallsThereIsNoMaximum) {
  constexpr std::int64_t cells = std::int64_t{1} << 50;
  const auto engine = engine_for(cells, 2);
  const std::vector<Storm> storms{{"none", {}}, {"without energy", {{7, 0}}}};
  EXPECT_EQ(engine->apply(storms), (std::vector<Maximum>{{}, {}}));
}

TEST_P(Sparse, SaysWhyTheLayerIsStored) {
  const auto why = [](std::int64_t cells, const std::vector<Storm>& storms, float threshold) {
    const auto engine = engine_for(cells, static_cast<std::int64_t>(storms.size()), threshold);
    engine->apply(storms);
    return std::string(engine->evidence().back().why_dense);
  };
  const Storm one{"one", {{500, 10}}};
  EXPECT_EQ(why(100'000, {one, one}, 0.001F), "");
  EXPECT_EQ(why(100'000, {one, {"negative", {{500, -1}}}}, 0.001F), "an energy is negative");
  EXPECT_EQ(why(100'000, {one}, 1000), "");
  EXPECT_EQ(why(20, {{"one", {{5, 10}}}}, 0.001F), "the neighbourhoods of impacts cover the layer");
}

std::vector<Storm> with_empty_ones(std::vector<Storm> storms, std::size_t count) {
  storms.resize(storms.size() + count, Storm{"empty", {}});
  return storms;
}

// ---- Where another way is the quicker one: what is done is counted, not timed ----

// Impacts far outside on both sides leave a flat layer. A walk through every cell of it would take
// thousands of shares for each cell.
TEST_P(SparseOnce, FlatLayersAreNotWalkedThroughInEveryStorm) {
  std::vector<Storm> one_by_one, at_once{{"ten", {}}};
  for (int i = 0; i < 12; ++i) {
    const std::int64_t beside = i % 2 == 0 ? -1'000'000 : 1'050'000;
    one_by_one.push_back({"outside", {{beside, 100}}});
    at_once.front().impacts.push_back({beside + i, 100 + i});
  }
  for (const auto& storms : {with_empty_ones(one_by_one, 49), with_empty_ones(at_once, 60)}) {
    Bombardment made{20'000, storms};
    made.rule = {.threshold = 0, .quarters = 9};
    const auto engine = GetParam().make(options_for(made));
    const auto direct = bombard::find_engine("cpu_direct")->make(options_for(made));
    EXPECT_EQ(written(engine->apply(made.storms)), written(direct->apply(made.storms)));
    std::int64_t looked_at = 0;
    for (const Evidence& evidence : engine->evidence()) looked_at += evidence.cells_seen;
    EXPECT_LT(looked_at, 200'000) << "61 storms have 1.2e6 cells";
    EXPECT_STRNE(engine->evidence().back().why_dense, "");
  }
}

// A quarter of the shares count in a cell, hundreds of thousands are near the ends of reaches, and
// those that do not count are a hundredth of the highest: no reason to add the others one by one.
TEST_P(SparseOnce, LongReachesThatEndAreScreenedByStates) {
  std::mt19937_64 random(4);
  constexpr std::int64_t cells = 4'000'000'000;
  std::vector<Storm> storms{{"many", {}}};
  for (int i = 0; i < 2000; ++i) {
    storms.front().impacts.push_back({static_cast<std::int64_t>(random() % cells),
                                      static_cast<std::int32_t>(50 + random() % 101)});
  }
  for (int i = 0; i < 2; ++i) {
    storms.push_back({"few", {storms.front().impacts[i], storms.front().impacts[9 + i]}});
  }
  const auto engine =
      GetParam().make({.part = bombard::whole_layer(cells),
                       .storms = 3,
                       .rule = {.edition = bombard::Edition::first,
                                .attenuation = {bombard::Attenuation::Kind::power, 0.75},
                                .threshold = 1e-7F}});
  const std::vector<Maximum> maxima = engine->apply(storms);
  // The shares one by one, in the order of the file, in the cell of the peak and its two
  // neighbours.
  const Maximum& first = maxima.front();
  std::array<float, 3> cell{};
  for (const Impact& impact : storms.front().impacts) {
    for (std::int64_t k = 0; k < 3; ++k) {
      const auto n = static_cast<float>(std::abs(impact.position - (first.position - 1 + k)) + 1);
      const float root = std::sqrt(n);
      const float share = static_cast<float>(impact.energy) / 1000 / (root * std::sqrt(root));
      if (share >= 1e-7F) cell[k] += share;
    }
  }
  EXPECT_EQ(static_cast<float>(first.value), (cell[0] + cell[1] + cell[2]) / 3);
  for (const Evidence& evidence : engine->evidence()) {
    EXPECT_STREQ(evidence.why_dense, "");
    EXPECT_LT(evidence.cells_seen, 20'000);
  }
}

TEST_P(SparseOnce, ManyImpactsOnOneCellAreOneSource) {
  constexpr std::int64_t cells = 200'000'000;
  std::vector<Storm> storms(4, Storm{"one cell", std::vector<Impact>(20'000, {cells / 2, 100})});
  const auto engine = engine_for(cells, 4);
  engine->apply(storms);
  EXPECT_STREQ(engine->evidence().back().why_dense, "");
  EXPECT_LT(engine->evidence().back().cells_seen, 100);
  // On a layer that is passed over more quickly than 20000 sources are four times.
  const auto small =
      GetParam().make({.part = bombard::whole_layer(1'000'000), .storms = 4, .keep_layer = false});
  storms.assign(4, bombard::generate_storm(1'000'000, 20'000, 50, 150, 1, 0));
  small->apply(storms);
  EXPECT_STREQ(small->evidence().back().why_dense, "a stored layer takes less time");
}

// Each storm adds two cells to each candidate: more memory than is taken without a question.
TEST_P(SparseOnce, HundredsOfStormsOnALayerThatNoMemoryHolds) {
  std::mt19937_64 random(8);
  constexpr std::int64_t cells = 1'000'000'000'000'000;
  std::vector<Storm> storms;
  for (int i = 0; i < 600; ++i) {
    storms.push_back({"one",
                      {{static_cast<std::int64_t>(random() % cells),
                        static_cast<std::int32_t>(100 + random() % 2)}}});
  }
  const auto engine = engine_for(cells, 600);
  EXPECT_EQ(engine->apply(storms).size(), 600U);
  EXPECT_STREQ(engine->evidence().back().why_dense, "");
}

// The storms before the one that cannot be sparse are computed once more, and none is lost.
TEST_P(Sparse, GoesOnDensely) {
  Bombardment made{5000, {{"a", {{100, 9}, {4000, 8}}}, {"b", {{4000, -3}}}, {"c", {{7, 900}}}}};
  const oracle::Result rule = by_the_rule(made);
  const auto engine = engine_for(5000, 3);
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_EQ(written(rule.peaks), written(engine->apply(made.storms)));
    EXPECT_EQ(engine->evidence().size(), 3U);
    engine->reset();
  }
}

TEST_P(Sparse, SaysWhyItCannotGoOn) {
  const auto engine = engine_for(std::int64_t{1} << 55, 1);
  const std::vector<Storm> storms{{"negative", {{500, -1}}}};
  try {
    engine->apply(storms);
    FAIL() << "there is no such memory";
  } catch (const bombard::CannotRun& error) {
    EXPECT_NE(std::string(error.what()).find("stored because an energy is negative"),
              std::string::npos)
        << error.what();
  }
}

// ---- in double precision ----

// A part of the value, as docs/methods.md states for layers of this size.
constexpr double tolerance = 1e-11;

std::unique_ptr<bombard::Engine> engine_in_double(const char* name,
                                                  const bombard::EngineOptions& options) {
  return bombard::find_engine(name)->make(options);
}

/// The error that the dense engine's sources may leave where they end.
double left_beyond_reaches(const Bombardment& bombardment) {
  double impacts = 0;
  for (const Storm& storm : bombardment.storms)
    impacts += static_cast<double>(storm.impacts.size());
  return 1e-12 * impacts * rule_of(bombardment).smallest_share_in_double(bombardment.cells);
}

/// Random storms, and both engines for them.
struct DenseAndSparse {
  DenseAndSparse(Generator& generator, std::uint64_t seed)
      : bombardment(with_reaches_or_without(generator, seed)) {}

  const Bombardment bombardment;
  const double left = left_beyond_reaches(bombardment);
  const std::unique_ptr<bombard::Engine> dense =
      engine_in_double("cpu_double", options_for(bombardment));
  const std::unique_ptr<bombard::Engine> engine =
      engine_in_double("cpu_sparse_double", options_for(bombardment));
};

TEST(SparseInDouble, MaximaAreThoseOfTheDenseEngine) {
  std::int64_t storms = 0, sparse = 0;
  for (std::uint64_t seed = 1; seed <= 2 * cases(120); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator generator(seed);
    const auto& [bombardment, left, dense, engine] = DenseAndSparse(generator, seed);
    const std::vector<Maximum> maxima = engine->apply(bombardment.storms);
    for (std::size_t i = 0; i < maxima.size(); ++i) {
      const Maximum expected = dense->apply({&bombardment.storms[i], 1}).front();
      const double off = tolerance * expected.value + left;
      ASSERT_NEAR(maxima[i].value, expected.value, off) << "storm " << i + 1;
      if (maxima[i].position == expected.position) continue;
      // When two peaks are that near to each other, either may come out.
      const double here = layer_in_double_of(*dense)[static_cast<std::size_t>(maxima[i].position)];
      ASSERT_NEAR(here, expected.value, off) << "storm " << i + 1;
    }
    for (const Evidence& evidence : engine->evidence()) {
      ++storms;
      sparse += std::string_view(evidence.why_dense).empty();
    }
  }
  EXPECT_GT(sparse, storms * 3 / 4);
}

/// After one storm, e = 1000 v / L. Shares end where they fall below the threshold, T / L; none of
/// those that are tried is so near to it that the rule's roundings matter.
long double true_sum(const Storm& storm, std::int64_t cells, std::int64_t cell,
                     long double power = 0.5L) {
  long double sum = 0;
  for (const Impact& impact : storm.impacts) {
    for (std::int64_t k = cell - 1; k <= cell + 1; ++k) {
      const long double n = std::fabs(static_cast<long double>(impact.position) - k) + 1;
      const long double share =
          impact.energy * 1000.0L / cells / (power == 0.5L ? std::sqrt(n) : std::pow(n, power));
      if (share >= 0.001L / cells) sum += share / 3;
    }
  }
  return sum;
}

TEST(SparseInDouble, CellsAndPeaksAreThoseOfTheDenseEngine) {
  for (std::uint64_t seed = 1; seed <= cases(120) / 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator generator(seed);
    const auto& [bombardment, left, dense, engine] = DenseAndSparse(generator, seed);
    dense->apply(bombardment.storms);
    const Maximum maximum = engine->apply(bombardment.storms).back();
    const std::vector<double> layer = layer_in_double_of(*dense);
    for (const auto& [cell, value] : engine->values_at(some_cells(generator, bombardment.cells))) {
      const double expected = layer[static_cast<std::size_t>(cell)];
      ASSERT_NEAR(value, expected, tolerance * expected + left) << "cell " << cell;
    }
    const std::vector<bombard::CellValue> peaks = engine->highest_peaks(7);
    ASSERT_EQ(peaks.empty(), maximum == Maximum{});
    if (!peaks.empty()) {
      ASSERT_EQ(peaks[0], (bombard::CellValue{maximum.position, maximum.value}));
    }
    for (std::size_t i = 0; i < peaks.size(); ++i) {
      ASSERT_NEAR(peaks[i].value, layer[static_cast<std::size_t>(peaks[i].position)],
                  tolerance * peaks[i].value + left);
      ASSERT_GE(peaks[0].value, peaks[i].value);
    }
  }
}

TEST(SparseInDouble, TheMaximumOfALayerThatNoMemoryHolds) {
  constexpr std::int64_t cells = 1'000'000'000'000'000;
  std::mt19937_64 random(4);
  Storm storm{"generated", {}};
  for (int i = 0; i < 20'000; ++i) {
    storm.impacts.push_back({static_cast<std::int64_t>(random() % cells),
                             static_cast<std::int32_t>(50 + random() % 100)});
  }
  const auto engine =
      engine_in_double("cpu_sparse_double", {.part = bombard::whole_layer(cells), .storms = 1});
  const Maximum maximum = engine->apply({&storm, 1}).front();
  const auto expected = static_cast<double>(true_sum(storm, cells, maximum.position));
  EXPECT_NEAR(maximum.value, expected, 1e-12 * expected);
  for (std::size_t i = 0; i < storm.impacts.size(); i += 100) {
    EXPECT_LE(true_sum(storm, cells, storm.impacts[i].position), expected * (1 + tolerance));
  }
}

// Some of 500 impacts count in a cell, or only its own; the others would matter in the seventh
// digit.
TEST(SparseInDouble, TheMaximumWhereSharesEnd) {
  constexpr std::int64_t cells = 1'000'000'000'000;
  std::mt19937_64 random(5);
  Storm storm{"generated", {}};
  for (int i = 0; i < 500; ++i) {
    storm.impacts.push_back({static_cast<std::int64_t>(random() % cells), 100});
  }
  for (const double power : {0.75, 1.0, 2.0}) {
    const auto engine =
        engine_in_double("cpu_sparse_double", {.part = bombard::whole_layer(cells),
                                               .storms = 1,
                                               .rule = {.attenuation = {.parameter = power}}});
    const Maximum maximum = engine->apply({&storm, 1}).front();
    Maximum expected;
    for (const Impact& impact : storm.impacts) {
      const auto here = static_cast<double>(true_sum(storm, cells, impact.position, power));
      expected = bombard::larger(expected, {impact.position, here});
    }
    EXPECT_NEAR(maximum.value, expected.value, 1e-12 * expected.value) << power;
    EXPECT_NEAR(static_cast<double>(true_sum(storm, cells, maximum.position, power)),
                expected.value, 1e-12 * expected.value);
  }
}

}  // namespace
