// Every engine against the oracle on generated layers and storms, seeded: the same cases on every
// machine.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "tests/random_storms.hpp"
#include "tests/sim/engines/against_oracle.hpp"

namespace {

using bombard::Impact;
using bombard::Storm;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : bits_(seed) {}

  Bombardment bombardment() {
    static constexpr std::array<std::int64_t, 24> sizes{
        1,   2,   3,   4,   5,    16,   31,   32,   33,   97,   255,   256,
        257, 521, 769, 997, 1023, 1024, 1025, 2053, 4096, 4099, 12289, 16411};
    Bombardment bombardment{sizes[below(sizes.size())], {}};
    const std::int64_t storms = below(12) == 0 ? 70 : below(6);
    for (std::int64_t i = 0; i < storms; ++i) {
      bombardment.storms.push_back(storm(bombardment.cells, storms > 10 ? 6 : 60));
    }
    bombardment.rule.threshold = threshold(bombardment.cells);
    return bombardment;
  }

  std::int64_t below(std::int64_t bound) { return ::below(bits_, bound); }

 private:
  Storm storm(std::int64_t cells, std::int64_t most) {
    Storm storm{"generated", {}};
    const std::int64_t kind = below(8);
    if (kind == 0) return storm;
    const std::int64_t impacts = 1 + below(most);
    for (std::int64_t i = 0; i < impacts; ++i) {
      if (i > 0 && below(5) == 0) {
        storm.impacts.push_back(storm.impacts[static_cast<std::size_t>(below(i))]);  // a duplicate
      } else if (i > 0 && below(5) == 0) {
        // Mirrored: with few impacts two maxima are equal.
        const Impact& earlier = storm.impacts[static_cast<std::size_t>(below(i))];
        storm.impacts.push_back({cells - 1 - earlier.position, earlier.energy});
      } else {
        storm.impacts.push_back({position(cells, kind), energy(kind)});
      }
    }
    return storm;
  }

  std::int64_t position(std::int64_t cells, std::int64_t kind) {
    const std::int64_t sign = below(2) == 0 ? 1 : -1;
    switch (kind == 1 ? below(7) : below(2)) {
      case 2:
        return below(3 * cells) - cells;  // around the layer
      case 3:
        return sign * ((1LL << 24) + below(4096) - 2048);  // where floats stop counting
      case 4:
        return sign * ((1LL << 31) + below(4096) - 2048);  // where 32 bits stop
      case 5:
        return sign * ((1LL << 61) - below(4096));  // the farthest
      case 6:
        return sign * (1LL << below(61));  // a plateau, if nothing else falls
      default:
        return below(cells);
    }
  }

  std::int32_t energy(std::int64_t kind) {
    switch (kind) {
      case 2:
        return 1;
      case 3:
        return static_cast<std::int32_t>(below(200)) - 100;  // zero and below, too
      case 4:
        return static_cast<std::int32_t>(bits_());  // anything
      default:
        return 1 + static_cast<std::int32_t>(below(1000000));
    }
  }

  /// Mostly the rule's, sometimes none, sometimes one that bites in the middle of the layer.
  float threshold(std::int64_t cells) {
    switch (below(6)) {
      case 0:
        return 0.0F;
      case 1:
        return 1000.0F * static_cast<float>(1 + below(100)) /
               std::sqrt(static_cast<float>(1 + below(cells)));
      case 2:
        return 1e6F * static_cast<float>(below(1000));
      default:
        return 0.001F;
    }
  }

  std::mt19937_64 bits_;
};

}  // namespace

class Property : public EngineTest {};

TEST_P(Property, GeneratedCasesFollowTheRule) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Generator generator(seed);
    const Bombardment bombardment = generator.bombardment();
    const oracle::Result rule = by_the_rule(bombardment);
    expect_rule(GetParam(), bombardment, rule);
    expect_rule(GetParam(), bombardment, rule, 1 + generator.below(5), generator.below(2) == 0,
                static_cast<int>(1 + generator.below(3)));
    expect_rule_in_parts(GetParam(), bombardment, rule, 2 + generator.below(4));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Property, testing::ValuesIn(engines_under_test()), engine_name);
