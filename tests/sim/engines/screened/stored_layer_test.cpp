#include <gtest/gtest.h>

#include <vector>

#include "sim/engines/screened/screened_layer.hpp"

namespace bombard {
namespace {

// In double precision; at a cell that no share reaches.
TEST(StoredLayer, EachStormWhoseSharesEndLeavesAnError) {
  const auto layer = make_stored_layer(
      {.part = whole_layer(1000), .storms = 2, .rule = {.threshold = 100}}, Precision::binary64);
  const std::vector<Impact> impacts{{500, 1}};
  const auto error_after_a_storm = [&] {
    EXPECT_EQ(layer->add({impacts}), nullptr);
    return layer->value(900) - layer->screening().lower(900);
  };
  const double error = error_after_a_storm();
  EXPECT_GT(error, 0);
  EXPECT_NEAR(error_after_a_storm(), 2 * error, 1e-2 * error);
  layer->begin_with({});
  EXPECT_NEAR(error_after_a_storm(), error, 1e-2 * error);
}

// The rule rounds such a share by half of the least subnormal number.
TEST(SparseLayer, AShareBelowTheNormalNumbersMayBeRounded) {
  const auto layer = make_sparse_layer(
      {.part = whole_layer(1'000'000), .storms = 1, .rule = {.attenuation = {4}, .threshold = 0}},
      Precision::binary32);
  const std::vector<Impact> far{{-4'000'000'000, 1}};
  EXPECT_EQ(layer->add({far}), nullptr);
  EXPECT_LT(layer->value(500), 1e-41);
  EXPECT_LE(layer->screening().lower(500), layer->value(500) - 0x1p-150);
}

}  // namespace
}  // namespace bombard
