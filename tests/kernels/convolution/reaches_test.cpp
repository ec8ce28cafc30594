// Storms whose deposits end, on a convolved layer on the processor and on a GPU, against direct
// sums in long double.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "kernels/convolution/cpu/ending_sources.hpp"
#include "tests/kernels/convolution/both_layers.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

constexpr UncertaintyGrowth growth = BothLayers::growth;
constexpr double tested_scale = 0.25;

struct EndingStorm {
  std::vector<Impact> deposits;
  std::vector<std::int64_t> reaches;

  void add(std::int64_t position, std::int32_t energy, std::int64_t reach) {
    deposits.push_back({position, energy});
    reaches.push_back(reach);
  }
};

// Around the borders of chunks, of what is near, of groups and of blocks; of a GPU's warps, blocks
// and tiles.
const std::vector<std::int64_t> awkward{0,    1,    2,    31,   32,   33,   63,   64,  65,  127,
                                        128,  129,  191,  192,  193,  255,  256,  257, 319, 1023,
                                        1024, 1025, 1791, 1792, 8191, 8192, 8193, 8257};

class Reaches : public BackendTest {
 protected:
  /// A GPU tracks no uncertainties where shares end.
  static std::vector<bool> tracked_or_not() {
    return on_gpu() ? std::vector{false} : std::vector{false, true};
  }
};
INSTANTIATE_TEST_SUITE_P(On, Reaches, testing::ValuesIn(backends()), name_of_backend);

TEST_P(Reaches, ByHand) {
  // 7 cells, energy 6 at cell 3, reach 2: it counts in cells 2, 3 and 4.
  const auto layer = make_layer({0, 7, 7}, square_root_attenuation, 1, 1e-12);
  const std::vector<Impact> deposits{{3, 6}};
  const std::vector<std::int64_t> reaches{2};
  layer->apply({deposits, reaches});
  const double beside = 4.2426406871192851;
  const double expected[] = {
      0, beside / 3, (beside + 6) / 3, (2 * beside + 6) / 3, (beside + 6) / 3, beside / 3, 0};
  const std::vector<double> values = layer->values();
  const double roundings = on_gpu() ? 1e-14 : 3e-15;
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_NEAR(values[k], expected[k], expected[k] == 0 ? 0 : roundings) << k;
  }
}

TEST_P(Reaches, OneDepositAtATime) {
  for (const std::int64_t cells : {1, 2, 63, 64, 65, 129, 1000}) {
    SCOPED_TRACE(cells);
    BothLayers both(cells);
    for (const std::int64_t position :
         {std::int64_t{-300}, std::int64_t{-65}, std::int64_t{-64}, std::int64_t{-1},
          std::int64_t{0}, cells / 2, cells - 1, cells, cells + 64, cells + 130}) {
      SCOPED_TRACE(position);
      for (const std::int64_t reach : awkward) {
        both.clear();
        EndingStorm storm;
        storm.add(position, 1'000'000, reach);
        both.apply(storm.deposits, storm.reaches);
        ASSERT_FALSE(HasFatalFailure()) << reach;
      }
    }
  }
}

/// First cells that do not count, at every border of chunk, group and block and beside it, of
/// sources of every reach.
TEST_P(Reaches, EndAtEveryBorder) {
  for (const std::int64_t cells : {129, 1000, 20'011}) {
    SCOPED_TRACE(cells);
    for (const bool tracked : tracked_or_not()) {
      std::mt19937_64 random(static_cast<std::uint64_t>(cells));
      BothLayers both(cells);
      both.track(tracked);
      for (const std::int64_t beside : {-1, 0, 1}) {
        EndingStorm storm;
        for (std::int64_t border = -128; border <= cells + 128; border += 64) {
          const std::int64_t reach = awkward[random() % awkward.size()];
          const auto energy = static_cast<std::int32_t>(random() % 1000);
          storm.add(border + beside - reach, energy, reach);
          storm.add(border + beside + reach, -energy, reach);
        }
        both.apply(storm.deposits, storm.reaches);
        ASSERT_FALSE(HasFatalFailure()) << beside;
      }
    }
  }
}

EndingStorm random_storm(std::mt19937_64& random, std::int64_t cells, std::int64_t count) {
  EndingStorm storm;
  storm.deposits = random_impacts(random, count, -cells / 2 - 200, cells + cells / 2 + 200, true);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto below = static_cast<std::uint64_t>(2 * cells + 300);
    storm.reaches.push_back(random() % 3 == 0   ? awkward[random() % awkward.size()]
                            : random() % 2 == 0 ? static_cast<std::int64_t>(random() % below)
                                                : static_cast<std::int64_t>(random() % 1000));
  }
  return storm;
}

