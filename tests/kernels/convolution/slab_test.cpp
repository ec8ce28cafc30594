// A layer cut into slabs that exchange states, on the CPU and on a GPU, against direct sums over
// the whole layer in long double.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "kernels/convolution/cpu/convolved_layer.hpp"
#include "kernels/layer/cell_range.hpp"
#include "tests/kernels/convolution/direct_layer.hpp"
#include "tests/kernels/convolution/layer_under_test.hpp"
#include "tests/random_storms.hpp"

namespace bombard {
namespace {

constexpr double scale = 0.25, error = 1e-12;

/// A layer cut before certain cells. Each slab holds 64 more cells on either side, or up to 319
/// more if slabs begin at multiples of 256 cells, as those of engines do.
class CutLayer {
 public:
  CutLayer(std::int64_t cells, const std::vector<std::int64_t>& cuts,
           const Attenuation& attenuation, std::int64_t begins_at)
      : cells_(cells) {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      constexpr std::int64_t margin = 64;
      own_.push_back({begin, i < cuts.size() ? cuts[i] : cells});
      CellRange held = own_.back().widened(margin, cells);
      held.begin -= held.begin % begins_at;
      slabs_.push_back({held.begin, held.count(), cells});
      layers_.push_back(make_layer(slabs_.back(), attenuation, scale, error));
      begin = own_.back().end;
    }
  }

  /// Positions are counted from the first cell of the whole layer.
  void apply(const std::vector<Impact>& deposits) {
    const auto [lowest, highest] = std::ranges::minmax(deposits, {}, &Impact::position);
    const std::size_t count = slabs_.size();
    for (std::size_t i = 0; i < count; ++i) {
      layers_[i]->cover(lowest.position, highest.position);
      layers_[i]->gather({.impacts = deposits, .origin = slabs_[i].first});
    }
    std::vector<ComingIn> in(count);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (!slabs_[i + 1].has_left()) continue;  // the margin reaches the end of the layer
      in[i + 1].from_left = layers_[i]->leaving_right(layers_[i + 1]->borders().padded.begin);
      if (in[i].from_left) layers_[i]->borders().pass_on(*in[i].from_left, *in[i + 1].from_left);
    }
    for (std::size_t i = count - 1; i > 0; --i) {
      if (!slabs_[i - 1].has_right()) continue;
      in[i - 1].from_right = layers_[i]->leaving_left(layers_[i - 1]->borders().padded.end);
      if (in[i].from_right) layers_[i]->borders().pass_on(*in[i].from_right, *in[i - 1].from_right);
    }
    for (std::size_t i = 0; i < count; ++i) layers_[i]->apply_gathered(in[i]);
  }

  /// Compares the cells for which each slab is responsible with those of the whole layer.
  void expect_same(const DirectLayer& whole) const {
    for (std::size_t i = 0; i < slabs_.size(); ++i) {
      const std::vector<double> values = layers_[i]->values();
      // Another slab's states come in.
      const long double tolerance = 2 * layers_[i]->relative_error();
      for (std::int64_t k = own_[i].begin; k < own_[i].end; ++k) {
        ASSERT_LE(std::fabs(values[k - slabs_[i].first] - whole.value[k]),
                  tolerance * whole.magnitude[k])
            << "cell " << k << ", slab " << i;
      }
    }
  }

 private:
  std::int64_t cells_;
  std::vector<CellRange> own_;
  std::vector<Slab> slabs_;
  std::vector<std::unique_ptr<LayerUnderTest>> layers_;
};

class Slabs : public BackendTest {
 protected:
  using Cuts = std::vector<std::int64_t>;

