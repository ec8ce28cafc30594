// A convolved layer on the CPU and on a GPU, against direct sums in long double.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/attenuations.hpp"
#include "tests/kernels/convolution/both_layers.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

using TestStorm = std::vector<Impact>;

/// The layers take storms one after another until one is wrong.
void compare(BothLayers& both, const std::vector<TestStorm>& storms) {
  for (std::size_t i = 0; i < storms.size() && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE("storm " + std::to_string(i));
    both.apply(storms[i]);
  }
}

class Convolution : public BackendTest {};

/// Few impacts and many, of one sign and of both, and outside the layer.
std::vector<TestStorm> awkward_storms(Random& random, std::int64_t cells) {
  return {random_impacts(random, 5, 0, cells), random_impacts(random, 60, 0, cells, true),
          random_impacts(random, 60, 0, cells),
          random_impacts(random, 20, -3 * cells - 200, 3 * cells + 200, true)};
}

TEST_F(Convolution, SlowAwkwardSizes) {
  for (const std::int64_t cells :
       {1, 2, 3, 31, 32, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 257, 1023, 1025, 8063, 8064,
        8127, 8128, 8129, 8191, 8192, 8193, 16255, 16257, 20011, 100003,
        // Around the borders of a GPU's tiles of 384 cells.
        319, 320, 321, 383, 384, 385, 703, 704, 705}) {
    SCOPED_TRACE(cells);
    for (const bool tracked : {false, true}) {
      for (const double error : {1e-12, 3e-8}) {
        Random random(static_cast<std::uint64_t>(cells));
        BothLayers both(cells, error, square_root_attenuation, 1,
                        1000.0 / static_cast<double>(cells));
        both.track(tracked);
        compare(both, awkward_storms(random, cells));
      }
    }
  }
}

