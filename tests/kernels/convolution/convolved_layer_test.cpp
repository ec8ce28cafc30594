// A convolved layer on the processor and on a GPU, against direct sums in long double.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/kernels/convolution/both_layers.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

class Convolution : public BackendTest {};
INSTANTIATE_TEST_SUITE_P(On, Convolution, testing::ValuesIn(backends()), name_of_backend);

std::unique_ptr<LayerUnderTest> layer_of(std::int64_t cells, double scale, double error,
                                         int threads = 1) {
  return make_layer({0, cells, cells}, square_root_attenuation, scale, error, threads);
}

TEST_P(Convolution, OneImpactInTheMiddle) {
  // 7 cells, scale 1, energy 6 at cell 3: 6/sqrt(4), 6/sqrt(3), 6/sqrt(2), 6, ..., then means of
  // three.
  const auto layer = layer_of(7, 1, 1e-12);
  const std::vector<Impact> deposits{{3, 6}};
  layer->apply({deposits});
  const std::vector<double> values = layer->values();
  EXPECT_NEAR(values[0], 3, 1e-11);
  EXPECT_NEAR(values[1], (3 + 3.4641016151377546 + 4.2426406871192851) / 3, 1e-11);
  EXPECT_NEAR(values[3], (2 * 4.2426406871192851 + 6) / 3, 1e-11);
  EXPECT_NEAR(values[6], 3, 1e-11);
}

