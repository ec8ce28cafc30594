#include "sim/engine_chain.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bombard/errors.hpp"
#include "sim/engines/highest_peaks.hpp"
#include "tests/sim/engines/against_oracle.hpp"
#include "tests/sim/engines/generated.hpp"
#include "tests/text.hpp"

namespace bombard::tests {
namespace {

constexpr int storms_before_giving_up = 2;

/// Computes as cpu_direct does, has no layer to show, and gives up in a later storm.
class GivesUp final : public Engine {
 public:
  explicit GivesUp(const EngineOptions& options)
      : direct_(make_cpu_direct(options)), is_small_(options.part.total < 1000) {}
  Maximum apply(const StormView& storm) override {
    if (!is_small_ || ++storms_ > storms_before_giving_up) throw GaveUp{"it has seen enough"};
    return direct_->apply(storm);
  }
  void reset() override {
    direct_->reset();
    storms_ = 0;
  }
  PeakList highest_peaks(std::int64_t /*count*/) override { return not_all_proved; }

  inline static const PeakList not_all_proved{{}, 1};

 private:
  std::unique_ptr<Engine> direct_;
  bool is_small_;
  int storms_ = 0;
};

/// In the place of the engine of this name.
EngineEntry giving_up(const char* name, Method method) {
  const EngineEntry& entry = *find_engine(name);
  const auto bytes = [](const EngineOptions&) { return std::int64_t{0}; };
  const auto make = [](const EngineOptions& options) -> std::unique_ptr<Engine> {
    return std::make_unique<GivesUp>(options);
  };
  return {name, false, method, Precision::binary32, "", entry.costs, entry.next, bytes, make};
}
const EngineEntry fast = giving_up("cpu_fast", Method::fast);
const EngineEntry sparse = giving_up("cpu_sparse", Method::sparse);

class Chain : public testing::Test {
 protected:
  /// A chain, its maxima, and the storms of which the caller forgets each after its call.
  std::vector<Maximum> applied(EngineChain& chain, std::size_t count) {
    std::vector<Maximum> maxima;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<Impact> impacts = made.storms[next++].impacts;
      maxima.push_back(chain.apply({impacts}));
      std::ranges::fill(impacts, Impact{1, -9});
    }
    return maxima;
  }
  Bombardment made = generated_at_random(500, 5, 40);
  oracle::Result rule = by_the_rule(made);
  EngineOptions options = options_for(made);
  std::size_t next = 0;
};

TEST_F(Chain, TheNextEngineTakesAllStormsAgainAndStays) {
  const auto third = rule.peaks.begin() + 2;
  const std::vector<oracle::Peak> first_two(rule.peaks.begin(), third),
      last(third, rule.peaks.end());
  for (const EngineEntry* const first : {&fast, &sparse}) {
    EngineChain chain(*first, options);
    for (int again = 0; again < 2; ++again) {
      next = 0;
      applied(chain, 1);
      chain.reset();
      next = 0;
      EXPECT_EQ(written(applied(chain, 2)), written(first_two));
      EXPECT_EQ(&chain.entry(), first);
      EXPECT_FALSE(chain.evidence()->direct);
      EXPECT_STREQ(chain.evidence()->why, "");
      EXPECT_EQ(written(applied(chain, 3)), written(last));
      EXPECT_NE(&chain.entry(), first);
      const Evidence found = chain.evidence().value();
      EXPECT_STREQ(found.why, "it has seen enough");
      EXPECT_EQ(std::get<std::vector<float>>(chain.layer()), rule.layer);
      EXPECT_EQ(chain.entry().name, std::string("cpu_direct"));
      chain.reset();
      EXPECT_EQ(&chain.entry(), first);
    }
  }
}

// Not all peaks of a sparse layer: it need not fit into any memory.
TEST_F(Chain, ALayerAndPeaksThatTheEngineDoesNotHaveComeFromADirectOne) {
  made.storms.resize(2);
  rule = by_the_rule(made);
  const PeakList all{highest_peaks(std::span<const float>(rule.layer), 5), 0};
  for (const EngineEntry* const first : {&fast, &sparse}) {
    EngineChain of_peaks(*first, options), of_layer(*first, options);
    for (EngineChain* const chain : {&of_peaks, &of_layer}) {
      next = 0;
      applied(*chain, 2);
    }
    EXPECT_EQ(of_peaks.highest_peaks(5), first == &fast ? all : GivesUp::not_all_proved);
    EXPECT_EQ(std::get<std::vector<float>>(of_layer.layer()), rule.layer);
    EXPECT_EQ(of_layer.entry().name, std::string("cpu_direct"));
  }
}

TEST_F(Chain, TheLastReasonIsThatOfTheEngineBefore) {
  options.rule.threshold = 1e30F;  // cpu_fast gives up at once
  EngineChain chain(sparse, options);
  applied(chain, 3);
  EXPECT_EQ(chain.entry().name, std::string("cpu_direct"));
  EXPECT_STREQ(chain.evidence()->why, "not every share counts");
}

TEST_F(Chain, DirectEnginesAndDoublePrecisionHaveNoOther) {
  for (const char* const name : {"reference", "cpu_direct", "cpu_double"}) {
    EngineChain chain(*find_engine(name), options);
    next = 0;
    applied(chain, 3);
    EXPECT_FALSE(chain.evidence());
    EXPECT_EQ(bytes_kept(chain.entry(), 1000), 0);
    EXPECT_EQ(next_engine(chain.entry()), nullptr);
  }
  EXPECT_GE(bytes_kept(*find_engine("cpu_fast"), 1000), 16'000);
}

TEST_F(Chain, WithoutMemoryForAnotherBothReasonsAreTold) {
  options.part = whole_layer(std::int64_t{1} << 50);
  options.keep_layer = false;
  options.storms = 1;
  EngineChain chain(sparse, options);
  const std::string told = message_of<CannotRun>([&] { applied(chain, 3); });
  EXPECT_TRUE(contains(told, "cpu_fast needs ")) << told;
  EXPECT_TRUE(contains(told, "takes the place of cpu_sparse: it has seen enough")) << told;
}

}  // namespace
}  // namespace bombard::tests
