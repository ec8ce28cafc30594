// Fast engines: the rule's maxima to the last bit, from cases chosen to be hard for them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <tuple>

#include "sim/engines/engines.hpp"
#include "tests/gpu.hpp"
#include "tests/random_storms.hpp"
#include "tests/sim/engines/against_oracle.hpp"
#include "tests/sim/engines/layer_of.hpp"

namespace {

using bombard::CellRange;
using bombard::Evidence;
using bombard::Impact;
using bombard::Maximum;
using bombard::Storm;

struct Outcome {
  std::vector<Maximum> maxima;
  std::vector<Evidence> evidence;
  std::vector<float> layer;
};

Outcome run(const EngineUnderTest& fast, const Bombardment& bombardment, const CellRange& own) {
  const auto engine = fast.make({.part = bombard::part_of_layer(own, bombardment.cells),
                                 .storms = static_cast<std::int64_t>(bombardment.storms.size()),
                                 .rule = rule_of(bombardment)});
  Outcome outcome;
  // Storm by storm and all at once are the same.
  const std::span<const Storm> storms = bombardment.storms;
  const std::size_t half = storms.size() / 2;
  outcome.maxima = engine->apply(storms.first(half));
  const auto rest = engine->apply(storms.subspan(half));
  outcome.maxima.insert(outcome.maxima.end(), rest.begin(), rest.end());
  outcome.evidence = engine->evidence();
  outcome.layer = layer_of(*engine);
  return outcome;
}

/// Storms of all runs so far, and those that had to be computed directly.
struct Tally {
  std::int64_t storms = 0, direct = 0, candidates = 0;
};

void expect_the_rules_maxima(const EngineUnderTest& fast, const Bombardment& bombardment,
                             Tally& tally) {
  const oracle::Result rule = by_the_rule(bombardment);
  const Outcome outcome = run(fast, bombardment, {0, bombardment.cells});
  ASSERT_EQ(written(rule.peaks), written(outcome.maxima));
  ASSERT_EQ(outcome.evidence.size(), bombardment.storms.size());
  for (const Evidence& evidence : outcome.evidence) {
    ++tally.storms;
    tally.direct += evidence.direct;
    tally.candidates += evidence.candidates;
  }
}

std::int64_t some_size(Random& random) {
  constexpr std::array<std::int64_t, 16> sizes{1,   2,   3,   4,   31,  63,   64,   65,
                                               127, 191, 193, 500, 997, 2048, 4099, 9001};
  return sizes[static_cast<std::size_t>(below(random, sizes.size()))];
}

Impact anywhere(Random& random, std::int64_t cells) {
  return {below(random, cells), static_cast<std::int32_t>(1 + below(random, 1'000'000))};
}

using MakeStorm = std::function<Storm(Random&, std::int64_t cells)>;

struct HardCase {
  std::string name;
  int runs;
  MakeStorm storm;
  double most_direct;  ///< the share of storms that may go direct
};
void PrintTo(const HardCase& hard, std::ostream* out) {
  *out << hard.name;
}

Storm random_storm(Random& random, std::int64_t cells, std::int64_t impacts) {
  return {"random", random_impacts(random, impacts, 0, cells)};
}

std::vector<HardCase> hard_cases() {
  return {
      {"Sparse", 400,
       [](Random& random, std::int64_t cells) {
         return random_storm(random, cells, 1 + below(random, 20));
       },
       0.2},
      {"Dense", 60,
       [](Random& random, std::int64_t cells) {
         return random_storm(random, cells, std::min<std::int64_t>(3 * cells, 1500));
       },
       0.6},
      {"OneImpact", 400,
       [](Random& random, std::int64_t cells) { return random_storm(random, cells, 1); }, 0.3},
      // Equal energies mirrored about the middle: maxima tie, exactly or in all but the last bits.
      {"Mirrored", 400,
       [](Random& random, std::int64_t cells) {
         Storm storm{"mirrored", {}};
         const std::int64_t pairs = 1 + below(random, 4);
         for (std::int64_t i = 0; i < pairs; ++i) {
           const Impact impact = anywhere(random, cells);
           storm.impacts.push_back(impact);
           storm.impacts.push_back({cells - 1 - impact.position, impact.energy});
         }
         return storm;
       },
       0.3},
      // Equal energies at equal distances: many maxima within a few units in the last place.
      {"Comb", 300,
       [](Random& random, std::int64_t cells) {
         Storm storm{"comb", {}};
         const std::int64_t tooth = 1 + below(random, 60);
         const auto energy = static_cast<std::int32_t>(1 + below(random, 1000));
         for (std::int64_t p = below(random, tooth); p < cells && p < 60 * tooth; p += tooth) {
           storm.impacts.push_back({p, energy});
         }
         return storm;
       },
       0.7},
      // Neighbours of equal energy: a plateau where no cell is a strict maximum, or nearly one.
      {"Plateau", 300,
       [](Random& random, std::int64_t cells) {
         Storm storm{"plateau", {}};
         for (std::int64_t i = below(random, 3); i >= 0; --i) {
           const Impact impact = anywhere(random, cells);
           for (std::int64_t j = 1 + below(random, 4); j >= 0; --j) {
             storm.impacts.push_back({impact.position + j, impact.energy});
           }
         }
         return storm;
       },
       0.5},
      {"OneCell", 200,
       [](Random& random, std::int64_t cells) {
         return Storm{"one cell",
                      std::vector<Impact>(static_cast<std::size_t>(1 + below(random, 300)),
                                          anywhere(random, cells))};
       },
       0.3},
      {"Outside", 300,
       [](Random& random, std::int64_t cells) {
         Storm storm = random_storm(random, cells, 1 + below(random, 5));
         for (std::int64_t i = below(random, 20); i >= 0; --i) {
           const std::int64_t off = 1 + below(random, std::int64_t{1} << below(random, 40));
           storm.impacts.push_back(
               {below(random, 2) == 0 ? -off : cells - 1 + off, anywhere(random, cells).energy});
         }
         return storm;
       },
       0.6},
      {"BothSigns", 300,
       [](Random& random, std::int64_t cells) {
         Storm storm = random_storm(random, cells, 1 + below(random, 30));
         for (Impact& impact : storm.impacts) {
           if (below(random, 2) == 0) impact.energy = -impact.energy;
         }
         return storm;
       },
       0.6},
      // Each energy comes with its opposite: only roundings are left.
      {"Cancelling", 200,
       [](Random& random, std::int64_t cells) {
         Storm storm = random_storm(random, cells, 1 + below(random, 10));
         for (std::size_t i = storm.impacts.size(); i-- > 0;) {
           storm.impacts.push_back({storm.impacts[i].position, -storm.impacts[i].energy});
         }
         return storm;
       },
       1},
      {"Extremes", 300,
       [](Random& random, std::int64_t cells) {
         Storm storm = random_storm(random, cells, 1 + below(random, 10));
         constexpr std::array<std::int32_t, 6> extremes{
             1, -1, 16'777'217, 2'147'483'647, -2147483647 - 1, 0};
         for (Impact& impact : storm.impacts) {
           impact.energy = extremes[static_cast<std::size_t>(below(random, extremes.size()))];
         }
         return storm;
       },
       0.7},
      // Small shares lost beside a large one: the rule's sums stand still while the true ones grow.
      {"Lost", 100,
       [](Random& random, std::int64_t cells) {
         const std::int64_t position = below(random, cells);
         Storm storm{"lost", {{position, 17'616'077}, {below(random, cells), 17'616'077}}};
         for (std::int64_t i = below(random, 2000); i > 0; --i) {
           storm.impacts.push_back({position + below(random, 3) - 1, 1});
         }
         return storm;
       },
       0.5},
      {"SometimesNothing", 100,
       [](Random& random, std::int64_t cells) {
         return below(random, 2) == 0 ? Storm{"nothing", {}} : random_storm(random, cells, 3);
       },
       0.3},
  };
}

/// The fast engines, each with the widest instructions there are: the others are EngineTest's.
std::vector<EngineUnderTest> fast_engines_under_test() {
  std::vector<EngineUnderTest> engines;
  for (const EngineUnderTest& engine : engines_under_test()) {
    const bool known = !engines.empty() && engines.back().entry == engine.entry;
    if (engine.entry->method == bombard::Method::fast && !known) engines.push_back(engine);
  }
  return engines;
}

class Hard : public testing::TestWithParam<std::tuple<EngineUnderTest, HardCase>> {
 protected:
  void SetUp() override {
    if (std::get<0>(GetParam()).entry->on_device) require_gpu();
  }
};

TEST_P(Hard, MaximaAreTheRules) {
  const auto& [engine, hard] = GetParam();
  Tally tally;
  for (int run = 0; run < hard.runs; ++run) {
    SCOPED_TRACE(testing::Message() << "run " << run);
    Random random(static_cast<std::uint64_t>(run) + 1);
    Bombardment bombardment{some_size(random), {}};
    for (std::int64_t i = below(random, 5); i >= 0; --i) {
      bombardment.storms.push_back(hard.storm(random, bombardment.cells));
    }
    expect_the_rules_maxima(engine, bombardment, tally);
    if (HasFailure()) return;
  }
  // Storms that go direct say nothing about screening.
  EXPECT_LE(static_cast<double>(tally.direct),
            hard.most_direct * static_cast<double>(tally.storms));
  RecordProperty("storms", std::to_string(tally.storms));
  RecordProperty("direct", std::to_string(tally.direct));
  RecordProperty("candidates", std::to_string(tally.candidates));
}
INSTANTIATE_TEST_SUITE_P(Cases, Hard,
                         testing::Combine(testing::ValuesIn(fast_engines_under_test()),
                                          testing::ValuesIn(hard_cases())),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
                         });

class Fast : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Engines, Fast, testing::ValuesIn(fast_engines_under_test()), engine_name);