TEST_P(Reaches, RandomStorms) {
  for (const std::int64_t cells :
       {1, 2, 3, 31, 32, 33, 63, 64, 65, 129, 960, 1000, 1728, 1793, 8190, 20'011, 100'003}) {
    SCOPED_TRACE(cells);
    for (const bool tracked : tracked_or_not()) {
      for (const double error : {1e-12, 3e-8}) {
        std::mt19937_64 random(static_cast<std::uint64_t>(3 * cells));
        BothLayers both(cells, error);
        both.track(tracked);
        for (const std::int64_t count : {3, 50, 0, 500}) {
          EndingStorm storm = random_storm(random, cells, count);
          if (count == 50) storm.reaches.clear();  // a storm that does not end between others
          both.apply(storm.deposits, storm.reaches);
          ASSERT_FALSE(HasFatalFailure()) << count;
        }
      }
    }
  }
}

TEST_P(Reaches, ManyBlocksAndThreads) {
  std::mt19937_64 random(3);
  BothLayers both(70'000, 1e-12, square_root_attenuation, 3);
  both.track(!on_gpu());
  const EndingStorm storm = random_storm(random, 70'000, 3000);
  both.apply(storm.deposits, storm.reaches);
}

/// All in one place: sums of exits and of patches are halved more than once.
TEST_P(Reaches, ManyDepositsEndTogether) {
  std::mt19937_64 random(4);
  BothLayers both(9000);
  both.track(!on_gpu());
  EndingStorm storm;
  for (int i = 0; i < 5000; ++i) {
    storm.add(400 + i % 3, 1000 + i, 4000 + i % 5);
    storm.add(8000, 7, i % 100);
  }
  both.apply(storm.deposits, storm.reaches);
}

TEST_P(Reaches, SteepAndFlatAttenuations) {
  using Kind = Attenuation::Kind;
  for (const Attenuation& attenuation :
       {Attenuation{Kind::power, 0.1}, Attenuation{Kind::power, 1}, Attenuation{Kind::power, 1.7},
        Attenuation{Kind::power, 2}, Attenuation{Kind::power, 3}, Attenuation{Kind::power, 8},
        Attenuation{Kind::exponential, 1}, Attenuation{Kind::exponential, 300},
        Attenuation{Kind::exponential, 1e6}}) {
    SCOPED_TRACE(attenuation.parameter);
    std::mt19937_64 random(8);
    BothLayers both(20'011, 1e-12, attenuation);
    const EndingStorm storm = random_storm(random, 20'011, 800);
    both.apply(storm.deposits, storm.reaches);
  }
}

TEST_P(Reaches, FarOutside) {
  for (const bool tracked : tracked_or_not()) {
    BothLayers both(5000);
    both.track(tracked);
    for (const std::int64_t far :
         {std::int64_t{1'000'000}, std::int64_t{1'000'000'000'000}, std::int64_t{1} << 61}) {
      for (const std::int64_t into : awkward) {
        EndingStorm storm;
        storm.add(-far, 1'000'000'000, far + into);
        storm.add(4999 + far, -1'000'000'000, far + into);
        both.apply(storm.deposits, storm.reaches);
        ASSERT_FALSE(HasFatalFailure()) << far << ' ' << into;
      }
    }
  }
}

TEST_P(Reaches, ThatCoverTheLayerAreAsNone) {
  if (on_gpu()) GTEST_SKIP() << "shares are added one by one there";
  std::mt19937_64 random(6);
  const auto deposits = random_impacts(random, 300, -100, 1100, true);
  cpu::ConvolvedLayer without(1000, square_root_attenuation, tested_scale, 1e-12),
      with(1000, square_root_attenuation, tested_scale, 1e-12);
  without.apply({deposits});
  std::vector<std::int64_t> reaches;
  for (const Impact& d : deposits) {
    reaches.push_back(std::max(d.position, 999 - d.position) + 1);
  }
  with.apply({deposits, reaches});
  for (std::int64_t k = 0; k < 1000; ++k) ASSERT_EQ(with.value(k), without.value(k)) << k;
}

TEST_P(Reaches, AnyNumberOfThreadsGivesTheSameBits) {
  if (on_gpu()) GTEST_SKIP() << "a GPU's sums have one order";
  std::mt19937_64 random(9);
  // More deposits than one thread takes, on several blocks.
  const EndingStorm storm = random_storm(random, 40'000, 70'000);
  cpu::ConvolvedLayer one(40'000, square_root_attenuation, tested_scale, 3e-8, 1);
  one.track_uncertainty(0);
  one.apply({storm.deposits, storm.reaches, StormUncertainty{thousandth(storm.deposits), growth}});
  for (const int threads : {2, 3, 7}) {
    cpu::ConvolvedLayer several(40'000, square_root_attenuation, tested_scale, 3e-8, threads);
    several.track_uncertainty(0);
    several.apply(
        {storm.deposits, storm.reaches, StormUncertainty{thousandth(storm.deposits), growth}});
    for (std::int64_t k = 0; k < one.cells(); ++k) {
      ASSERT_EQ(several.value(k), one.value(k)) << k;
    }
  }
}

TEST_P(Reaches, OneForEachDepositOrNone) {
  const auto layer = make_layer({0, 100, 100}, square_root_attenuation, tested_scale, 1e-12);
  const std::vector<Impact> deposits{{1, 1}, {2, 2}};
  const std::vector<std::int64_t> reaches{1, 2};
  EXPECT_THROW(layer->apply({deposits, std::span(reaches).first(1)}), std::invalid_argument);
  EXPECT_NO_THROW(layer->apply({deposits, reaches}));
}

/// Chunks of 64 cells, cell 0 at position 0, 10 of them. A source at 100, in chunk 1, of reach 300
/// does not count from cell 400 on, in chunk 6: A(5) is without it, so it exits A in chunk 4, at
/// distance 5 * 64 - 100 + 1; the 16 cells from 384 on are a patch.
TEST(EndingSources, ByHand) {
  cpu::EndingSources ending({0, 512, 512}, 10);
  const std::vector<Impact> impacts{{100, 7}};
  const std::vector<std::int64_t> reaches{300};
  ending.sort({.impacts = impacts, .reaches = reaches, .origin = 64}, 1);
  EXPECT_TRUE(ending.any());
  EXPECT_EQ(ending.sources()[0].energy, 7);
  ASSERT_EQ(ending.exit_count(), 1);
  const cpu::Exits right = ending.exits(cpu::to_right, 0);
  EXPECT_EQ(right.ranges[4].begin, 0);
  EXPECT_EQ(right.ranges[4].end, 1);
  EXPECT_EQ(right.distances[0], 221);
  EXPECT_EQ(right.amounts[0], 7);
  ASSERT_EQ(ending.patches_of(0).size(), 1U);
  const cpu::EndingPiece& patch = ending.patches_of(0)[0];
  EXPECT_EQ(patch.at, 100);
  EXPECT_EQ(patch.begin, 384);
  EXPECT_EQ(patch.end, 400);
  EXPECT_EQ(ending.farthest_patched(), 300);
}

}  // namespace
}  // namespace bombard
