// A convolved layer on the CPU and on a GPU, against direct sums in long double: storms whose
// shares all count, and storms whose shares end.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/attenuations.hpp"
#include "tests/kernels/convolution/both_layers.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

/// A storm whose shares all count if there are no reaches.
struct TestStorm {
  std::vector<Impact> impacts;
  std::vector<std::int64_t> reaches = {};

  void add(std::int64_t position, std::int32_t energy, std::int64_t reach) {
    impacts.push_back({position, energy});
    reaches.push_back(reach);
  }
};

/// The layers take storms one after another until one is wrong.
void compare(BothLayers& both, const std::vector<TestStorm>& storms) {
  for (std::size_t i = 0; i < storms.size() && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE("storm " + std::to_string(i));
    both.apply(storms[i].impacts, storms[i].reaches);
  }
}

class Convolution : public BackendTest {
 protected:
  /// A GPU tracks no uncertainties where shares end.
  static std::vector<bool> tracked_or_not() {
    return on_gpu() ? std::vector{false} : std::vector{false, true};
  }
};
INSTANTIATE_TEST_SUITE_P(On, Convolution, testing::ValuesIn(backends()), name_of_backend);

std::unique_ptr<LayerUnderTest> layer_of(std::int64_t cells, double scale, double error,
                                         int threads = 1) {
  return make_layer({0, cells, cells}, square_root_attenuation, scale, error, threads);
}

// Around the borders of chunks, of what is near, of groups and of blocks, and those of a GPU's
// warps, blocks and tiles.
const std::vector<std::int64_t> awkward{0,    1,    2,    31,   32,   33,   63,   64,  65,  127,
                                        128,  129,  191,  192,  193,  255,  256,  257, 319, 1023,
                                        1024, 1025, 1791, 1792, 8191, 8192, 8193, 8257};
constexpr std::int64_t endless = std::int64_t{1} << 62;

TestStorm random_ending(Random& random, std::int64_t cells, std::int64_t count) {
  TestStorm storm{random_impacts(random, count, -cells / 2 - 200, cells + cells / 2 + 200, true)};
  for (std::int64_t i = 0; i < count; ++i) {
    storm.reaches.push_back(below(random, 16) == 0  ? endless
                            : below(random, 3) == 0 ? awkward[random() % awkward.size()]
                            : below(random, 2) == 0 ? below(random, 2 * cells + 300)
                                                    : below(random, 1000));
  }
  return storm;
}

/// Few impacts and many, of one sign and of both, outside the layer, and none; if shares end, there
/// is a storm whose shares all count between two others.
std::vector<TestStorm> awkward_storms(Random& random, std::int64_t cells, bool ending) {
  if (ending) {
    return {random_ending(random, cells, 3),
            {random_ending(random, cells, 50).impacts},
            {},
            random_ending(random, cells, 500)};
  }
  return {{random_impacts(random, 5, 0, cells)},
          {random_impacts(random, 60, 0, cells, true)},
          {random_impacts(random, 60, 0, cells)},
          {random_impacts(random, 20, -3 * cells - 200, 3 * cells + 200, true)}};
}

TEST_P(Convolution, SlowAwkwardSizes) {
  for (const std::int64_t cells :
       {1, 2, 3, 31, 32, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 257, 1023, 1025, 8063, 8064,
        8127, 8128, 8129, 8191, 8192, 8193, 16255, 16257, 20011, 100003,
        // Around the borders of a GPU's tiles of 384 cells.
        319, 320, 321, 383, 384, 385, 703, 704, 705}) {
    SCOPED_TRACE(cells);
    for (const bool ending : {false, true}) {
      for (const bool tracked : ending ? tracked_or_not() : std::vector{false, true}) {
        for (const double error : {1e-12, 3e-8}) {
          Random random(static_cast<std::uint64_t>(cells));
          BothLayers both(cells, error, square_root_attenuation, ending ? 2 : 1,
                          1000.0 / static_cast<double>(cells));
          both.track(tracked);
          compare(both, awkward_storms(random, cells, ending));
        }
      }
    }
  }
}

