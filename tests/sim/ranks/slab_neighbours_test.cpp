// The messages from rank to rank; each rank is a thread here.

#include "sim/ranks/slab_neighbours.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/sim/ranks/threads_as_ranks.hpp"

namespace bombard::tests {
namespace {

/// Slabs of 100 cells each, with a margin of `margin` cells on either side.
std::vector<Slab> slabs_of(int ranks, std::int64_t margin) {
  std::vector<Slab> slabs;
  const std::int64_t whole = 100 * ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    const CellRange held = CellRange{100 * rank, 100 * (rank + 1)}.widened(margin, whole);
    slabs.push_back({held.begin, held.count(), whole});
  }
  return slabs;
}

/// Half of a state is left after 100 cells.
constexpr double exponents[] = {std::numbers::ln2 / 100};

/// A layer that has gathered a storm of one source in a rank, of energy 1, at the border of its
/// slab.
struct OneSource {
  Slab slab;
  static CellRange padded(const Slab& of) { return {of.first, of.first + of.cells}; }
  SlabBorders borders() const { return {slab, padded(slab), 7, exponents, 1}; }
  static BorderStates leaving_right(std::int64_t border) { return {border, 7, {1}}; }
  static BorderStates leaving_left(std::int64_t border) { return {border, 7, {1}}; }
};

/// Calls check(rank, what comes in to it from the sources of all others) on each rank.
template <class Check>
void on_each_slab(int ranks, std::int64_t margin, const Check& check) {
  on_each_rank(ranks, [&](Communicator& communicator) {
    const std::vector<Slab> slabs = slabs_of(ranks, margin);
    SlabNeighbours neighbours(communicator, slabs);
    OneSource source{slabs[static_cast<std::size_t>(communicator.rank())]};
    check(communicator.rank(), neighbours.exchanged(source));
  });
}

TEST(SlabNeighbours, WhatLeavesEachComesInToAllOthers) {
  for (const int ranks : {1, 2, 3, 7, 8}) {
    on_each_slab(ranks, 10, [&](int rank, const ComingIn& in) {
      // 1 + 1/2 + 1/4 + ..
      const auto of_so_many = [](int others) { return 2 - std::exp2(1 - others); };
      ASSERT_EQ(in.from_left.has_value(), rank > 0);
      ASSERT_EQ(in.from_right.has_value(), rank + 1 < ranks);
      if (in.from_left) {
        EXPECT_DOUBLE_EQ(in.from_left->energies[0], of_so_many(rank));
        EXPECT_EQ(in.from_left->border, 100 * rank - 10);
      }
      if (in.from_right) {
        EXPECT_DOUBLE_EQ(in.from_right->energies[0], of_so_many(ranks - 1 - rank));
      }
    });
  }
}

TEST(SlabNeighbours, AMarginThatReachesTheEndOfTheLayerHasItsSources) {
  // Ranks 0, 1 and 2 hold the layer from its beginning, and ranks 2, 3 and 4 to its end.
  on_each_slab(5, 200, [](int rank, const ComingIn& in) {
    const double from_left[] = {0, 0, 0, 1, 1.5}, from_right[] = {1.5, 1, 0, 0, 0};
    EXPECT_DOUBLE_EQ(in.from_left ? in.from_left->energies[0] : 0, from_left[rank]);
    EXPECT_DOUBLE_EQ(in.from_right ? in.from_right->energies[0] : 0, from_right[rank]);
  });
}

}  // namespace
}  // namespace bombard::tests
