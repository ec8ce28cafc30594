#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/host_array.hpp"
#include "kernels/base/share_out.hpp"

namespace bombard::cpu {

/// Items put into blocks: those of a block stand together, in the order in which the parts that
/// they come from stand, and in each part in the order in which it puts them. So nothing depends on
/// the number of parts.
template <class Item>
class InBlocks {
 public:
  /// work(part, put) calls put(block, item) for each item of a part, the same ones each time: it is
  /// called twice, first to count the items. Uses up to `threads` threads.
  template <class Work>
  void fill(std::int64_t parts, std::int64_t blocks, int threads, const Work& work) {
    next_.assign(static_cast<std::size_t>(parts * blocks), 0);
    const auto each_part = [&](const auto& part_work) {
      share_out(parts, threads, [&](const auto& each) { each(part_work); });
    };
    each_part([&](std::int64_t part) {
      std::int64_t* const counts = next_.data() + part * blocks;
      work(part, [counts](std::int64_t block, const Item&) { ++counts[block]; });
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
    each_part([&](std::int64_t part) {
      work(part, [places = next_.data() + part * blocks, items = items_.data()](
                     std::int64_t block, const Item& item) { items[places[block]++] = item; });
    });
  }

  std::int64_t size() const { return begin_.back(); }
  const Item* all() const { return items_.data(); }
  /// [block] the place where its items begin among all items, and the end.
  const std::int64_t* begin() const { return begin_.data(); }
  std::span<const Item> items(std::int64_t block) const {
    return items_.span().subspan(static_cast<std::size_t>(begin_[block]),
                                 static_cast<std::size_t>(begin_[block + 1] - begin_[block]));
  }

 private:
  std::vector<std::int64_t> next_;      ///< [part][block] how many, then where the next one goes
  std::vector<std::int64_t> begin_{0};  ///< [block] and the end
  HostArray<Item> items_;
};

}  // namespace bombard::cpu