  /// A layer cut in any of these ways is the whole one.
  static void expect_the_whole_layer(std::int64_t cells, const std::vector<Cuts>& ways,
                                     std::int64_t most = 500,
                                     const Attenuation& attenuation = square_root_attenuation) {
    Random random(17);
    std::vector<CutLayer> layers;
    for (const Cuts& cuts : ways) layers.emplace_back(cells, cuts, attenuation, begins_at());
    DirectLayer whole(cells, attenuation, scale);
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{7}, most, most / 4}) {
      // Some are far outside: then the exponentials change.
      const std::int64_t beyond = count == most ? 10 * cells : 100;
      const std::vector<Impact> deposits =
          random_impacts(random, count, -beyond, cells + beyond, true);
      whole.apply(deposits);
      for (std::size_t i = 0; i < ways.size(); ++i) {
        SCOPED_TRACE(testing::Message()
                     << "cut before cell " << ways[i][0] << ": " << count << " deposits");
        layers[i].apply(deposits);
        layers[i].expect_same(whole);
        if (HasFailure()) return;
      }
    }
  }
  static std::int64_t begins_at() { return on_gpu() ? 256 : 64; }

  // Cuts in the first block of the layer (on a GPU, tile), in the last, at a border and next to
  // one, and so near an end that the slab's margin reaches it; two, three and four slabs.
  const std::vector<Cuts> all_cuts{{64},    {128},        {1792},       {1856},
                                   {3584},  {8192},       {8128},       {12352},
                                   {19968}, {640, 16448}, {1000, 1300}, {128, 192, 19904}};
};
INSTANTIATE_TEST_SUITE_P(On, Slabs, testing::ValuesIn(backends()), name_of_backend);

TEST_P(Slabs, AreTheWholeLayer) {
  expect_the_whole_layer(20'011, all_cuts);
}

TEST_P(Slabs, OfASteepAttenuation) {
  expect_the_whole_layer(20'011, {{5000, 12352}}, 100, {6});
}

// On a GPU each slab has more than 4096 tiles, and so several runs of them.
TEST_P(Slabs, OfManyTiles) {
  const std::int64_t cells = on_gpu() ? 17'000'000 : 340'000;
  expect_the_whole_layer(cells, {{cells / 2 + 1, cells / 2 + 300}}, on_gpu() ? 8 : 80);
}

// There is a chunk of 64 cells before a slab's first cell; including it and one after the last
// cell, there is a multiple of 256 cells on the CPU, 768, and of 64 on a GPU.
TEST_P(Slabs, BordersByHand) {
  const auto padded = [](const Slab& slab) {
    return make_layer(slab, square_root_attenuation, scale, error)->borders().padded;
  };
  EXPECT_EQ(padded({0, 512, 1000}), (CellRange{-64, on_gpu() ? 576 : 704}));
  EXPECT_EQ(padded({448, 552, 1000}), (CellRange{384, on_gpu() ? 1088 : 1152}));
}

TEST_P(Slabs, StatesOfAnotherSumAreRefused) {
  const auto left = make_layer({0, 512, 1000}, square_root_attenuation, scale, error);
  const auto right = make_layer({448, 552, 1000}, square_root_attenuation, scale, error);
  const std::vector<Impact> deposits{{300, 1000}};
  left->gather({deposits});
  right->cover(0, 1'000'000);
  right->gather({deposits});
  EXPECT_THROW(right->apply_gathered({left->leaving_right(384), {}}), std::invalid_argument);
  left->clear();
  left->cover(0, 1'000'000);
  left->gather({deposits});
  EXPECT_NO_THROW(right->apply_gathered({left->leaving_right(384), {}}));
}

// They would become subnormal on their way, and slow, and the smallest would never vanish.
TEST(SlabOnCpu, StatesTooSmallToCountEndAtTheNextBlock) {
  constexpr std::int64_t block = 128 * 64;  // cells
  const auto value_in_third_block = [](double state) {
    const Slab slab{64, 3 * block, 4 * block};
    cpu::ConvolvedLayer layer(slab, square_root_attenuation, scale, error);
    layer.gather({});
    ComingIn in = layer.borders().nothing_coming_in();
    std::ranges::fill(in.from_left->energies, state);
    layer.apply_gathered(in);
    EXPECT_GT(layer.value(0), 0);
    return layer.value(2 * block + 100);
  };
  EXPECT_GT(value_in_third_block(1e-270), 0);
  EXPECT_EQ(value_in_third_block(1e-300), 0);
}

TEST(SlabOnCpu, LiesInTheLayerAndBeginsAtAChunkOfIt) {
  for (const Slab& slab : {Slab{32, 100, 1000}, {64, 1000, 1000}, {64, 0, 1000}}) {
    EXPECT_THROW(cpu::ConvolvedLayer(slab, square_root_attenuation, scale, error),
                 std::invalid_argument);
  }
}

}  // namespace
}  // namespace bombard