TEST_P(Fast, ALargeLayerWithManyStorms) {
  Random random(11);
  Bombardment bombardment{60'000, {}};
  for (int i = 0; i < 12; ++i) bombardment.storms.push_back(random_storm(random, 60'000, 100));
  Tally tally;
  expect_the_rules_maxima(GetParam(), bombardment, tally);
  EXPECT_EQ(tally.direct, 0);
  EXPECT_LE(tally.candidates, 12 * 20);
}

TEST_P(Fast, AHundredStorms) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::int64_t cells = 700 + below(random, 3000);
    Bombardment bombardment{cells, {}};
    for (int i = 0; i < 100; ++i) {
      bombardment.storms.push_back(random_storm(random, cells, below(random, 4)));
    }
    Tally tally;
    expect_the_rules_maxima(GetParam(), bombardment, tally);
    EXPECT_LE(tally.direct, 20);
  }
}

TEST_P(Fast, AThresholdThatBitesIsNoReasonToGoDirectOnAProcessor) {
  // Energy 1 reaches T/L up to n = (1000/T)^2: with T = 100 that is 100 cells.
  Bombardment bombardment{
      1000, {{"near", {{500, 20}}}, {"far", {{300, 1}, {600, 7}}}, {"near", {{400, 20}}}}};
  bombardment.rule.threshold = 100;
  Tally tally;
  expect_the_rules_maxima(GetParam(), bombardment, tally);
  // From the second storm on: of the first every share counts.
  EXPECT_EQ(tally.direct, GetParam().entry->on_device ? 2 : 0);
}

TEST_P(Fast, TheLayerIsNearTheRules) {
  Random random(3);
  Bombardment bombardment{5000, {}};
  for (int i = 0; i < 3; ++i) bombardment.storms.push_back(random_storm(random, 5000, 30));
  const Outcome outcome = run(GetParam(), bombardment, {0, 5000});
  const oracle::Result rule = by_the_rule(bombardment);
  EXPECT_EQ(written(rule.peaks), written(outcome.maxima));
  ASSERT_EQ(outcome.layer.size(), rule.layer.size());
  for (std::size_t k = 0; k < rule.layer.size(); ++k) {
    EXPECT_NEAR(outcome.layer[k] / rule.layer[k], 1, 1e-5) << k;
  }
}

TEST_P(Fast, PartsThatNeverSpeakToEachOther) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Bombardment bombardment{some_size(random), {}};
    for (std::int64_t i = below(random, 6); i >= 0; --i) {
      bombardment.storms.push_back(random_storm(random, bombardment.cells, 1 + below(random, 40)));
    }
    const oracle::Result rule = by_the_rule(bombardment);
    const std::int64_t parts = 1 + below(random, 5);
    std::vector<Maximum> maxima(bombardment.storms.size());
    for (std::int64_t part = 0; part < parts; ++part) {
      const Outcome outcome =
          run(GetParam(), bombardment,
              {bombardment.cells * part / parts, bombardment.cells * (part + 1) / parts});
      for (std::size_t i = 0; i < maxima.size(); ++i) {
        maxima[i] = bombard::larger(maxima[i], outcome.maxima[i]);
      }
    }
    ASSERT_EQ(written(rule.peaks), written(maxima));
  }
}

