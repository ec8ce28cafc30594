#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bombard/errors.hpp"
#include "sim/ranks/communicator.hpp"
#include "sim/ranks/engine_of_ranks.hpp"

namespace bombard::tests {

/// The messages to one thread, in order from each of the others.
class Letterbox {
 public:
  void put(int from, std::span<const std::byte> bytes) {
    const std::scoped_lock lock(mutex_);
    letters_[from].emplace_back(bytes.begin(), bytes.end());
    arrived_.notify_one();
  }
  void take(int from, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    auto& letters = letters_[from];
    arrived_.wait(lock, [&] { return !letters.empty(); });
    if (letters.front().size() != bytes.size()) throw std::logic_error("a letter of another size");
    std::copy(letters.front().begin(), letters.front().end(), bytes.begin());
    letters.pop_front();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;  ///< only the owner waits
  std::map<int, std::deque<std::vector<std::byte>>> letters_;
};

/// The letterboxes of all threads.
class Post {
 public:
  explicit Post(int ranks) : boxes_(static_cast<std::size_t>(ranks)) {}
  void put(int from, int to, std::span<const std::byte> bytes) { box_of(to).put(from, bytes); }
  void take(int from, int to, std::span<std::byte> bytes) { box_of(to).take(from, bytes); }

 private:
  Letterbox& box_of(int rank) { return boxes_[static_cast<std::size_t>(rank)]; }
  std::vector<Letterbox> boxes_;
};

/// Ranks as threads of one process. `failing` has no threads for an engine.
class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(Post& post, int rank, int ranks, int failing)
      : post_(post), rank_(rank), ranks_(ranks), failing_(failing) {}
  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  int rank_on_host() const override { return rank_; }
  int ranks_on_host() const override { return ranks_; }
  std::string host() const override { return "here"; }
  int threads() const override {
    if (rank_ == failing_) throw CannotRun("no threads left");
    return 1;
  }

 protected:
  void broadcast_bytes(std::span<std::byte> bytes, int from) override {
    for (int rank = 0; rank < ranks_ && rank_ == from; ++rank) post_.put(from, rank, bytes);
    post_.take(from, rank_, bytes);
  }
  void gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) override {
    for (int rank = 0; rank < ranks_; ++rank) post_.put(rank_, rank, own);
    for (int rank = 0; rank < ranks_; ++rank) {
      post_.take(rank, rank_, all.subspan(static_cast<std::size_t>(rank) * own.size(), own.size()));
    }
  }

 private:
  Post& post_;
  int rank_, ranks_, failing_;
};

/// All ranks do the work together. Returns what each of them threw: nothing, "input: " or "cannot:
/// " and the message.
inline std::vector<std::string> thrown_on_each_rank(int ranks,
                                                    const std::function<void(Communicator&)>& work,
                                                    int failing = -1) {
  Post post(ranks);
  std::vector<std::string> thrown(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank, &text = thrown[static_cast<std::size_t>(rank)]] {
      ThreadCommunicator communicator(post, rank, ranks, failing);
      try {
        do_together(communicator, [&] { work(communicator); });
      } catch (const InputError& error) {
        text = std::string("input: ") + error.what();
      } catch (const CannotRun& error) {
        text = std::string("cannot: ") + error.what();
      } catch (const std::exception& error) {
        text = std::string("unexpected: ") + error.what();
      }
    });
  }
  threads.clear();
  return thrown;
}

/// None of them throws.
inline void on_each_rank(int ranks, const std::function<void(Communicator&)>& work) {
  for (const std::string& thrown : thrown_on_each_rank(ranks, work)) EXPECT_EQ(thrown, "");
}

}  // namespace bombard::tests
