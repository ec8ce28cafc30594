#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bombard/errors.hpp"
#include "sim/ranks/communicator.hpp"
#include "sim/ranks/engine_of_ranks.hpp"

namespace bombard::tests {

/// Where the ranks show each other their bytes.
class Table {
 public:
  explicit Table(int ranks) : all_here_(ranks), shown_(static_cast<std::size_t>(ranks)) {}

  /// All ranks call it together; look(bytes of all ranks) is called while all of them are there.
  template <class Look>
  void show(int rank, std::span<const std::byte> own, const Look& look) {
    shown_[static_cast<std::size_t>(rank)] = own;
    all_here_.arrive_and_wait();
    EXPECT_EQ(shown_[0].size(), own.size()) << "ranks are not in the same collective member";
    look(shown_);
    all_here_.arrive_and_wait();
  }

 private:
  std::barrier<> all_here_;
  std::vector<std::span<const std::byte>> shown_;
};

/// Ranks as threads of one process.
class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(Table& table, int rank, int ranks)
      : table_(table), rank_(rank), ranks_(ranks) {}
  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  int rank_on_host() const override { return rank_; }
  int ranks_on_host() const override { return ranks_; }
  std::string host() const override { return "here"; }
  int threads() const override { return 1 + rank_ % 2; }

 protected:
  void broadcast_bytes(std::span<std::byte> bytes, int from) override {
    table_.show(rank_, bytes, [&](const auto& shown) {
      if (rank_ != from) std::ranges::copy(shown[static_cast<std::size_t>(from)], bytes.begin());
    });
  }
  void gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) override {
    table_.show(rank_, own, [&](const auto& shown) {
      auto next = all.begin();
      for (const auto& of_rank : shown) next = std::ranges::copy(of_rank, next).out;
    });
  }

 private:
  Table& table_;
  int rank_, ranks_;
};

/// All ranks do the work together. Returns what each of them threw: nothing, "input: " or "cannot:
/// " and the message.
inline std::vector<std::string> thrown_on_each_rank(
    int ranks, const std::function<void(Communicator&)>& work) {
  Table table(ranks);
  std::vector<std::string> thrown(static_cast<std::size_t>(ranks));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank, &text = thrown[static_cast<std::size_t>(rank)]] {
      ThreadCommunicator communicator(table, rank, ranks);
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

/// Rank 0 does the work, and the others serve it; returns as thrown_on_each_rank().
inline std::vector<std::string> thrown_by_ranks(int ranks,
                                                const std::function<void(Communicator&)>& work) {
  return thrown_on_each_rank(ranks, [&](Communicator& communicator) {
    if (!communicator.is_first()) return serve_first_rank(communicator);
    work(communicator);
    end_service(communicator);
  });
}

/// The same where nothing is thrown.
inline void with_ranks(int ranks, const std::function<void(Communicator&)>& work) {
  for (const std::string& thrown : thrown_by_ranks(ranks, work)) EXPECT_EQ(thrown, "");
}

}  // namespace bombard::tests
