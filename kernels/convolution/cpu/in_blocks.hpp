#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/base/host_array.hpp"

namespace bombard::cpu {

/// Items put into blocks: those of a block stand together, in the order in which the parts that
/// they come from stand, and in each part in the order in which it puts them. So nothing depends on
/// the number of parts. A thread may do each part: first all count, then all put the same.
template <class Item>
class InBlocks {
 public:
  void begin(std::int64_t parts, std::int64_t blocks) {
    parts_ = parts;
    blocks_ = blocks;
    next_.assign(static_cast<std::size_t>(parts * blocks), 0);
    begin_.assign(static_cast<std::size_t>(blocks + 1), 0);
  }

  /// The part of one thread: first it counts, after end_counting() a thread puts.
  struct Part {
    std::int64_t* next;  ///< [block]
    Item* items;

    void count(std::int64_t block) const { ++next[block]; }
    /// Returns the item's place among all.
    std::int64_t put(std::int64_t block, const Item& item) const {
      const std::int64_t place = next[block]++;
      items[place] = item;
      return place;
    }
  };
  Part part(std::int64_t number) { return {next_.data() + number * blocks_, items_.data()}; }

  void end_counting() {
    for (std::int64_t block = 0; block < blocks_; ++block) {
      std::int64_t end = begin_[block];
      for (std::int64_t part = 0; part < parts_; ++part) {
        const std::int64_t here = std::exchange(next_[part * blocks_ + block], end);
        end += here;
      }
      begin_[block + 1] = end;
    }
    items_.at_least(begin_[blocks_]);
  }

  std::int64_t size() const { return begin_[blocks_]; }
  /// The place where the items of a block begin among all items.
  std::int64_t items_begin(std::int64_t block) const { return begin_[block]; }
  std::span<const Item> items(std::int64_t block) const {
    return items_.span().subspan(static_cast<std::size_t>(begin_[block]),
                                 static_cast<std::size_t>(begin_[block + 1] - begin_[block]));
  }

 private:
  std::int64_t parts_ = 0, blocks_ = 0;
  std::vector<std::int64_t> next_;      ///< [part][block] how many, then where the next one goes
  std::vector<std::int64_t> begin_{0};  ///< [block] and the end
  HostArray<Item> items_;
};

}  // namespace bombard::cpu
