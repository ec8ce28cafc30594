// Deposits that count up to a reach only, in the convolution on the device, against direct sums in
// long double.

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"

using namespace bombard;

namespace {

constexpr std::int64_t endless = std::int64_t{1} << 62;

struct Ending {
  std::int64_t position;
  std::int32_t energy;
  std::int64_t reach;
};
using EndingStorm = std::vector<Ending>;

/// The same storms on the device and in long double.
class TwoLayers {
 public:
  TwoLayers(std::int64_t cells, double power, double scale, double error)
      : gpu(cells, {0, cells}, {Attenuation::Kind::power, power}, scale, error),
        power_(power),
        scale_(scale),
        values_(static_cast<std::size_t>(cells)),
        magnitudes_(values_.size()),
        uncertainties_(values_.size()) {}

  void clear() {
    gpu.clear();
    for (auto* numbers : {&values_, &magnitudes_, &uncertainties_}) {
      std::ranges::fill(*numbers, 0);
    }
    of_cuts_ = 0;
  }

  Screened apply(const EndingStorm& storm, bool with_reaches = true) {
    std::vector<Impact> deposits;
    std::vector<std::int64_t> reaches;
    for (const Ending& e : storm) {
      deposits.push_back({e.position, e.energy});
      reaches.push_back(e.reach);
    }
    const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
    const cuda::DeviceArray<std::int64_t> reaches_there{std::span<const std::int64_t>(reaches)};
    cuda::DeviceArray<Screened> found(1);
    const auto [lowest, highest] = std::ranges::minmax(storm, {}, &Ending::position);
    gpu.apply({there.span(), lowest.position, highest.position, StormUncertainty{off_, growth_},
               with_reaches ? reaches_there.span() : std::span<const std::int64_t>{}},
              found.span().data());
    apply_here(storm, with_reaches);
    Screened result;
    found.copy_to({&result, 1});
    return result;
  }

  /// Says how far off the values were, as a part of what they may be.
  double expect_same() {
    std::vector<double> values(values_.size());
    gpu.values(values);
    long double worst = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const long double bound = gpu.relative_error() * magnitudes_[k] + gpu.cut_error() * of_cuts_;
      const long double off = std::fabs(values[k] - values_[k]);
      if (off > bound) {
        EXPECT_LE(off, bound) << "cell " << k << " of " << values.size();
        return 2;
      }
      if (bound > 0) worst = std::max(worst, off / bound);
    }
    if (gpu.tracks_uncertainty()) expect_uncertainties();
    return static_cast<double>(worst);
  }

  cuda::ConvolvedLayer gpu;

 private:
  void expect_uncertainties() {
    std::vector<float> uncertainties(values_.size());
    gpu.uncertainties(uncertainties);
    for (std::size_t k = 0; k < uncertainties.size(); ++k) {
      const auto expected = static_cast<double>(uncertainties_[k]);
      ASSERT_NEAR(uncertainties[k], expected,
                  1e-5 * expected + 1e-30 + static_cast<double>(gpu.cut_error() * of_cuts_))
          << "cell " << k << " of " << uncertainties.size();
    }
  }

  long double share(const Ending& e, std::int64_t distance) const {
    const auto n = static_cast<long double>(distance);
    return e.energy * static_cast<long double>(scale_) *
           (power_ == 0.5 ? 1 / std::sqrt(n) : std::pow(n, -static_cast<long double>(power_)));
  }

