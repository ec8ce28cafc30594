#include "sim/piece_pipeline.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace bombard {
namespace {

TEST(WriteAndSend, EveryBlockInItsPlaceAndPiecesInOrder) {
  for (const int threads : {0, 1, 2, 3, 8}) {
    for (const std::int64_t blocks : {0, 1, 3, 4, 5, 8, 9, 12, 13, 1000}) {
      constexpr std::int64_t of_piece = 4;
      std::vector<std::int64_t> memory(2 * of_piece, -1);
      std::vector<std::int64_t> arrived, waited;
      const auto write = [&](std::int64_t block) {
        memory[static_cast<std::size_t>(block % (2 * of_piece))] = block;
      };
      const auto send = [&](std::int64_t piece) {
        for (std::int64_t b = piece * of_piece; b < std::min(blocks, (piece + 1) * of_piece); ++b) {
          std::int64_t& place = memory[static_cast<std::size_t>(b % (2 * of_piece))];
          arrived.push_back(place);
          place = -1;
        }
      };
      write_and_send(blocks, of_piece, threads, write, send,
                     [&](std::int64_t piece) { waited.push_back(piece); });
      ASSERT_EQ(static_cast<std::int64_t>(arrived.size()), blocks) << threads;
      for (std::int64_t b = 0; b < blocks; ++b) {
        ASSERT_EQ(arrived[static_cast<std::size_t>(b)], b) << threads << " threads, " << blocks;
      }
      for (std::size_t i = 0; i < waited.size(); ++i) {
        EXPECT_EQ(waited[i], static_cast<std::int64_t>(i));
      }
      EXPECT_GE(static_cast<std::int64_t>(waited.size()), (blocks + of_piece - 1) / of_piece - 2);
    }
  }
}

TEST(WriteAndSend, WhatIsThrownComesThrough) {
  for (const int threads : {1, 4}) {
    const auto send = [](std::int64_t piece) {
      if (piece == 3) throw std::runtime_error("no more");
    };
    EXPECT_THROW(write_and_send(
                     1000, 4, threads, [](std::int64_t) {}, send, [](std::int64_t) {}),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace bombard
