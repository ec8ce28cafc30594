#pragma once

#include <gtest/gtest.h>

/// Ends the test in SetUp() on a machine without a GPU: it is reported as skipped, or as a failure
/// if the environment has BOMBARD_REQUIRE_GPU=1.
void require_gpu();

/// Whether this process has a context on this GPU.
bool is_started(int device);

/// A test that runs on a GPU.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override { require_gpu(); }
};
