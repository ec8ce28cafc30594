#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace bombard {

/// Pieces of `blocks_a_piece` blocks each, the last one may have fewer, are written by threads of
/// their own, which live as long as the call, and sent by this one: write(block) for every block,
/// in any order, and, piece after piece, send(piece) when all of its blocks are written. Two pieces
/// are in memory at a time: blocks of a piece are written once wait_for(piece - 2) has returned.
/// With fewer than two threads this one writes, too. write() must not throw; what the others throw
/// is passed on when the threads have ended.
template <class Write, class Send, class Wait>
void write_and_send(std::int64_t blocks, std::int64_t blocks_a_piece, int threads,
                    const Write& write, const Send& send, const Wait& wait_for) {
  const std::int64_t pieces = (blocks + blocks_a_piece - 1) / blocks_a_piece;
  const auto blocks_of = [&](std::int64_t piece) {
    return piece + 1 < pieces ? blocks_a_piece : blocks - piece * blocks_a_piece;
  };
  if (threads < 2) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      const std::int64_t piece = block / blocks_a_piece;
      if (block % blocks_a_piece == 0 && piece >= 2) wait_for(piece - 2);
      write(block);
      if (block + 1 == std::min(blocks, (piece + 1) * blocks_a_piece)) send(piece);
    }
    return;
  }
  std::atomic<std::int64_t> next_block{0};
  std::atomic<std::int64_t> writable{2};  // pieces before this one
  const auto written = std::make_unique<std::atomic<std::int64_t>[]>(
      static_cast<std::size_t>(pieces));  // blocks of each piece

  const auto work = [&] {
    for (std::int64_t block; (block = next_block.fetch_add(1)) < blocks;) {
      const std::int64_t piece = block / blocks_a_piece;
      for (std::int64_t end; (end = writable.load()) <= piece;) writable.wait(end);
      write(block);
      if (written[piece].fetch_add(1) + 1 == blocks_of(piece)) written[piece].notify_one();
    }
  };
  /// Lets all threads end, also when something is thrown.
  struct End {
    std::atomic<std::int64_t>& next_block;
    std::atomic<std::int64_t>& writable;
    std::int64_t blocks;
    ~End() {
      next_block = blocks;
      writable = blocks;  // no fewer than pieces
      writable.notify_all();
    }
  };
  std::vector<std::jthread> writers;
  const End end{next_block, writable, blocks};
  for (int i = 0; i < threads && i < blocks; ++i) writers.emplace_back(work);
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    for (std::int64_t so_far; (so_far = written[piece].load()) < blocks_of(piece);) {
      written[piece].wait(so_far);
    }
    send(piece);
    if (piece == 0) continue;
    wait_for(piece - 1);
    writable = piece + 2;
    writable.notify_all();
  }
}

}  // namespace bombard
