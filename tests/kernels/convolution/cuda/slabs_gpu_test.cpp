// A layer cut into slabs on a device, which exchange states, against the whole layer on the
// processor.

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "kernels/convolution/cuda/convolved_layer.hpp"
#include "kernels/device/device_memory.hpp"
#include "tests/gpu.hpp"
#include "tests/random_storms.hpp"

using namespace bombard;

namespace {

constexpr double scale = 0.25, error = 1e-12;

/// Slabs of a layer that is cut before certain cells, each with a margin of 64 cells more.
class CutLayer {
 public:
  CutLayer(std::int64_t cells, const std::vector<std::int64_t>& cuts,
           const Attenuation& attenuation) {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      constexpr std::int64_t margin = 64;
      const CellRange own{begin, i < cuts.size() ? cuts[i] : cells};
      CellRange held = own.widened(margin, cells);
      held.begin -= held.begin % 256;
      owned_.push_back(own);
      slabs_.push_back({held.begin, held.count(), cells});
      layers_.emplace_back(slabs_.back(), own.counted_from(held.begin), attenuation, scale, error);
      begin = own.end;
    }
  }

  void apply(const std::vector<Impact>& deposits) {
    const auto [lowest, highest] = std::ranges::minmax(deposits, {}, &Impact::position);
    const std::size_t count = slabs_.size();
    // Every slab is given all impacts: it takes those that concern it.
    const cuda::DeviceArray<Impact> there{std::span<const Impact>(deposits)};
    const cuda::StormImpacts storm{.impacts = there.span(),
                                   .lowest = lowest.position,
                                   .highest = highest.position,
                                   .states_come_in = true};
    std::vector<ComingIn> in(count);
    for (cuda::ConvolvedLayer& layer : layers_) {
      layer.cover(lowest.position, highest.position);
      layer.gather({&storm, 1});
    }
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (!slabs_[i + 1].has_left()) continue;
      in[i + 1].from_left = layers_[i].leaving_right(layers_[i + 1].borders().padded.begin);
      if (in[i].from_left) layers_[i].borders().pass_on(*in[i].from_left, *in[i + 1].from_left);
    }
    for (std::size_t i = count - 1; i > 0; --i) {
      if (!slabs_[i - 1].has_right()) continue;
      in[i - 1].from_right = layers_[i].leaving_left(layers_[i - 1].borders().padded.end);
      if (in[i].from_right) layers_[i].borders().pass_on(*in[i].from_right, *in[i - 1].from_right);
    }
    cuda::DeviceArray<Screened> found(1);
    for (std::size_t i = 0; i < count; ++i) layers_[i].apply_gathered(found.span().data(), in[i]);
  }

  void expect_same(const cpu::ConvolvedLayer& whole, const cpu::ConvolvedLayer& magnitude) const {
    for (std::size_t i = 0; i < slabs_.size(); ++i) {
      std::vector<double> values(static_cast<std::size_t>(slabs_[i].cells));
      layers_[i].values(values);
      const double tolerance = whole.relative_error() + 2 * layers_[i].relative_error();
      for (std::int64_t k = owned_[i].begin; k < owned_[i].end; ++k) {
        ASSERT_NEAR(values[static_cast<std::size_t>(k - slabs_[i].first)], whole.value(k),
                    tolerance * magnitude.value(k))
            << "cell " << k << ", slab " << i;
      }
    }
  }

 private:
  std::vector<CellRange> owned_;
  std::vector<Slab> slabs_;
  std::vector<cuda::ConvolvedLayer> layers_;
};

class DeviceSlabs : public GpuTest {
 protected:
  static void expect_the_whole_layer(std::int64_t cells, const std::vector<std::int64_t>& cuts,
                                     const Attenuation& attenuation) {
    std::mt19937_64 random(17);
    CutLayer cut(cells, cuts, attenuation);
    cpu::ConvolvedLayer whole(cells, attenuation, scale, error, 2);
    cpu::ConvolvedLayer magnitude(cells, attenuation, scale, error, 2);
    for (const std::int64_t count : {1, 7, 3000, 40'000}) {
      SCOPED_TRACE(testing::Message() << cuts.front() << ": " << count << " deposits");
      // Far outside, too: then the exponentials change.
      const std::int64_t beyond = count == 3000 ? 3 * cells : 100;
      std::vector<Impact> deposits = random_impacts(random, count, -beyond, cells + beyond, true);
      cut.apply(deposits);
      whole.apply({deposits});
      for (Impact& d : deposits) d.energy = std::abs(d.energy);
      magnitude.apply({deposits});
      cut.expect_same(whole, magnitude);
      if (HasFailure()) return;
    }
  }
};

// Cuts within the first tile of 1792 cells, at the border of one and beside it, near the end; so
// near that a margin reaches it; two to four slabs.
TEST_F(DeviceSlabs, AreTheWholeLayer) {
  const std::vector<std::vector<std::int64_t>> cuts{
      {64},    {1792},  {1793},       {1856},       {3584},
      {12352}, {19968}, {640, 16448}, {1000, 1300}, {128, 400, 19904}};
  for (const std::vector<std::int64_t>& of : cuts) {
    expect_the_whole_layer(20'011, of, square_root_attenuation);
  }
}

TEST_F(DeviceSlabs, OfASteepAttenuation) {
  expect_the_whole_layer(20'011, {5000, 12352}, {Attenuation::Kind::power, 6});
}

// More than 8192 tiles: there are runs of them.
TEST_F(DeviceSlabs, OfManyTiles) {
  expect_the_whole_layer(34'000'000, {17'000'001, 17'000'300}, square_root_attenuation);
}

TEST_F(DeviceSlabs, AWrongOrderIsRefused) {
  const Slab left{0, 600, 1000};
  cuda::ConvolvedLayer layer(left, {0, 500}, square_root_attenuation, scale, error);
  const cuda::DeviceArray<Impact> there{std::span<const Impact>(std::vector<Impact>{{300, 5}})};
  cuda::DeviceArray<Screened> found(1);
  const cuda::StormImpacts storm{
      .impacts = there.span(), .lowest = 300, .highest = 300, .states_come_in = true};
  layer.gather({&storm, 1});
  EXPECT_THROW(layer.apply_gathered(found.span().data()), std::invalid_argument);
  EXPECT_THROW(layer.leaving_right(100), std::invalid_argument);
  EXPECT_THROW(layer.leaving_right(64'000), std::invalid_argument);
  EXPECT_NO_THROW(layer.apply_gathered(found.span().data(), layer.borders().nothing_coming_in()));
  EXPECT_THROW(layer.leaving_right(448), std::logic_error);
}

}  // namespace
