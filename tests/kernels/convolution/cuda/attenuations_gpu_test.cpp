// The convolution on the device with attenuations of any steepness, against direct sums in long
// double: errors are within the bounds that the layer gives, and the bounds are good ones.

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/convolution/chunks.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"
#include "tests/kernels/convolution/direct_layer.hpp"
#include "tests/random_storms.hpp"

using namespace bombard;

namespace {

constexpr double scale = 0.25;
constexpr UncertaintyGrowth growth{1e-4, 1e-5};

Attenuation power(double b) {
  return {Attenuation::Kind::power, b};
}
Attenuation exponential(double range) {
  return {Attenuation::Kind::exponential, range};
}

struct Storm {
  std::vector<Impact> deposits;
  std::vector<std::int64_t> reaches;  ///< none: all count everywhere
};

/// Gives deposits reaches around the borders of chunks and tiles, any others up to twice the layer,
/// and none.
Storm with_reaches(std::mt19937_64& random, std::vector<Impact> deposits, std::int64_t cells) {
  constexpr std::int64_t endless = std::int64_t{1} << 62;
  constexpr std::int64_t borders[] = {0,   1,   2,   63,  64,   65,   127,  128,    129,
                                      191, 192, 193, 449, 1791, 1792, 1793, endless};
  Storm storm{std::move(deposits), {}};
  for (std::size_t i = 0; i < storm.deposits.size(); ++i) {
    const auto choice = static_cast<std::size_t>(random() % (2 * std::size(borders)));
    const auto any = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * cells));
    storm.reaches.push_back(choice < std::size(borders) ? borders[choice] : any + 1);
  }
  return storm;
}

/// A layer on the device and the direct one beside it.
class Both {
 public:
  Both(std::int64_t cells, const Attenuation& attenuation, double error, bool tracked = false)
      : gpu(cells, {0, cells}, attenuation, scale, error), direct(cells, attenuation, scale) {
    if (tracked) gpu.track_uncertainty(0);
  }

  void apply(const Storm& storm) {
    const cuda::DeviceArray<Impact> deposits{std::span<const Impact>(storm.deposits)};
    const cuda::DeviceArray<std::int64_t> reaches{std::span<const std::int64_t>(storm.reaches)};
    cuda::DeviceArray<Screened> found(1);
    const auto [lowest, highest] = std::ranges::minmax(storm.deposits, {}, &Impact::position);
    const DepositUncertainty off = thousandth(storm.deposits);
    if (storm.reaches.empty()) {
      gpu.apply({deposits.span(), lowest.position, highest.position, StormUncertainty{off, growth}},
                found.span().data());
    } else {
      gpu.apply_directly(deposits.span(), reaches.span(), found.span().data());
    }
    if (gpu.tracks_uncertainty()) {
      direct.apply(storm.deposits, storm.reaches, off, growth);
    } else {
      direct.apply(storm.deposits, storm.reaches);
    }
    expect_close();
  }

  void expect_close() const {
    std::vector<double> values(direct.value.size());
    gpu.values(values);
    const long double beyond = 1e-290L;  // smaller numbers lose digits
    for (std::size_t k = 0; k < values.size(); ++k) {
      ASSERT_LE(std::fabs(values[k] - direct.value[k]),
                gpu.relative_error() * direct.magnitude[k] + beyond)
          << "cell " << k << " of " << values.size();
    }
    if (!gpu.tracks_uncertainty()) return;
    std::vector<float> uncertainties(values.size());
    gpu.uncertainties(uncertainties);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const long double expected = direct.uncertainty[k];
      ASSERT_LE(std::fabs(uncertainties[k] - expected), 1e-5L * expected + beyond + 1e-30L)
          << "cell " << k << " of " << values.size();
    }
  }

  cuda::ConvolvedLayer gpu;
  DirectLayer direct;
};

struct Attenuated {
  Attenuation attenuation;
  double error;
};

class AttenuationsOnGpu : public GpuTest, public testing::WithParamInterface<Attenuated> {};
class SteepOnGpu : public GpuTest {};
class LargeSteepOnGpu : public GpuTest {};

TEST_P(AttenuationsOnGpu, AgreeWithDirectSums) {
  const auto& [attenuation, error] = GetParam();
  for (const std::int64_t cells : {1, 64, 65, 1792, 1793, 5000, 20011}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(cells));
    Both both(cells, attenuation, error);
    const auto deposits = [&](std::int64_t count, std::int64_t beyond) {
      return random_impacts(random, count, -beyond, cells + beyond, true);
    };
    const auto many = std::min<std::int64_t>(cells, 1500);
    both.apply({deposits(1, 0), {}});
    both.apply({deposits(30, 2 * cells + 200), {}});
    both.apply({deposits(many, 100), {}});
    both.apply(with_reaches(random, deposits(1, 0), cells));
    both.apply(with_reaches(random, deposits(30, 2 * cells + 200), cells));
    both.apply(with_reaches(random, deposits(many, 100), cells));
    if (HasFatalFailure()) return;
  }
}

