// Right programs compute the same sums in other arithmetic, and none of them is wrong: each way is
// tried in all cases. A mistake of peaks is wrong in any of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <random>

#include "sim/generation.hpp"
#include "tests/tools/judge/printed.hpp"

namespace bombard::judge {
namespace {

/// Of v * 1000 / CELLS / sqrt(d), in the second edition.
using Share = float (*)(float v, float d, float cells);
constexpr Share shares[] = {
    [](float v, float d, float cells) { return v * 1000 / cells / std::sqrt(d); },
    [](float v, float d, float cells) { return v * 1000 * (1 / cells) / std::sqrt(d); },
    [](float v, float d, float cells) { return v * 1000 * (1 / cells / std::sqrt(d)); },
    [](float v, float d, float cells) { return v * 1000 / (cells * std::sqrt(d)); },
    [](float v, float d, float cells) { return v * (1000 / cells) / std::sqrt(d); },
    [](float v, float d, float cells) { return v / cells * 1000 / std::sqrt(d); },
    [](float v, float d, float cells) { return v * 1000 / cells * (1 / std::sqrt(d)); },
    [](float v, float d, float cells) { return v * 1000 / std::sqrt(d) / cells; },
    [](float v, float d, float cells) { return v / std::sqrt(d) * 1000 / cells; },
    [](float v, float d, float cells) { return v / std::sqrt(d) * (1000 / cells); },
    [](float v, float d, float cells) { return 1 / std::sqrt(d) * v * 1000 / cells; },
    [](float v, float d, float cells) { return v * 1000 / cells * std::pow(d, -0.5F); },
    [](float v, float d, float cells) { return v * 1000 / cells * std::sqrt(1 / d); },
    [](float v, float d, float cells) { return v * 1000 / cells * std::sqrt(d) / d; },
    [](float v, float d, float cells) { return v * 1000 / (cells / (1 / std::sqrt(d))); },
    [](float v, float d, float cells) { return v / (cells / 1000) / std::sqrt(d); },
    [](float v, float d, float cells) { return v * 1000 * (1 / (cells * std::sqrt(d))); },
    [](float v, float d, float cells) {
      return v * 1000 / std::sqrt(cells * d) / std::sqrt(cells);
    },
    [](float v, float d, float cells) {
      return static_cast<float>(v * 1000 / cells / std::sqrt(static_cast<double>(d)));
    },
    [](float v, float d, float cells) {
      return static_cast<float>(v * 1000. / (cells * std::sqrt(static_cast<double>(d))));
    },
    [](float v, float d, float cells) {  // of an estimate of the root, as -ffast-math computes it
      const float root = 1 / std::sqrt(d) * 1.0002F;
      return v * 1000 / cells * (root * (1.5F - 0.5F * d * root * root));
    }};

/// Adds the shares of a storm in a cell to what it has.
using Sum = float (*)(float cell, const std::vector<float>& shares);
template <class Shares>
float added(float cell, const Shares& shares) {
  for (const float share : shares) cell += share;
  return cell;
}
float partial_sums(float cell, const std::vector<float>& shares, std::size_t parts, bool in_turns) {
  std::vector<float> sums(parts);
  const std::size_t size = (shares.size() + parts - 1) / parts;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sums[in_turns ? i % parts : i / size] += shares[i];
  }
  return added(cell, sums);
}
constexpr Sum sums[] = {
    added,
    [](float cell, const std::vector<float>& shares) {
      return added(cell, std::vector<float>(shares.rbegin(), shares.rend()));
    },
    [](float cell, const std::vector<float>& shares) { return cell + added(0, shares); },
    [](float cell, const std::vector<float>& shares) {
      return partial_sums(cell, shares, 2, false);
    },
    [](float cell, const std::vector<float>& shares) {
      return partial_sums(cell, shares, 8, true);
    },
    [](float cell, const std::vector<float>& shares) {
      double sum = cell;
      for (const float share : shares) sum += share;
      return static_cast<float>(sum);
    },
    [](float cell, const std::vector<float>& shares) {  // each cell in an order of its own
      std::vector<float> turned = shares;
      const auto first = std::bit_cast<std::uint32_t>(shares.empty() ? 0 : shares[0]);
      if (!turned.empty()) {
        std::rotate(turned.begin(), turned.begin() + first % turned.size(), turned.end());
      }
      return added(cell, turned);
    },
    [](float cell, const std::vector<float>& shares) {
      std::vector<float> sorted = shares;
      std::ranges::sort(sorted);
      return added(cell, sorted);
    }};

using Relaxation = float (*)(float left, float middle, float right);
constexpr float a_third = 1.0F / 3;
constexpr Relaxation relaxations[] = {
    [](float a, float b, float c) { return (a + b + c) / 3; },
    [](float a, float b, float c) { return (a + b + c) * a_third; },
    [](float a, float b, float c) { return a / 3 + b / 3 + c / 3; },
    [](float a, float b, float c) { return (a + c + b) / 3; },
    [](float a, float b, float c) { return (a + (b + c)) / 3; },
    [](float a, float b, float c) { return b / 3 + (a + c) / 3; },
    [](float a, float b, float c) { return a * a_third + b * a_third + c * a_third; },
    [](float a, float b, float c) { return b + (a - b + (c - b)) / 3; },
    [](float a, float b, float c) {
      return std::fma(a_third, a, std::fma(a_third, b, a_third * c));
    },
    [](float a, float b, float c) {
      return static_cast<float>((static_cast<double>(a) + b + c) / 3);
    }};

/// Whether a cell that is no end is a peak.
using Peak = bool (*)(float left, float cell, float right);
bool peak(float left, float cell, float right) {
  return cell > left && cell > right;
}

struct OwnProgram {
  Share share = shares[0];
  Sum sum = sums[0];
  Relaxation relaxation = relaxations[0];
  Peak peak = judge::peak;
  std::string name = {};
  std::size_t parts = 1;
  float across_border = NAN;  ///< what a cell sees of another part; the cell there, if not a number
};

std::vector<Maximum> maxima_of(const OwnProgram& program, const Case& tried) {
  const auto cells = static_cast<std::size_t>(tried.cells);
  std::vector<float> layer(cells), shares;
  std::vector<Maximum> maxima;
  for (const Storm& storm : tried.storms) {
    for (std::size_t k = 0; k < cells; ++k) {
      shares.clear();
      for (const auto& [position, energy] : storm.impacts) {
        const std::int64_t distance = std::abs(position - static_cast<std::int64_t>(k)) + 1;
        shares.push_back(program.share(static_cast<float>(energy), static_cast<float>(distance),
                                       static_cast<float>(cells)));
      }
      layer[k] = program.sum(layer[k], shares);
    }
    const std::vector<float> copy = layer;
    for (std::size_t k = 1; k + 1 < cells; ++k) {
      layer[k] = program.relaxation(copy[k - 1], copy[k], copy[k + 1]);
    }
    Maximum found;
    const auto seen = [&](std::size_t k, std::size_t neighbour) {
      const bool is_foreign = k * program.parts / cells != neighbour * program.parts / cells;
      return is_foreign && !std::isnan(program.across_border) ? program.across_border
                                                              : layer[neighbour];
    };
    for (std::size_t k = 1; k + 1 < cells; ++k) {
      if (layer[k] > found.value && program.peak(seen(k, k - 1), layer[k], seen(k, k + 1))) {
        found = {static_cast<std::int64_t>(k), layer[k]};
      }
    }
    maxima.push_back(found);
  }
  return maxima;
}

ProgramJudgement judgement_by(const OwnProgram& program) {
  return judgement_of(runs_of([&](const Case& tried) { return maxima_of(program, tried); }));
}

/// Each share, sum and relaxation by itself, and some of them with others; all of them where
/// BOMBARD_ALL_ARITHMETIC is set.
std::vector<OwnProgram> programs(bool with_others) {
  const bool all = std::getenv("BOMBARD_ALL_ARITHMETIC") != nullptr;
  std::vector<OwnProgram> programs;
  for (std::size_t i = 0; i < std::size(shares); ++i) {
    for (std::size_t j = 0; j < std::size(sums); ++j) {
      for (std::size_t l = 0; l < std::size(relaxations); ++l) {
        const bool is_by_itself = (i == 0) + (j == 0) + (l == 0) >= 2;
        const bool is_taken = with_others && (i + 5 * j + 3 * l) % 23 == 0;
        if (all || is_by_itself || is_taken) {
          programs.push_back({shares[i], sums[j], relaxations[l]});
          programs.back().name = fmt::format("share {}, sum {}, relaxation {}", i, j, l);
        }
      }
    }
  }
  return programs;
}

TEST(Arithmetic, OfARightProgramIsRight) {
  for (const OwnProgram& program : programs(true)) {
    for (const CaseJudgement& of_case : judgement_by(program).cases) {
      EXPECT_LE(of_case.verdict, Verdict::rounding)
          << program.name << ": " << of_case.prepared->name << ": " << of_case.complaint;
    }
  }
}

// A cell where parts meet is compared with its own part alone, with 0, or with nothing.
TEST(Arithmetic, HidesNoMistakeWherePartsMeet) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const std::size_t parts : {2, 3, 4, 7}) {
    for (const float across : {-infinity, 0.F, infinity}) {
      for (const Share share : {shares[0], shares[1]}) {
        OwnProgram program{.share = share, .parts = parts, .across_border = across};
        const ProgramJudgement judgement = judgement_by(program);
        EXPECT_EQ(judgement.verdict, Verdict::wrong) << parts << ' ' << across;
        const auto slopes =
            std::ranges::find(judgement.cases, "slopes",
                              [](const CaseJudgement& of_case) { return of_case.prepared->name; });
        EXPECT_EQ(slopes->verdict == Verdict::wrong, across < infinity) << parts << ' ' << across;
      }
    }
  }
}