  void apply_here(const EndingStorm& storm, bool with_reaches) {
    const auto cells = static_cast<std::int64_t>(values_.size());
    for (std::size_t k = 0; k < values_.size(); ++k) {
      uncertainties_[k] += growth_.growth * (uncertainties_[k] + std::fabs(values_[k]));
    }
    for (std::size_t i = 0; i < storm.size(); ++i) {
      Ending e = storm[i];
      if (!with_reaches) e.reach = endless;
      const long double off = off_.of(static_cast<std::int64_t>(i), 1);
      const std::int64_t begin = std::max(e.position - e.reach + 1, std::int64_t{0});
      const std::int64_t end = std::min(e.position + e.reach, cells);
      for (std::int64_t k = begin; k < end; ++k) {
        const long double here = share(e, std::abs(e.position - k) + 1);
        values_[static_cast<std::size_t>(k)] += here;
        magnitudes_[static_cast<std::size_t>(k)] += std::fabs(here);
        uncertainties_[static_cast<std::size_t>(k)] += off * std::fabs(here);
      }
      if (begin < end && e.reach < endless) of_cuts_ += 2 * std::fabs(share(e, e.reach + 1));
    }
    for (std::size_t k = 0; k < values_.size(); ++k) {
      uncertainties_[k] += growth_.rounding * std::fabs(values_[k]);
    }
    for (auto* numbers : {&values_, &magnitudes_, &uncertainties_}) {
      const std::vector<long double> before = *numbers;
      for (std::size_t k = 1; k + 1 < before.size(); ++k) {
        (*numbers)[k] = (before[k - 1] + before[k] + before[k + 1]) / 3;
      }
    }
  }

  double power_, scale_;
  std::vector<long double> values_, magnitudes_, uncertainties_;
  long double of_cuts_ = 0;  ///< |share| in the first cells that do not count
  DepositUncertainty off_{1e-3, 1e-7};
  UncertaintyGrowth growth_{1e-4, 1e-5};
};

/// Reaches around the borders of chunks and tiles, any others up to twice the layer, and none.
std::int64_t random_reach(std::mt19937_64& random, std::int64_t cells) {
  constexpr std::int64_t borders[] = {0,    1,    2,    63,   64,   65,      127,        128,
                                      129,  191,  192,  193,  1791, 1792,    1793,       1919,
                                      1920, 1921, 1983, 1984, 1985, endless, endless + 5};
  const auto choice = static_cast<std::size_t>(random() % (2 * std::size(borders)));
  if (choice < std::size(borders)) return borders[choice];
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * cells)) + 1;
}

EndingStorm random_storm(std::mt19937_64& random, std::int64_t count, std::int64_t from,
                         std::int64_t to, std::int64_t cells) {
  EndingStorm storm;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto energy = static_cast<std::int32_t>(random() % 1000) + 1;
    storm.push_back(
        {from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from)),
         random() % 2 == 0 ? -energy : energy, random_reach(random, cells)});
  }
  return storm;
}

class SmallSourceEndsOnGpu : public GpuTest {};
class SourceEndsOnGpu : public GpuTest {};
class LargeSourceEndsOnGpu : public GpuTest {};

TEST_F(SmallSourceEndsOnGpu, ByHand) {
  // 7 cells, scale 1, energy 6 at cell 3 with a reach of 2: 6 there and 6/sqrt(2) beside it, then
  // means of three. At the layer's end, energy 3 counts in the last cell only.
  cuda::ConvolvedLayer layer(7, {0, 7}, square_root_attenuation, 1, 1e-12);
  const std::vector<Impact> deposits{{3, 6}, {6, 3}, {5, 100}};
  const std::vector<std::int64_t> reaches{2, 1, 0};
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
  const cuda::DeviceArray<std::int64_t> reaches_there{std::span<const std::int64_t>(reaches)};
  cuda::DeviceArray<Screened> found(1);
  cuda::DeviceArray<Candidate> candidates(7);
  const double beside = 4.2426406871192851;
  const double high = (2 * beside + 6) / 3;
  const double next = (beside + 6) / 3;
  const double expected[] = {0, beside / 3, next, high, next, (beside + 3) / 3, 3};
  // Cells may be off by a number: with 0.70 the neighbours of the highest cannot reach it, with
  // 0.72 they can.
  for (const auto& [absolute, count] : {std::pair{0.70, 1U}, {0.72, 3U}}) {
    layer.clear();
    layer.apply({there.span(), 3, 6, {}, reaches_there.span()}, found.span().data())
        .screen(0, candidates.span(), nullptr, absolute);
    std::vector<double> values(7);
    layer.values(values);
    for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(values[k], expected[k], 1e-14) << k;
    Screened screened;
    found.copy_to({&screened, 1});
    EXPECT_EQ(screened.peak.index, 3);
    EXPECT_NEAR(screened.least, high - absolute, 1e-14);
    EXPECT_EQ(screened.count, count);
  }
}

