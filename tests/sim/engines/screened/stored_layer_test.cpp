#include <gtest/gtest.h>

#include <vector>

#include "sim/engines/screened/screened_layer.hpp"

namespace bombard {
namespace {

TEST(ScreenedLayers, TakeNoStormOfWhichNotEveryShareCounts) {
  const EngineOptions options{.part = whole_layer(1000), .storms = 1, .rule = {.threshold = 100}};
  const std::vector<Impact> impacts{{500, 1}};
  EXPECT_STREQ(make_stored_layer(options)->add({impacts}), "not every share counts");
  EXPECT_STREQ(make_sparse_layer(options)->add({impacts}), "not every share counts");
}

}  // namespace
}  // namespace bombard