/// Every distance between an impact and a cell, in a layer of its own each: nothing else in a cell
/// hides what is wrong with a share.
TEST_P(AttenuationsOnGpu, OneImpactOfEveryPlaceInAChunk) {
  const auto& [attenuation, error] = GetParam();
  const std::int64_t cells = 2000;
  for (std::int64_t position = 700; position < 764; position += 7) {
    Both both(cells, attenuation, error);
    both.apply({{{position, 1000}}, {}});
    both.gpu.clear();
    both.direct = DirectLayer(cells, attenuation, scale);
    both.apply({{{position, 1000}}, {300 + position % 130}});
    if (HasFatalFailure()) return;
  }
}

TEST_P(AttenuationsOnGpu, UncertaintiesAreTracked) {
  const auto& [attenuation, error] = GetParam();
  const std::int64_t cells = 3000;
  std::mt19937_64 random(3);
  Both both(cells, attenuation, error, true);
  for (const std::int64_t count : {3, 40, 1500}) {
    both.apply({random_impacts(random, count, -300, cells + 300, true), {}});
  }
}

/// What double precision promises, and what single precision's own roundings do not drown in.
TEST_P(AttenuationsOnGpu, BoundsAreGood) {
  const auto& [attenuation, error] = GetParam();
  for (const std::int64_t cells : {64, 20011, 4'000'000}) {
    const cuda::ConvolvedLayer layer(cells, {0, cells}, attenuation, scale, error);
    EXPECT_LT(layer.relative_error(), error < 1e-9 ? 5e-12 : 1e-6) << cells;
  }
}

std::vector<Attenuated> attenuations() {
  std::vector<Attenuated> all;
  for (const double error : {1e-12, 3e-8}) {
    for (const double b : {0.1, 0.25, 0.5, 1.0, 1.7, 2.0, 3.0, 4.0, 5.5, 8.0}) {
      all.push_back({power(b), error});
    }
    for (const double range : {0.7, 1.0, 3.0, 20.0, 300.0, 1e6}) {
      all.push_back({exponential(range), error});
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, AttenuationsOnGpu, testing::ValuesIn(attenuations()),
                         [](const auto& info) {
                           std::string name = name_of(info.param.attenuation) +
                                              (info.param.error < 1e-9 ? "double" : "single");
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST_F(SteepOnGpu, StormsGatheredAtOnce) {
  const std::int64_t cells = 9001;
  std::mt19937_64 random(5);
  for (const bool tracked : {false, true}) {
    Both both(cells, power(2), 1e-12, tracked);
    std::vector<std::vector<Impact>> storms;
    std::vector<Impact> all;
    for (int i = 0; i < 3; ++i) {
      storms.push_back(random_impacts(random, 200 * (i + 1), 0, cells, true));
      all.insert(all.end(), storms.back().begin(), storms.back().end());
    }
    const cuda::DeviceArray<Impact> there{std::span<const Impact>(all)};
    std::span<const Impact> left = there.span();
    std::vector<cuda::StormImpacts> sent;
    for (const std::vector<Impact>& storm : storms) {
      sent.push_back(
          {left.first(storm.size()), 0, cells - 1, StormUncertainty{thousandth(storm), growth}});
      left = left.subspan(storm.size());
    }
    cuda::DeviceArray<Screened> found(1);
    ASSERT_EQ(both.gpu.gather(sent), 3U);
    for (const std::vector<Impact>& storm : storms) {
      both.gpu.apply_gathered(found.span().data());
      both.direct.apply(storm, {}, thousandth(storm), growth);
      both.expect_close();
    }
  }
}

/// One impact outshines all others; cells that are far from it lie at places that mirror near ones.
TEST_F(SteepOnGpu, MirroredPlaces) {
  const std::int64_t cells = 3000;
  std::vector<Impact> deposits;
  for (std::int64_t k = 0; k < cells; k += 7) deposits.push_back({k, 1});
  deposits.push_back({1000 - 1000 % chunk_cells + chunk_cells - 1, 2'000'000'000});
  for (const double error : {1e-12, 3e-8}) {
    for (const double b : {0.5, 1.0, 3.0, 4.0, 5.5, 8.0}) {
      Both both(cells, power(b), error);
      both.apply({deposits, {}});
    }
  }
}

TEST_F(SteepOnGpu, FarOutside) {
  const std::int64_t cells = 5000;
  const std::int64_t farthest = std::int64_t{1} << 61;
  for (const Attenuation& attenuation : {power(1), power(8), exponential(1), exponential(1e9)}) {
    Both both(cells, attenuation, 1e-12);
    for (const std::int64_t away :
         {std::int64_t{1}, std::int64_t{63}, std::int64_t{64}, std::int64_t{65}, std::int64_t{500},
          std::int64_t{1'000'000'000}, farthest}) {
      both.apply({{{-away, 1000}}, {}});
      both.apply({{{-away, 1000}, {cells - 1 + away, -777}}, {away + 1000, away + 65}});
    }
  }
}

TEST_F(LargeSteepOnGpu, SparseStorms) {
  // More tiles than are applied at once, and more than are scanned at once.
  for (const std::int64_t cells : {4'000'003, 16'000'003}) {
    for (const Attenuation& attenuation : {power(1), exponential(20)}) {
      Both both(cells, attenuation, 1e-12);
      both.apply({{{100, 1000}, {cells / 2, -500}, {cells - 5000, 300}}, {}});
      both.apply({{{100, 1000}, {cells / 2, -500}, {-70, 300}}, {cells / 3, 60'000, 1'048'577}});
    }
  }
}

}  // namespace