TEST_F(SmallSourceEndsOnGpu, AbsolutePartOfTheBoundInAnotherTile) {
  // An energy e brings e and, on both sides, e/sqrt(2): the mean of the three is 0.8047 e. The
  // second one is 0.80 lower, and may be the higher one when both may be off by half as much.
  cuda::ConvolvedLayer layer(6000, {0, 6000}, square_root_attenuation, 1, 1e-12);
  const std::vector<Impact> deposits{{100, 1000}, {5000, 999}};
  const std::vector<std::int64_t> reaches{2, 2};
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
  const cuda::DeviceArray<std::int64_t> reaches_there{std::span<const std::int64_t>(reaches)};
  cuda::DeviceArray<Screened> found(1);
  cuda::DeviceArray<Candidate> candidates(7);
  for (const auto& [absolute, count] : {std::pair{0.39, 1U}, {0.41, 2U}}) {
    layer.clear();
    layer.apply({there.span(), 100, 5000, {}, reaches_there.span()}, found.span().data())
        .screen(0, candidates.span(), nullptr, absolute);
    Screened screened;
    found.copy_to({&screened, 1});
    EXPECT_EQ(screened.peak.index, 100);
    EXPECT_EQ(screened.count, count);
  }
}

TEST_F(SmallSourceEndsOnGpu, NotAsManyReachesAsDeposits) {
  cuda::ConvolvedLayer layer(7, {0, 7}, square_root_attenuation, 1, 1e-12);
  const cuda::DeviceArray<Impact> deposits{std::span<const Impact>(std::vector<Impact>(2))};
  const cuda::DeviceArray<std::int64_t> reaches(3);
  cuda::DeviceArray<Screened> found(1);
  EXPECT_THROW(layer.apply({deposits.span(), 0, 0, {}, reaches.span()}, found.span().data()),
               std::invalid_argument);
}

class SourceEndsSizesOnGpu : public GpuTest, public testing::WithParamInterface<std::int64_t> {};