TEST_P(Fast, StormsWithoutNumber) {
  // The cells that the last storm needs go down through all of them.
  Bombardment bombardment{50, std::vector<Storm>(31'000, Storm{"nothing", {}})};
  bombardment.storms.push_back({"one", {{25, 800}}});
  Tally tally;
  expect_the_rules_maxima(GetParam(), bombardment, tally);
}

TEST_P(Fast, FarCandidatesAfterManyStorms) {
  // Each candidate needs a cone of thousands of cells, down through the storms without impacts.
  Bombardment bombardment{20'000, {}};
  Random random(4);
  bombardment.storms.push_back(random_storm(random, bombardment.cells, 2000));
  bombardment.storms.resize(800, Storm{"nothing", {}});
  for (std::int64_t i = 0; i < 20; ++i) {
    bombardment.storms.push_back({"far", {{500 + i * 950, 100'000'000}}});
  }
  Tally tally;
  expect_the_rules_maxima(GetParam(), bombardment, tally);
}

TEST_P(Fast, AStormBeyondAllProofGoesDirect) {
  // 2^23 roundings of 2^-24 each: half the value itself.
  Bombardment bombardment{3, {{"many", std::vector<Impact>(9'000'000, Impact{1, 3})}}};
  Tally tally;
  expect_the_rules_maxima(GetParam(), bombardment, tally);
  EXPECT_EQ(tally.direct, 1);
}

}  // namespace