/// Dense impacts, more than one thread takes, on several blocks.
TEST_F(Convolution, SlowManyImpactsAndThreads) {
  Random random(7);
  const std::vector<TestStorm> dense{random_impacts(random, 20000, -100, 9101),
                                     random_impacts(random, 3000, -100, 9101, true),
                                     random_impacts(random, 200, -100, 9101)};
  const auto expect = [](std::int64_t cells, bool tracked, const std::vector<TestStorm>& storms) {
    SCOPED_TRACE(cells);
    BothLayers both(cells, 1e-12, square_root_attenuation, 3);
    both.track(tracked);
    compare(both, storms);
  };
  expect(9001, false, dense);
  expect(9001, true, dense);
  expect(801, true, {random_impacts(random, 210'000, -10, 811, true)});
  expect(70'000, true, {random_impacts(random, 3000, -35'000, 105'000, true)});
}

// The sum of their energies is 2^49.
TEST_F(Convolution, AllImpactsOnOneCell) {
  BothLayers both(300);
  both.apply(std::vector<Impact>(1 << 18, Impact{150, 2147483647}));
}

TEST_F(Convolution, OppositeEnergiesCancelExactly) {
  std::vector<Impact> impacts;
  for (int i = 0; i < 500; ++i) {
    impacts.push_back({i, 1000 + i});
    impacts.push_back({i, -1000 - i});
  }
  const auto layer = make_layer(500, square_root_attenuation, 1, 3e-8);
  layer->apply({impacts});
  EXPECT_EQ(layer->values(), std::vector<double>(500));
}

using Attenuations = BackendTest;

/// Flat and steep attenuations, with polynomials and without.
template <class Test>
void for_each(const Test& test) {
  const auto run = [&](const Attenuation& attenuation, double error) {
    SCOPED_TRACE(name_of(attenuation) + " " + std::to_string(error * 1e12) + "e-12");
    if (!testing::Test::HasFatalFailure()) test(attenuation, error);
  };
  run({2}, 1e-9);
  for (const double error : {1e-12, 3e-8}) {
    for (const Attenuation& attenuation : sample_attenuations()) run(attenuation, error);
  }
}

TEST_F(Attenuations, SlowOfFewImpactsAndOfMany) {
  for_each([](const Attenuation& attenuation, double error) {
    for (const std::int64_t cells : {1, 64, 1793, 4001}) {
      Random random(static_cast<std::uint64_t>(cells));
      BothLayers both(cells, error, attenuation);
      for (const std::int64_t count : {std::int64_t{1}, std::int64_t{300}, cells / 4}) {
        const std::int64_t beyond = count == 300 ? 2 * cells : 500;
        both.apply(random_impacts(random, count, -beyond, cells + beyond, true));
        both.track();  // from now on
      }
    }
    if (error != 1e-12) return;
    Random random(8);
    BothLayers blocks(20'011, error, attenuation);
    compare(blocks, {random_impacts(random, 200, -10'000, 30'000, true)});
  });
}

/// One impact in a chunk of many: its neighbours are a million times weaker, and at the opposite
/// place, in the same chunk or the next, nothing hides how its share is rounded.
TEST_F(Attenuations, AStrongImpactAmongWeakOnes) {
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
TEST_F(Attenuations, OneImpactOfEveryPlaceInAChunk) {
  for_each([](const Attenuation& attenuation, double error) {
    BothLayers both(2000, error, attenuation);
    for (std::int64_t position = 700; position < 764; position += 7) {
      both.clear();
      both.apply({{position, 1000}});
    }
  });
}

TEST_F(Attenuations, FarAway) {
  for_each([](const Attenuation& attenuation, double error) {
    constexpr std::int64_t cells = 300;
    BothLayers both(cells, error, attenuation), right(cells, error, attenuation);
    for (const std::int64_t away :
         {std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{65}, std::int64_t{1000},
          std::int64_t{1'000'000'000}, std::int64_t{1} << 61}) {
      both.apply({{-away, 1'000'000}});
      both.apply({{-away, 1000}, {cells - 1 + away, -777}});
    }
    // No impact on the left has made the tables cover this distance before.
    right.apply({{cells - 1 + 10'000, 1'000'000}});
  });
}

/// What double precision promises, and an error that does not drown single precision's roundings.
TEST_F(Attenuations, BoundsAreGood) {
  for_each([](const Attenuation& attenuation, double error) {
    for (const std::int64_t cells : {64, 20011, 4'000'000}) {
      const auto layer = make_layer(cells, attenuation, 0.25, error);
      EXPECT_LT(layer->relative_error(), error < 1e-10 ? 5e-12 : 1e-6) << cells;
    }
  });
}

TEST_F(Convolution, UncertaintiesBeginWhereTheyAreToldAndClearedItIsAsNew) {
  const auto layer = make_layer(1000, square_root_attenuation, 1, 3e-8);
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

// They would become subnormal on their way, and slow, and the smallest would never vanish.
TEST_F(Convolution, StatesTooSmallToCountEndAtTheNextBlock) {
  if (on_gpu()) GTEST_SKIP() << "a GPU is not slow with subnormal numbers";
  constexpr std::int64_t block = 128 * 64, cells = 40 * block;
  const auto value_in_third_block = [](double power_of_ten) {
    const double range = 2 * block / (-power_of_ten * std::log(10));
    const auto layer = make_layer(cells, {0, range}, 1, 1e-12);
    layer->apply({std::vector<Impact>{{0, 1}}});
    return layer->values()[2 * block + 10];
  };
  EXPECT_GT(value_in_third_block(-270), 0);
  EXPECT_EQ(value_in_third_block(-300), 0);
}

TEST_F(Convolution, AnyNumberOfThreadsGivesTheSameBits) {
  if (on_gpu()) GTEST_SKIP() << "sums have one order";
  Random random(9);
  // More impacts than one thread takes, on several blocks.
  const TestStorm storm = random_impacts(random, 70'000, -20'000, 60'000, true);
  std::vector<double> by_one;
  for (const int threads : {1, 2, 3, 7}) {
    const auto layer = make_layer(40'000, square_root_attenuation, 0.25, 1e-12, threads);
    layer->track_uncertainty(0);
    layer->apply({storm, thousandth(storm)});
    if (threads == 1) by_one = layer->values();
    EXPECT_EQ(layer->values(), by_one);
  }
}

}  // namespace
}  // namespace bombard