TEST_P(SourceEndsSizesOnGpu, AgreeWithDirectSums) {
  const std::int64_t cells = GetParam();
  std::mt19937_64 random(static_cast<std::uint64_t>(cells));
  for (const double error : {1e-12, 3e-8}) {
    for (const bool tracked : {false, true}) {
      TwoLayers layers(cells, 0.5, 1000.0 / static_cast<double>(cells), error);
      if (tracked) layers.gpu.track_uncertainty(0);
      for (int storm = 0; storm < 5; ++storm) {
        EndingStorm deposits = random_storm(random, storm == 0 ? 1 : 60, 0, cells, cells);
        const EndingStorm outside =
            random_storm(random, 20, -2 * cells - 200, 3 * cells + 200, 2 * cells + 100);
        if (storm == 2 || storm == 4) {
          deposits.insert(deposits.end(), outside.begin(), outside.end());
        }
        layers.apply(deposits, storm != 3);
        layers.expect_same();
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Awkward, SourceEndsSizesOnGpu,
                         testing::Values(1, 2, 3, 63, 64, 65, 127, 129, 1663, 1664, 1665, 1728,
                                         1791, 1792, 1793, 1855, 1857, 3456, 3585, 20011, 100003));

TEST_F(SourceEndsOnGpu, OtherPowers) {
  const std::int64_t cells = 6007;
  std::mt19937_64 random(5);
  for (const double power : {0.25, 1.0, 1.5, 3.0}) {
    TwoLayers layers(cells, power, 1, 1e-12);
    for (int storm = 0; storm < 3; ++storm) {
      layers.apply(random_storm(random, 40, -500, cells + 500, cells));
      layers.expect_same();
    }
  }
}

/// Tiles are 1792 cells, chunks 64, the first one of both begins 64 before the layer.
TEST_F(SourceEndsOnGpu, EndsAtTheBordersOfChunksAndTiles) {
  const std::int64_t cells = 12'000;
  TwoLayers layers(cells, 0.5, 1, 1e-12);
  for (const std::int64_t border : {0, 64, 1792, 1792 + 64, 3 * 1792 - 128, 3 * 1792, 6 * 1792}) {
    for (const std::int64_t away : {-66, -65, -64, -63, -3, -2, -1, 0, 1, 2, 3, 63, 64, 65}) {
      const std::int64_t end = border - 64 + away;
      for (const std::int64_t reach : {1, 64, 65, 127, 128, 129, 192, 193, 1800, 5000}) {
        // The first cell that does not count is `end`, of one on its right and of one on its left.
        for (const std::int64_t position : {end - reach, end + reach}) {
          layers.clear();
          layers.apply({{position, 1000, reach}});
          if (layers.expect_same() > 1) {
            FAIL() << "position " << position << ", reach " << reach;
          }
        }
      }
    }
  }
}

TEST_F(SourceEndsOnGpu, FarOutside) {
  const std::int64_t cells = 5000;
  const std::int64_t farthest = std::int64_t{1} << 61;
  TwoLayers layers(cells, 0.5, 1, 1e-12);
  for (const std::int64_t reached : {1, 2, 64, 65, 1000, 1728, 1729, 4900, 4999, 5000, 5001}) {
    for (const std::int64_t away :
         {std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{65}, std::int64_t{500},
          std::int64_t{1'000'000'000}, farthest}) {
      layers.clear();
      layers.apply({{-away, 1000, away + reached}, {cells - 1 + away, -777, away + reached}});
      layers.expect_same();
    }
  }
  layers.clear();
  layers.apply({{-10, 1000, 10}, {cells + 10, 1000, 11}, {-farthest, 1000, 77}});
  layers.expect_same();
}

TEST_F(SourceEndsOnGpu, HeapedOnOneCell) {
  // What they have brought is taken off again, however nearly it was right: beyond their reach only
  // roundings are left. In the last cell of a chunk, where the polynomial for it is farthest off.
  const std::int64_t cells = 9000;
  for (const double error : {1e-12, 3e-8}) {
    for (const bool tracked : {false, true}) {
      for (const std::int64_t reach : {100, 130, 2500}) {
        TwoLayers layers(cells, 0.5, 1, error);
        if (tracked) layers.gpu.track_uncertainty(0);
        layers.apply(EndingStorm(300, {4351, 100, reach}));
        layers.expect_same();
      }
    }
  }
}

TEST_F(SourceEndsOnGpu, ManyEndsInATile) {
  std::mt19937_64 random(29);
  const std::int64_t cells = 20'000;
  for (const double error : {1e-12, 3e-8}) {
    for (const bool tracked : {false, true}) {
      TwoLayers layers(cells, 0.5, 1, error);
      if (tracked) layers.gpu.track_uncertainty(0);
      for (int i = 0; i < 2; ++i) {
        EndingStorm storm = random_storm(random, 5000, 0, cells, cells);
        for (Ending& e : storm) e.reach = std::int64_t{e.energy} * e.energy / 100;
        layers.apply(storm);
        layers.expect_same();
      }
    }
  }
}

TEST_F(SourceEndsOnGpu, ManyTiles) {
  const std::int64_t cells = 1'000'003;
  std::mt19937_64 random(31);
  TwoLayers layers(cells, 0.5, 1000.0 / cells, 1e-12);
  for (int i = 0; i < 2; ++i) {
    layers.apply(random_storm(random, 50, -1000, cells + 1000, cells));
    layers.apply(random_storm(random, 50, -1000, cells + 1000, 20'000));
    layers.apply(random_storm(random, 3, 0, cells, cells), false);
    layers.expect_same();
  }
}

TEST_F(LargeSourceEndsOnGpu, MoreTilesThanAreScannedAtOnce) {
  // Reaches from one run of 32 tiles to others, one beyond the table of shares.
  const std::int64_t cells = 16'000'003;
  TwoLayers layers(cells, 0.5, 1, 1e-12);
  layers.apply({{8'000'000, 1000, 7'000'000},
                {1'000'000, -500, 60'000},
                {5'000'000, 300, 1'048'575},
                {5'000'000, 300, 1'048'576},
                {15'999'000, 400, 57'344},
                {-5000, 100, 9'000'000}});
  layers.expect_same();
}

TEST_F(SourceEndsOnGpu, StormsWithReachesAreNotGatheredWithOthers) {
  const std::int64_t cells = 50'001;
  const std::vector<Impact> deposits(400, {100, 6});
  const std::vector<std::int64_t> reaches(100, 70);
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
  const cuda::DeviceArray<std::int64_t> reaches_there{std::span<const std::int64_t>(reaches)};
  cuda::ConvolvedLayer layer(cells, {0, cells}, square_root_attenuation, 1, 1e-12);
  std::vector<cuda::StormDeposits> storms;
  for (std::size_t i = 0; i < 4; ++i) {
    storms.push_back({there.span().subspan(100 * i, 100), 100, 100});
  }
  storms[2].reaches = reaches_there.span();
  const auto gathered = [&](std::size_t from) {
    return layer.gather(std::span<const cuda::StormDeposits>(storms).subspan(from)).count();
  };
  EXPECT_EQ(gathered(0), 2U);
  EXPECT_EQ(gathered(2), 1U);
  EXPECT_EQ(gathered(3), 1U);
}

TEST_F(SourceEndsOnGpu, SeveralGatheredAtOnceAreThoseOneByOne) {
  const std::int64_t cells = 20'011;
  std::mt19937_64 random(41);
  std::vector<Impact> deposits;
  std::vector<std::int64_t> reaches;
  for (int i = 0; i < 900; ++i) {
    deposits.push_back({static_cast<std::int64_t>(random() % cells),
                        static_cast<std::int32_t>(random() % 1000) - 300});
    reaches.push_back(static_cast<std::int64_t>(random() % 9000));
  }
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
  const cuda::DeviceArray<std::int64_t> reaches_there{std::span<const std::int64_t>(reaches)};
  cuda::DeviceArray<Screened> found(3);
  std::vector<cuda::StormDeposits> storms;
  for (const auto& [begin, count] :
       {std::pair<std::size_t, std::size_t>{0, 200}, {200, 400}, {600, 300}}) {
    storms.push_back({.deposits = there.span().subspan(begin, count),
                      .lowest = 0,
                      .highest = cells - 1,
                      .uncertainty = StormUncertainty{{1e-3, 1e-6}, {1e-5, 1e-6}},
                      .reaches = reaches_there.span().subspan(begin, count)});
  }
  for (const bool tracked : {false, true}) {
    std::vector<std::vector<double>> values;
    std::vector<std::vector<float>> uncertainties;
    for (const bool together : {false, true}) {
      cuda::ConvolvedLayer layer(cells, {0, cells}, square_root_attenuation, 1, 3e-8);
      if (tracked) layer.track_uncertainty(0);
      if (together) {
        cuda::GatheredStorms gathered = layer.gather(storms);
        EXPECT_EQ(gathered.count(), 3U);
        for (std::size_t i = 0; i < 3; ++i) gathered.apply(found.span().data() + i);
      } else {
        for (const cuda::StormDeposits& storm : storms) layer.apply(storm, found.span().data());
      }
      layer.values(values.emplace_back(static_cast<std::size_t>(cells)));
      uncertainties.emplace_back(static_cast<std::size_t>(cells));
      if (tracked) layer.uncertainties(uncertainties.back());
    }
    EXPECT_EQ(values[0], values[1]);
    for (std::size_t k = 0; k < uncertainties[0].size(); ++k) {  // their sums have no order
      ASSERT_NEAR(uncertainties[0][k], uncertainties[1][k], 1e-6 * uncertainties[0][k]) << k;
    }
  }
}

TEST_F(SourceEndsOnGpu, SameBitsAgain) {
  std::mt19937_64 random(37);
  const std::int64_t cells = 50'000;
  const EndingStorm storm = random_storm(random, 3000, -500, cells + 500, cells);
  TwoLayers layers(cells, 0.5, 1, 1e-12);
  std::vector<std::vector<double>> runs;
  for (int run = 0; run < 2; ++run) {
    layers.clear();
    layers.apply(storm);
    layers.gpu.values(runs.emplace_back(static_cast<std::size_t>(cells)));
  }
  EXPECT_EQ(runs[0], runs[1]);
}

}  // namespace
