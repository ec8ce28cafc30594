#include "sim/checks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bombard/errors.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

using tests::message_of;

TEST(Checks, RefuseWhatCannotBe) {
  constexpr std::int64_t most_cells = std::int64_t{1} << 56, far = largest_position;
  const auto given = [](const SimulationSettings& settings, std::int64_t cells = 60) {
    return message_of<std::exception>([&] { check(settings, cells); });
  };
  const auto of_rule = [&](const Rule& rule) { return given({.rule = rule}); };
  const auto position = [](std::int64_t second) {
    return message_of([&] { check_positions(std::vector<Impact>{{0, 1}, {second, 1}}); });
  };
  const auto cell = [](std::int64_t third) {
    return message_of([&] { ranges_of(std::vector<std::int64_t>{3, 4, third}, 60); });
  };
  const auto peaks = [](std::int64_t count) { return message_of([&] { check_peaks(count); }); };
  for (const auto& [message, begin] : tests::Refusals{
           {given({.threads = -1}),
            "threads -1 is not a number of threads; it is 1 to 4096, or 0 for all cores"},
           {given({.threads = 4097}), "threads 4097 is not"},
           {given({}, 0), "a layer of 0 cells is not possible; it needs 1 cell or more"},
           {given({}, most_cells + 1),
            "a layer of 72057594037927937 cells is larger than any engine takes; take "
            "72057594037927936 "
            "cells (2^56) or fewer"},
           {of_rule({.threshold = -1}),
            "threshold -1 is not a threshold; it is a finite binary32 number, 0 or more"},
           {of_rule({.threshold = NAN}), "threshold nan is not"},
           {of_rule({.attenuation = {0.05}}),
            "attenuation power:0.05 is not an attenuation; it is power:0.5"},
           {of_rule({.attenuation = {0, 0}}), "attenuation exponential:0 is not"},
           {position(far + 1),
            "impact 1: position 2305843009213693953 is too far away; it may lie between "
            "-2305843009213693952 and 2305843009213693952"},
           {position(-far - 1), "impact 1: position -2305843009213693953 is"},
           {cell(60), "cell 60 is not in the layer; its cells are 0 to 59"},
           {cell(-1), "cell -1 is not"},
           {peaks(-1), "peaks -1 is not a number of peaks; it is 0 or more"}}) {
    EXPECT_TRUE(message.starts_with(begin)) << message;
  }
  for (const std::string& message : {given({.threads = 4096}, most_cells), position(far),
                                     position(-far), cell(59), cell(0), peaks(0)}) {
    EXPECT_EQ(message, "no error");
  }
}

}  // namespace
}  // namespace bombard
