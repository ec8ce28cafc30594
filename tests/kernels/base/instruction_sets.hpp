#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "kernels/base/instruction_set.hpp"

/// A test that runs once with each instruction set that this processor offers.
class InstructionSetTest : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { bombard::cpu::use_instruction_set(GetParam()); }
  void TearDown() override {
    bombard::cpu::use_instruction_set(bombard::cpu::offered_instruction_sets().front());
  }
};

inline std::string name_of_set(const testing::TestParamInfo<std::string_view>& info) {
  std::string name(info.param);
  std::erase(name, '-');
  return name;
}