/// Dense impacts; more than one thread takes; several blocks; and many that end together, so that
/// sums of exits and of patches are halved more than once.
TEST_P(Convolution, SlowManyImpactsAndThreads) {
  Random random(7);
  TestStorm together;
  for (int i = 0; i < 5000; ++i) {
    together.add(400 + i % 3, 1000 + i, 4000 + i % 5);
    together.add(8000, 7, i % 100);
  }
  const std::vector<TestStorm> dense{{random_impacts(random, 20000, -100, 9101)},
                                     {random_impacts(random, 3000, -100, 9101, true)},
                                     {random_impacts(random, 200, -100, 9101)}};
  const auto expect = [](std::int64_t cells, bool tracked, const std::vector<TestStorm>& storms) {
    SCOPED_TRACE(cells);
    BothLayers both(cells, 1e-12, square_root_attenuation, 3);
    both.track(tracked);
    compare(both, storms);
  };
  expect(9001, false, dense);
  expect(9001, true, dense);
  expect(801, true, {{random_impacts(random, 210'000, -10, 811, true)}});
  expect(70'000, !on_gpu(), {random_ending(random, 70'000, 3000)});
  expect(9000, !on_gpu(), {together});
}

// The sum of their energies is 2^49.
TEST_P(Convolution, AllImpactsOnOneCell) {
  BothLayers both(300);
  both.apply(std::vector<Impact>(1 << 18, Impact{150, 2147483647}));
}

TEST_P(Convolution, OppositeEnergiesCancelExactly) {
  std::vector<Impact> impacts;
  for (int i = 0; i < 500; ++i) {
    impacts.push_back({i, 1000 + i});
    impacts.push_back({i, -1000 - i});
  }
  const auto layer = layer_of(500, 1, 3e-8);
  layer->apply({impacts});
  EXPECT_EQ(layer->values(), std::vector<double>(500));
}

/// The first cells that do not count are at and next to every border of a chunk, group or block,
/// for sources of every reach.
TEST_P(Convolution, SharesEndAtEveryBorder) {
  for (const std::int64_t cells : {129, 1000, 20'011}) {
    SCOPED_TRACE(cells);
    Random random(static_cast<std::uint64_t>(cells));
    std::vector<TestStorm> storms;
    for (const std::int64_t beside : {-1, 0, 1}) {
      TestStorm& storm = storms.emplace_back();
      for (std::int64_t border = -128; border <= cells + 128; border += 64) {
        const std::int64_t reach = awkward[random() % awkward.size()];
        const auto energy = static_cast<std::int32_t>(below(random, 1000));
        storm.add(border + beside - reach, energy, reach);
        storm.add(border + beside + reach, -energy, reach);
      }
    }
    for (const bool tracked : tracked_or_not()) {
      BothLayers both(cells);
      both.track(tracked);
      compare(both, storms);
    }
  }
}

class Attenuations : public BackendTest {
 protected:
  /// Flat and steep attenuations, with polynomials and without.
  template <class Test>
  static void for_each(const Test& test) {
    const auto run = [&](const Attenuation& attenuation, double error) {
      SCOPED_TRACE(name_of(attenuation) + " " + std::to_string(error * 1e12) + "e-12");
      if (!HasFatalFailure()) test(attenuation, error);
    };
    run({2}, 1e-9);
    for (const double error : {1e-12, 3e-8}) {
      for (const Attenuation& attenuation : sample_attenuations()) run(attenuation, error);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(On, Attenuations, testing::ValuesIn(devices()), name_of_backend);

TEST_P(Attenuations, SlowOfFewImpactsAndOfMany) {
  for_each([](const Attenuation& attenuation, double error) {
    for (const std::int64_t cells : {1, 64, 1793, 4001}) {
      Random random(static_cast<std::uint64_t>(cells));
      BothLayers both(cells, error, attenuation);
      compare(both, {random_ending(random, cells, 30), random_ending(random, cells, cells / 6)});
      for (const std::int64_t count : {std::int64_t{1}, std::int64_t{300}, cells / 4}) {
        const std::int64_t beyond = count == 300 ? 2 * cells : 500;
        both.apply(random_impacts(random, count, -beyond, cells + beyond, true));
        both.track();  // from now on
      }
    }
    if (error != 1e-12) return;
    Random random(8);
    BothLayers blocks(20'011, error, attenuation);
    compare(blocks, {random_ending(random, 20'011, 200)});
  });
}

/// One impact in a chunk of many: its neighbours are a million times weaker, and at the opposite
/// place, in the same chunk or the next, nothing hides how its share is rounded.
TEST_P(Attenuations, AStrongImpactAmongWeakOnes) {
  for_each([](const Attenuation& attenuation, double error) {
    for (const std::int64_t strong : {256, 287, 319, 350}) {
      std::vector<Impact> impacts;
      for (std::int64_t k = 200; k < 400; ++k) impacts.push_back({k, 1});
      impacts.push_back({strong, 2'000'000'000});
      BothLayers both(1000, error, attenuation);
      both.apply(impacts);
    }
  });
}

/// Every distance between an impact and a cell, each in its own layer: nothing else in a cell hides
/// what is wrong with a share.
TEST_P(Attenuations, OneImpactOfEveryPlaceInAChunk) {
  for_each([](const Attenuation& attenuation, double error) {
    BothLayers both(2000, error, attenuation);
    for (std::int64_t position = 700; position < 764; position += 7) {
      both.clear();
      both.apply({{position, 1000}});
      both.clear();
      both.apply({{position, 1000}}, {300 + position % 130});
    }
  });
}

TEST_P(Attenuations, FarAway) {
  for_each([](const Attenuation& attenuation, double error) {
    constexpr std::int64_t cells = 300;
    BothLayers both(cells, error, attenuation), right(cells, error, attenuation);
    for (const std::int64_t away :
         {std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{65}, std::int64_t{1000},
          std::int64_t{1'000'000'000}, std::int64_t{1} << 61}) {
      both.apply({{-away, 1'000'000}});
      both.apply({{-away, 1000}, {cells - 1 + away, -777}}, {away + 1000, away + 65});
    }
    // No impact on the left has made the tables cover this distance before.
    right.apply({{cells - 1 + 10'000, 1'000'000}});
  });
}

/// What double precision promises, and an error that does not drown single precision's roundings.
TEST_P(Attenuations, BoundsAreGood) {
  for_each([](const Attenuation& attenuation, double error) {
    for (const std::int64_t cells : {64, 20011, 4'000'000}) {
      const auto layer = make_layer({0, cells, cells}, attenuation, 0.25, error);
      EXPECT_LT(layer->relative_error(), error < 1e-10 ? 5e-12 : 1e-6) << cells;
    }
  });
}

TEST_P(Convolution, UncertaintiesBeginWhereTheyAreToldAndClearedItIsAsNew) {
  const auto layer = layer_of(1000, 1, 3e-8);
  const std::vector<Impact> impacts{{300, 1000}};
  layer->apply({impacts});
  const double value = layer->values()[300];
  EXPECT_EQ(layer->uncertainties()[300], 0);
  layer->track_uncertainty(0.01);
  EXPECT_GE(layer->uncertainties()[300], 0.01 * value);
  EXPECT_LE(layer->uncertainties()[300], 0.01 * value * 1.00001);
  layer->clear();
  EXPECT_EQ(layer->values()[300], 0);
  EXPECT_FALSE(layer->tracks_uncertainty());
  layer->apply({impacts});
  EXPECT_EQ(layer->values()[300], value);
}

std::vector<double> values_after(const TestStorm& storm, std::int64_t cells, int threads = 1) {
  const auto layer = layer_of(cells, 0.25, 1e-12, threads);
  layer->track_uncertainty(0);
  layer->apply({storm.impacts, storm.reaches, thousandth(storm.impacts)});
  return layer->values();
}

TEST_P(Convolution, ReachesThatCoverTheLayerAreAsNone) {
  if (on_gpu()) GTEST_SKIP() << "shares that end are added one by one";
  Random random(6);
  TestStorm storm{random_impacts(random, 300, -100, 1100, true)};
  const std::vector<double> without = values_after(storm, 1000);
  for (const Impact& impact : storm.impacts) {
    storm.reaches.push_back(std::max(impact.position, 999 - impact.position) + 1);
  }
  EXPECT_EQ(values_after(storm, 1000), without);
}

TEST_P(Convolution, AnyNumberOfThreadsGivesTheSameBits) {
  if (on_gpu()) GTEST_SKIP() << "sums have one order";
  Random random(9);
  // More impacts than one thread takes, on several blocks.
  const TestStorm storm = random_ending(random, 40'000, 70'000);
  const std::vector<double> one = values_after(storm, 40'000);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(values_after(storm, 40'000, threads), one);
}

}  // namespace
}  // namespace bombard