TEST(Arithmetic, HidesNoMistakeOfPeaks) {
  constexpr Peak mistaken[] = {
      [](float left, float cell, float right) { return cell >= left && cell >= right; },
      [](float left, float cell, float right) { return cell >= left && cell > right; },
      [](float left, float cell, float right) { return cell > left && cell >= right; },
      [](float left, float cell, float) { return cell > left; },
      [](float, float cell, float right) { return cell > right; },
      [](float, float, float) { return true; }};
  for (OwnProgram program : programs(false)) {
    for (const Peak& peak : mistaken) {
      program.peak = peak;
      EXPECT_EQ(judgement_by(program).verdict, Verdict::wrong)
          << program.name << ": " << &peak - mistaken;
    }
  }
}

struct Storms {
  std::int64_t cells, impacts;
  int count;
  double least;  ///< the largest error relative to its bound exceeds this
};

Case case_of(const Storms& storms, std::uint64_t seed) {
  Case tried{.cells = storms.cells};
  for (int i = 0; i < storms.count; ++i) {
    tried.storms.push_back(generate_storm(storms.cells, storms.impacts, 1, 1000, seed, i));
  }
  return tried;
}

/// The error of the last maximum relative to its bound, with the impacts in another order.
double error_by_bound(const PreparedCase& of, const OwnProgram& program, std::uint32_t seed = 0) {
  Case shuffled = of;
  for (Storm& storm : shuffled.storms) {
    std::mt19937 generator(seed);
    if (seed > 0) std::ranges::shuffle(storm.impacts, generator);
  }
  return std::abs(maxima_of(program, shuffled).back().value - of.right.back().value) /
         of.roundings.back();
}

