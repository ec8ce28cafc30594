#include "kernels/convolution/cpu/convolved_layer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/kernels/base/instruction_sets.hpp"
#include "tests/kernels/convolution/cpu/both_layers.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

class Convolution : public InstructionSetTest {};
INSTANTIATE_TEST_SUITE_P(Sets, Convolution, testing::ValuesIn(cpu::offered_instruction_sets()),
                         name_of_set);

TEST_P(Convolution, OneImpactInTheMiddle) {
  // 7 cells, scale 1, energy 6 at cell 3: 6/sqrt(4), 6/sqrt(3), 6/sqrt(2), 6, ..., then means of
  // three.
  cpu::ConvolvedLayer layer(7, square_root_attenuation, 1, 1e-12);
  const std::vector<Impact> deposits{{3, 6}};
  layer.apply({deposits});
  EXPECT_NEAR(layer.value(0), 3, 1e-11);
  EXPECT_NEAR(layer.value(1), (3 + 3.4641016151377546 + 4.2426406871192851) / 3, 1e-11);
  EXPECT_NEAR(layer.value(3), (2 * 4.2426406871192851 + 6) / 3, 1e-11);
  EXPECT_NEAR(layer.value(6), 3, 1e-11);
}

TEST_P(Convolution, AwkwardSizes) {
  for (const std::int64_t cells :
       {1,    2,    3,    31,   63,   64,   65,   127,  128,  129,  191,   192,   193,   255,   257,
        1023, 1025, 8063, 8064, 8127, 8128, 8129, 8191, 8192, 8193, 16255, 16257, 20011, 100003}) {
    SCOPED_TRACE(cells);
    std::mt19937_64 random(static_cast<std::uint64_t>(cells));
    for (const double error : {1e-12, 3e-8}) {
      for (const bool tracked : {false, true}) {
        BothLayers both(cells, error, square_root_attenuation, 1,
                        1000.0 / static_cast<double>(cells));
        both.track(tracked);
        for (int storm = 0; storm < 3; ++storm) {
          std::vector<Impact> impacts =
              random_impacts(random, storm == 0 ? 5 : 60, 0, cells, storm == 1);
          const auto outside = random_impacts(random, 20, -3 * cells - 200, 3 * cells + 200, true);
          if (storm == 2) impacts.insert(impacts.end(), outside.begin(), outside.end());
          both.apply(impacts);
          ASSERT_FALSE(HasFatalFailure()) << storm;
        }
      }
    }
  }
}

TEST_P(Convolution, DenseStorms) {
  const std::int64_t cells = 9001;
  for (const bool tracked : {false, true}) {
    std::mt19937_64 random(7);
    BothLayers both(cells, 1e-12, square_root_attenuation, 3);
    both.track(tracked);
    for (const std::int64_t count : {20000, 3000, 200}) {
      both.apply(random_impacts(random, count, -100, cells + 100, count == 3000));
    }
  }
}

