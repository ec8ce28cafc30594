#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/host_array.hpp"
#include "kernels/base/share_out.hpp"

namespace bombard::cpu {

/// Items put into blocks: those of a block are stored together, in the order of the indices from
/// which they are made. Nothing depends on the number of threads.
template <class Item>
class InBlocks {
 public:
  /// work(i, put), i from 0 to count-1, calls put(block, item) for each item that is made from i.
  /// It is called twice, first to count the items, and must make the same ones each time. Uses up
  /// to `threads` threads.
  template <class Work>
  void fill(std::int64_t count, std::int64_t blocks, int threads, const Work& work) {
    constexpr std::int64_t few = 1 << 11;  // they are done before another thread has started
    const std::int64_t parts = std::clamp<std::int64_t>(count / few, 1, threads);
    next_.assign(static_cast<std::size_t>(parts * blocks), 0);
    const auto put_all = [&](const auto& put_for) {
      share_out(parts, threads, [&](const auto& each) {
        each([&](std::int64_t part) {
          const Work own = work;  // a copy: the compiler sees that put() does not change it
          const auto put = put_for(next_.data() + part * blocks);
          for (std::int64_t i = part * count / parts; i < (part + 1) * count / parts; ++i) {
            own(i, put);
          }
        });
      });
    };
    put_all([](std::int64_t* counts) {
      return [=](std::int64_t block, const Item&) { ++counts[block]; };
    });
    begin_.assign(static_cast<std::size_t>(blocks + 1), 0);
    for (std::int64_t block = 0; block < blocks; ++block) {
      std::int64_t end = begin_[block];
      for (std::int64_t part = 0; part < parts; ++part) {
        end += std::exchange(next_[part * blocks + block], end);
      }
      begin_[block + 1] = end;
    }
    items_.at_least(size());
    put_all([items = items_.data()](std::int64_t* places) {
      return [=](std::int64_t block, const Item& item) { items[places[block]++] = item; };
    });
  }

  std::int64_t size() const { return begin_.back(); }
  const Item* all() const { return items_.data(); }
  /// [block] the place where its items begin among all items, followed by the end of all.
  const std::int64_t* begin() const { return begin_.data(); }
  std::span<const Item> items(std::int64_t block) const {
    return items_.span().subspan(static_cast<std::size_t>(begin_[block]),
                                 static_cast<std::size_t>(begin_[block + 1] - begin_[block]));
  }

 private:
  std::vector<std::int64_t> next_;      ///< [part][block] how many, then the place of the next one
  std::vector<std::int64_t> begin_{0};  ///< [block], followed by the end
  HostArray<Item> items_;
};

}  // namespace bombard::cpu