const OwnProgram third_as_product{.relaxation = relaxations[1]}, share_of_root{.share = shares[3]},
    eight_sums{.sum = sums[4]}, halo_too_small{.relaxation = [](float a, float b, float c) {
      return (a + b + c) / 3 * (1 - 2.7e-5F);
    }};

// The largest error is not far below the bound. A halo that is wrong by 2.7e-5 is outside.
TEST(Roundings, OfOtherArithmeticAreWithinTheirBound) {
  for (const Storms& storms : {Storms{300, 5, 200, 0.5},
                               {1000, 60, 4, 0.2},
                               {200, 300, 30, 0.1},
                               {100, 5000, 1, 0.1},
                               {500, 1, 400, 0.7}}) {
    double most = 0;
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      const PreparedCase of = prepare({case_of(storms, seed)}).front();
      for (const OwnProgram& program : {third_as_product, share_of_root, eight_sums}) {
        most = std::max(most, error_by_bound(of, program));
      }
      most = std::max(most, error_by_bound(of, {}, seed + 1));
      EXPECT_GT(error_by_bound(of, halo_too_small), 1) << storms.impacts;
    }
    EXPECT_LT(most, 1) << storms.impacts;
    EXPECT_GT(most, storms.least) << storms.impacts;
  }
}

// The six storms of a usual test have 20000 impacts each.
TEST(Roundings, AreSmallerThanAWrongHalo) {
  for (const int storms : {1, 6}) {
    const PreparedCase of = prepare({case_of({300, 20000, storms, 0}, 7)}).front();
    EXPECT_LT(of.roundings.back(), 2.7e-5 * of.right.back().value) << storms;
    EXPECT_LT(error_by_bound(of, {}, 1), 1) << storms;
    EXPECT_LT(error_by_bound(of, eight_sums), 1) << storms;
  }
}

}  // namespace
}  // namespace bombard::judge
