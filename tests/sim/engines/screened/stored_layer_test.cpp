#include <gtest/gtest.h>

#include <vector>

#include "sim/engines/screened/screened_layer.hpp"

namespace bombard {
namespace {

TEST(StoredLayer, TakesNoStormWhoseSharesEndInSinglePrecision) {
  const EngineOptions options{.part = whole_layer(1000), .storms = 1, .rule = {.threshold = 100}};
  const std::vector<Impact> impacts{{500, 1}};
  EXPECT_STREQ(make_stored_layer(options, Precision::binary32)->add({impacts}),
               "not every share counts");
  EXPECT_STREQ(make_sparse_layer(options)->add({impacts}), "not every share counts");
  EXPECT_EQ(make_stored_layer(options, Precision::binary64)->add({impacts}), nullptr);
}

// The rule rounds such a share by half of the least subnormal number.
TEST(SparseLayer, AShareBelowTheNormalNumbersMayBeRounded) {
  const auto layer = make_sparse_layer(
      {.part = whole_layer(1'000'000), .storms = 1, .rule = {.attenuation = {4}, .threshold = 0}});
  const std::vector<Impact> far{{-4'000'000'000, 1}};
  EXPECT_EQ(layer->add({far}), nullptr);
  EXPECT_LT(layer->value(500), 1e-41);
  EXPECT_LE(layer->screening().lower(500), layer->value(500) - 0x1p-150);
}

}  // namespace
}  // namespace bombard