TEST_P(Convolution, AwkwardSizes) {
  for (const std::int64_t cells :
       {1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 257, 1023, 1025, 8063, 8064,
        8127, 8128, 8129, 8191, 8192, 8193, 16255, 16257, 20011, 100003,
        // Around the borders of a GPU's tiles.
        1727, 1728, 1729, 1791, 1792, 1793, 3519, 3520, 3521}) {
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
    const auto layer = layer_of(cells, 0.25, 1e-12, 3);
    if (tracked) layer->track_uncertainty(0);
    DirectLayer window(2 * around, square_root_attenuation,
                       0.25L);  // its ends are not relaxed as the layer's cells are there
    const auto deposits = random_impacts(random, 100'000, dense, dense + seen, true);
    cpu::LayerStorm storm{.impacts = deposits};
    if (tracked) storm.uncertainty = {thousandth(deposits), {0, 0}};
    layer->apply(storm);
    std::vector<Impact> from_the_window = deposits;
    for (Impact& d : from_the_window) d.position -= dense - around;
    window.apply(from_the_window, {}, thousandth(deposits));
    const std::vector<double> values = layer->values();
    const std::vector<float> uncertainties = layer->uncertainties();
    for (std::int64_t i = 1; i + 1 < 2 * around; ++i) {
      const auto k = static_cast<std::size_t>(dense - around + i);
      EXPECT_LE(std::fabs(values[k] - window.value[i]),
                window.magnitude[i] * layer->relative_error())
          << k;
      if (!tracked) continue;
      EXPECT_GE(uncertainties[k], window.uncertainty[i] * (1 - 1e-6L)) << k;
      EXPECT_LE(uncertainties[k], window.uncertainty[i] * (1 + 1e-5L)) << k;
    }
  }
}

TEST_P(Convolution, AllImpactsOnOneCell) {
  // 2^24 times the largest energy: only integers hold the sum's last bit.
  const auto layer = layer_of(300, 1, 1e-12);
  std::vector<Impact> deposits(1 << 18, Impact{150, 2147483647});
  deposits.push_back({150, 1});
  layer->apply({deposits});
  const long double sum = 2147483647.0L * (1 << 18) + 1;
  EXPECT_NEAR(static_cast<double>(layer->values()[0] / (sum / std::sqrt(151.0L))), 1,
              layer->relative_error());
}

TEST_P(Convolution, OppositeEnergiesCancelExactly) {
  const auto layer = layer_of(500, 1, 3e-8);
  std::vector<Impact> deposits;
  for (int i = 0; i < 500; ++i) {
    deposits.push_back({i, 1000 + i});
    deposits.push_back({i, -1000 - i});
  }
  layer->apply({deposits});
  for (const double value : layer->values()) EXPECT_EQ(value, 0);
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
                                                  {-128, 19},
                                                  {-129, 19},
                                                  {cells, 23},
                                                  {cells + 63, 2},
                                                  {cells + 130, 2},
                                                  {cells + 400, 3},
                                                  {123'456'789'012, 1}}) {
    both.apply({impact});
  }
}

struct Attenuated {
  Attenuation attenuation;
  double error;
};

/// Flat and steep ones, polynomials of either degree and none.
std::vector<Attenuated> attenuations() {
  std::vector<Attenuated> all;
  for (const double error : {1e-12, 3e-8}) {
    for (const double b : {0.1, 0.25, 0.5, 0.75, 1.0, 1.7, 2.0, 3.0, 3.25, 4.0, 5.3, 8.0}) {
      all.push_back({{Attenuation::Kind::power, b}, error});
    }
    for (const double range : {1e-6, 0.1, 0.7, 1.0, 1.5, 7.0, 20.0, 64.0, 300.0, 1e5, 1e9}) {
      all.push_back({{Attenuation::Kind::exponential, range}, error});
    }
  }
  all.push_back({{Attenuation::Kind::power, 2}, 1e-9});
  return all;
}

class Attenuations : public BackendTest {
 protected:
  template <class Test>
  static void for_each(const Test& test) {
    for (const auto& [attenuation, error] : attenuations()) {
      SCOPED_TRACE(name_of(attenuation) + " " + std::to_string(error * 1e12) + "e-12");
      test(attenuation, error);
      if (HasFatalFailure()) return;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(On, Attenuations, testing::ValuesIn(devices()), name_of_backend);

/// Reaches around the borders of chunks and tiles, any others up to twice the layer, and none.
std::vector<std::int64_t> random_reaches(std::mt19937_64& random, std::size_t count,
                                         std::int64_t cells) {
  constexpr std::int64_t endless = std::int64_t{1} << 62;
  constexpr std::int64_t borders[] = {0,   1,   2,   63,  64,   65,   127,  128,    129,
                                      191, 192, 193, 449, 1791, 1792, 1793, endless};
  std::vector<std::int64_t> reaches;
  for (std::size_t i = 0; i < count; ++i) {
    const auto choice = static_cast<std::size_t>(random() % (2 * std::size(borders)));
    const auto any = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * cells));
    reaches.push_back(choice < std::size(borders) ? borders[choice] : any + 1);
  }
  return reaches;
}

TEST_P(Attenuations, OfFewDepositsAndOfMany) {
  for_each([](const Attenuation& attenuation, double error) {
    for (const std::int64_t cells : {1, 64, 1793, 4001}) {
      std::mt19937_64 random(static_cast<std::uint64_t>(cells));
      BothLayers both(cells, error, attenuation);
      for (const std::int64_t count : {std::int64_t{30}, cells / 6}) {
        const auto deposits = random_impacts(random, count, -500, cells + 500, true);
        both.apply(deposits, random_reaches(random, deposits.size(), cells));
      }
      for (const std::int64_t count : {std::int64_t{1}, std::int64_t{300}, cells / 4}) {
        const std::int64_t beyond = count == 300 ? 2 * cells : 500;
        both.apply(random_impacts(random, count, -beyond, cells + beyond, true));
        both.track();  // from now on
      }
    }
  });
}

/// One deposit in a chunk of many: its neighbours are a million times weaker, and opposite it, in
/// the same chunk or the next, nothing hides how its share is rounded.
TEST_P(Attenuations, AStrongDepositAmongWeakOnes) {
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

/// Every distance between an impact and a cell, in a layer of its own each: nothing else in a cell
/// hides what is wrong with a share.
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
    BothLayers both(cells, error, attenuation);
    for (const std::int64_t away :
         {std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{65}, std::int64_t{1000},
          std::int64_t{1'000'000'000}, std::int64_t{1} << 61}) {
      both.apply({{-away, 1'000'000}});
      both.apply({{-away, 1000}, {cells - 1 + away, -777}}, {away + 1000, away + 65});
    }
  });
}

/// What double precision promises, and what single precision's own roundings do not drown in.
TEST_P(Attenuations, BoundsAreGood) {
  for_each([](const Attenuation& attenuation, double error) {
    for (const std::int64_t cells : {64, 20011, 4'000'000}) {
      const auto layer = make_layer({0, cells, cells}, attenuation, 0.25, error);
      EXPECT_LT(layer->relative_error(), error < 1e-10 ? 5e-12 : 1e-6) << cells;
    }
  });
}

TEST_P(Convolution, UncertaintiesBeginWhereTheyAreTold) {
  const auto layer = layer_of(100, 1, 3e-8);
  const std::vector<Impact> deposits{{50, 1000}};
  layer->apply({deposits});
  EXPECT_EQ(layer->uncertainties()[50], 0);
  layer->track_uncertainty(0.01);
  const double value = layer->values()[50];
  EXPECT_GE(layer->uncertainties()[50], 0.01 * value);
  EXPECT_LE(layer->uncertainties()[50], 0.01 * value * 1.00001);
}

TEST_P(Convolution, ClearedItIsAsNew) {
  const auto layer = layer_of(1000, 1, 3e-8);
  layer->track_uncertainty(0);
  const std::vector<Impact> deposits{{300, 1000}};
  layer->apply({deposits, {}, StormUncertainty{{0.001, 0}, BothLayers::growth}});
  const double value = layer->values()[300];
  EXPECT_GT(layer->uncertainties()[300], 0);
  layer->clear();
  EXPECT_EQ(layer->values()[300], 0);
  EXPECT_FALSE(layer->tracks_uncertainty());
  layer->apply({deposits});
  EXPECT_EQ(layer->values()[300], value);
}

TEST_P(Convolution, NothingFallsOnIt) {
  const auto layer = layer_of(1000, 1, 3e-8);
  layer->apply({});
  for (const double value : layer->values()) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace bombard