TEST_P(Convolution, DepositsOfSeveralThreads) {
  std::mt19937_64 random(13);
  const std::int64_t cells = 801;
  BothLayers both(cells, 1e-12, square_root_attenuation, 3);
  both.track();
  both.apply(random_impacts(random, 210'000, -10, cells + 10, true));
}

/// A layer too large for sums of every cell in each thread's cache, part of it dense: looked at
/// where that part ends.
TEST_P(Convolution, DensePartsOfALargeLayer) {
  const std::int64_t cells = 1'000'003, dense = 500'000, seen = 20'000, around = 1500;
  std::mt19937_64 random(11);
  for (const bool tracked : {false, true}) {
    cpu::ConvolvedLayer layer(cells, square_root_attenuation, 0.25, 1e-12, 3);
    if (tracked) layer.track_uncertainty(0);
    DirectLayer window(2 * around, square_root_attenuation,
                       0.25L);  // its ends are not relaxed as the layer's cells are there
    const auto deposits = random_impacts(random, 100'000, dense, dense + seen, true);
    if (tracked) {
      layer.apply({deposits, {}, StormUncertainty{thousandth(deposits), {0, 0}}});
    } else {
      layer.apply({deposits});
    }
    std::vector<Impact> from_the_window = deposits;
    for (Impact& d : from_the_window) d.position -= dense - around;
    window.apply(from_the_window, {}, thousandth(deposits));
    for (std::int64_t i = 1; i + 1 < 2 * around; ++i) {
      const std::int64_t k = dense - around + i;
      EXPECT_LE(std::fabs(layer.value(k) - window.value[i]),
                window.magnitude[i] * layer.relative_error())
          << k;
      if (!tracked) continue;
      EXPECT_GE(layer.uncertainty(k), window.uncertainty[i] * (1 - 1e-6L)) << k;
      EXPECT_LE(layer.uncertainty(k), window.uncertainty[i] * (1 + 1e-5L)) << k;
    }
  }
}

TEST_P(Convolution, AllImpactsOnOneCell) {
  // 2^24 times the largest energy: only integers hold the sum's last bit.
  const std::int64_t cells = 300;
  cpu::ConvolvedLayer layer(cells, square_root_attenuation, 1, 1e-12);
  std::vector<Impact> deposits(1 << 18, Impact{150, 2147483647});
  deposits.push_back({150, 1});
  layer.apply({deposits});
  const long double sum = 2147483647.0L * (1 << 18) + 1;
  EXPECT_NEAR(static_cast<double>(layer.value(0) / (sum / std::sqrt(151.0L))), 1, 1e-12);
}

TEST_P(Convolution, OppositeEnergiesCancelExactly) {
  cpu::ConvolvedLayer layer(500, square_root_attenuation, 1, 3e-8);
  std::vector<Impact> deposits;
  for (int i = 0; i < 500; ++i) {
    deposits.push_back({i, 1000 + i});
    deposits.push_back({i, -1000 - i});
  }
  layer.apply({deposits});
  for (int k = 0; k < 500; ++k) EXPECT_EQ(layer.value(k), 0);
}

TEST_P(Convolution, FarOutside) {
  const std::int64_t cells = 5000, far = std::int64_t{1} << 61;
  BothLayers both(cells);
  for (const Impact& impact : std::vector<Impact>{{-far, 5},
                                                  {far, 7},
                                                  {-1'000'000'000, 11},
                                                  {-63, 13},
                                                  {-64, 17},
                                                  {-65, 19},
                                                  {cells, 23},
                                                  {cells + 63, 2},
                                                  {cells + 400, 3},
                                                  {123'456'789'012, 1}}) {
    both.apply({impact});
  }
}

struct Attenuated {
  Attenuation attenuation;
  double error;
};

class Attenuations : public testing::TestWithParam<Attenuated> {
 protected:
  const Attenuation attenuation = GetParam().attenuation;
  const double error = GetParam().error;
};

Attenuated power(double b, double error) {
  return {{Attenuation::Kind::power, b}, error};
}
Attenuated exponential(double range) {
  return {{Attenuation::Kind::exponential, range}, 1e-12};
}
// Flat and steep ones, polynomials of either degree and none.
INSTANTIATE_TEST_SUITE_P(Powers, Attenuations,
                         testing::Values(power(0.1, 1e-12), power(0.25, 3e-8), power(0.75, 1e-12),
                                         power(1, 1e-12), power(1, 3e-8), power(1.5, 3e-8),
                                         power(2, 1e-9), power(2, 3e-8), power(3, 3e-8),
                                         power(3, 1e-12), power(3.25, 3e-8), power(4, 3e-8),
                                         power(5.3, 1e-12), power(8, 1e-12), power(8, 3e-8)));
INSTANTIATE_TEST_SUITE_P(Exponentials, Attenuations,
                         testing::Values(exponential(1e-6), exponential(0.1), exponential(1),
                                         exponential(1.5), exponential(7), exponential(64),
                                         exponential(1e3), exponential(1e5), exponential(1e9)));

TEST_P(Attenuations, OfFewDepositsAndOfMany) {
  const std::int64_t cells = 9'001;
  std::mt19937_64 random(5);
  BothLayers both(cells, error, attenuation);
  for (const std::int64_t count : {1, 300, 2500}) {
    both.apply(random_impacts(random, count, -500, cells + 500, true));
    both.track();  // from now on
  }
}

/// One deposit in a chunk of many: its neighbours are a million times weaker, and opposite it, in
/// the same chunk or the next, nothing hides how its share is rounded.
TEST_P(Attenuations, AStrongDepositAmongWeakOnes) {
  for (const std::int64_t strong : {256, 287, 319, 350}) {
    std::vector<Impact> impacts;
    for (std::int64_t k = 200; k < 400; ++k) impacts.push_back({k, 1});
    impacts.push_back({strong, 2'000'000'000});
    BothLayers both(1000, error, attenuation);
    both.apply(impacts);
  }
}

TEST_P(Attenuations, FarAway) {
  BothLayers both(300, error, attenuation);
  for (const std::int64_t position : {-70, -1000, 10'000, 1'000'000'000}) {
    both.apply({{position, 1'000'000}});
  }
}

TEST_P(Convolution, UncertaintiesBeginWhereTheyAreTold) {
  cpu::ConvolvedLayer layer(100, square_root_attenuation, 1, 3e-8);
  const std::vector<Impact> deposits{{50, 1000}};
  layer.apply({deposits});
  EXPECT_EQ(layer.uncertainty(50), 0);
  layer.track_uncertainty(0.01);
  EXPECT_GE(layer.uncertainty(50), 0.01 * layer.value(50));
  EXPECT_LE(layer.uncertainty(50), 0.01 * layer.value(50) * 1.00001);
}

TEST_P(Convolution, ClearedItIsAsNew) {
  cpu::ConvolvedLayer layer(1000, square_root_attenuation, 1, 3e-8);
  layer.track_uncertainty(0);
  const std::vector<Impact> deposits{{300, 1000}};
  layer.apply({deposits, {}, StormUncertainty{{0.001, 0}, BothLayers::growth}});
  const double value = layer.value(300);
  EXPECT_GT(layer.uncertainty(300), 0);
  layer.clear();
  EXPECT_EQ(layer.value(300), 0);
  EXPECT_FALSE(layer.tracks_uncertainty());
  layer.apply({deposits});
  EXPECT_EQ(layer.value(300), value);
}

TEST_P(Convolution, NothingFallsOnIt) {
  cpu::ConvolvedLayer layer(1000, square_root_attenuation, 1, 3e-8);
  layer.apply({});
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(layer.value(k), 0);
}

}  // namespace
}  // namespace bombard
