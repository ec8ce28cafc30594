#include "sim/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "kernels/device/device.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

using tests::contains, tests::message_of;

/// The engine's name.
std::string selected(const SimulationSettings& settings, const Workload& workload) {
  return make_plan(settings, workload).engine;
}

const SimulationSettings processor_only{.device = Device::cpu};

SimulationSettings by(Method method) {
  return {.device = Device::cpu, .method = method};
}

/// A workload whose layer has to be stored.
Workload stored(Workload workload) {
  workload.stored_layer = true;
  return workload;
}

constexpr Workload a_few{35, 28, 4};
constexpr Workload test_07{1'000'000, 20'000, 4};

TEST(MakePlan, ASmallRunStaysOnTheProcessorAndLooksForNoGpu) {
  for (const Workload& workload : {a_few, Workload{60, 30, 3}, test_07}) {
    const Plan plan = make_plan({}, workload);
    EXPECT_FALSE(plan.on_gpu);
    EXPECT_FALSE(plan.device.empty());
    EXPECT_TRUE(contains(plan.reason, "on a GPU would take"));
  }
}

constexpr Workload few_impacts{100'000'000, 3, 3}, no_memory_holds_it{std::int64_t{1} << 50, 9, 3};

TEST(MakePlan, ChoosesTheEngine) {
  struct Choice {
    const char* why;
    SimulationSettings settings;
    Workload workload;
    const char* engine;
  };
  const SimulationSettings in_double{.precision = Precision::binary64};
  const SimulationSettings exact{.device = Device::cpu, .exact_layer = true};
  const SimulationSettings exact_and_fast{
      .device = Device::cpu, .method = Method::fast, .exact_layer = true};
  const SimulationSettings exact_in_double{
      .device = Device::cpu, .precision = Precision::binary64, .exact_layer = true};
  for (const Choice& choice : {
           Choice{"fast is quicker", {}, test_07, "cpu_fast"},
           {"so small", {}, a_few, "cpu_direct"},
           {"the relaxation is all", processor_only, stored({1'000'000, 3, 3}), "cpu_direct"},
           {"nothing is proved", processor_only, {1'000'000, 10'000'000, 1}, "cpu_direct"},
           {"screening tells", processor_only, {1'000'000, 1'000'000, 1}, "cpu_fast"},
           {"a few cells are enough", exact, test_07, "cpu_sparse"},
           {"a file of the rule's layer", exact, stored(test_07), "cpu_direct"},
           {"asked for", exact_and_fast, stored(test_07), "cpu_fast"},
           {"asked for", by(Method::direct), test_07, "cpu_direct"},
           {"asked for", by(Method::fast), a_few, "cpu_fast"},
           {"asked for", by(Method::sparse), test_07, "cpu_sparse"},
           {"few impacts to a cell", {}, few_impacts, "cpu_sparse"},
           {"few impacts to a cell", {}, no_memory_holds_it, "cpu_sparse"},
           {"true sums are of all cells", in_double, few_impacts, "cpu_double"},
           {"the layer is stored", exact, stored(few_impacts), "cpu_direct"},
           {"the layer is stored", exact_in_double, stored(few_impacts), "cpu_double"},
           {"neighbourhoods cover the layer", processor_only, {100'000, 10'000, 4}, "cpu_fast"},
           // If they share a few cells, only sorting them takes time: the engine finds out.
           {"very many cells", processor_only, {200'000'000, 4'000'000, 4}, "cpu_sparse"},
           {"the reference never", processor_only, {1, 0, 1}, "cpu_direct"},
           {"the reference never", by(Method::direct), {1'000'000, 1'000'000, 1}, "cpu_direct"},
           {"but where asked for", {.engine = "reference"}, {35, 8, 1}, "reference"},
       }) {
    EXPECT_EQ(selected(choice.settings, choice.workload), choice.engine)
        << choice.why << ", " << choice.workload.cells << " cells";
  }
}

TEST(MakePlan, NotBeyondTheMemoryThereIs) {
  const std::int64_t available = available_host_memory();
  if (available < std::int64_t{1} << 28) GTEST_SKIP() << "too little memory for the question";
  const auto choice = [](std::int64_t cells) {
    return selected(processor_only, stored({cells, 20'000, 4}));
  };
  EXPECT_EQ(choice(available / 16), "cpu_fast");
  EXPECT_EQ(choice(available / 6), "cpu_direct");  // fits in 4 bytes a cell, not in 8
  // No engine fits: the one that lacks least.
  EXPECT_EQ(choice(std::int64_t{1} << 56), "cpu_direct");
  // Nor is a way there told as quicker.
  const auto ways = [](std::int64_t cells) {
    const Plan plan = make_plan(by(Method::direct), stored({cells, 20'000, 4}));
    return std::ranges::count(plan.quicker, Setting::precision, &QuickerWay::setting);
  };
  EXPECT_EQ(ways(available / 16), 1);
  EXPECT_EQ(ways(available / 6), 0);
}

TEST(MakePlan, SeveralRanksStoreTheLayer) {
  const Workload apart{100'000'000, 2, 1};
  EXPECT_EQ(make_plan(processor_only, apart).method, Method::sparse);
  EXPECT_NE(make_plan(processor_only, apart, 2).method, Method::sparse);
}

TEST(MakePlan, SaysHowLongEachOutcomeTakes) {
  const Plan dense = make_plan(processor_only, {1'000'000, 1'000'000, 1});
  EXPECT_LT(10 * dense.seconds, dense.most_seconds);
  EXPECT_EQ(dense.likely_seconds(), dense.most_seconds);
  const Plan proved = make_plan(processor_only, test_07);
  EXPECT_LT(30 * proved.seconds, proved.most_seconds);
  EXPECT_EQ(proved.likely_seconds(), proved.seconds);
  for (const Plan& plan :
       {make_plan(by(Method::direct), test_07),
        make_plan({.device = Device::cpu, .precision = Precision::binary64}, test_07)}) {
    EXPECT_EQ(plan.most_seconds, plan.seconds);
  }
  // Impacts outside leave a flat layer.
  const Plan apart = make_plan(processor_only, {std::int64_t{1} << 50, 2, 1});
  EXPECT_LT(30 * apart.seconds, apart.most_seconds);
}

// With method fast it would go direct.
TEST(MakePlan, NamesTheWaysThatTakeLessThanATenth) {
  SimulationSettings on_two_cores = by(Method::direct);
  on_two_cores.threads = 2;
  const Plan plan = make_plan(on_two_cores, {30'000'000, 1'000'000, 4});
  EXPECT_GT(plan.seconds, Plan::seconds_worth_telling);
  // Where there is a GPU, it is faster, too.
  const auto way = std::ranges::find(plan.quicker, Setting::precision, &QuickerWay::setting);
  ASSERT_NE(way, plan.quicker.end());
  EXPECT_EQ(way->value, "double");
  EXPECT_LT(10 * way->seconds, plan.seconds);
  EXPECT_EQ(std::ranges::count(plan.quicker, Setting::method, &QuickerWay::setting), 0);
}

// A sparse engine has no layer: it is no way to one that is shown.
TEST(MakePlan, NamesASparseWayWhereTheLayerMayBeAskedFor) {
  for (const bool shown : {false, true}) {
    const Plan plan = make_plan(processor_only, {.cells = 300'000'000,
                                                 .impacts = 60'000,
                                                 .storms = 12,
                                                 .stored_layer = shown,
                                                 .layer_on_request = !shown});
    EXPECT_EQ(plan.method, Method::fast);
    const auto way = std::ranges::find(plan.quicker, Setting::method, &QuickerWay::setting);
    EXPECT_EQ(way == plan.quicker.end(), shown);
  }
}

TEST(MakePlan, AHugeRunTakesTheGpuIfThereIsOne) {
  const Plan plan = make_plan({}, {1'000'000'000, 1'000'000, 1});
  bool usable = false;
  for (const cuda::Device& gpu : cuda::devices()) usable |= gpu.has_code;
  EXPECT_EQ(plan.on_gpu, usable);
}

TEST(MakePlan, ContradictionsAreRefused) {
  std::vector<std::pair<SimulationSettings, std::string>> refused{
      {{.device = Device::cpu, .engine = "cuda_staged"},
       "engine cuda_staged runs on a GPU, which device cpu rules out; leave one"},
      {{.device = Device::cuda, .engine = "cpu_direct"},
       "engine cpu_direct runs on the CPU, which device cuda rules out"},
      {{.method = Method::direct, .engine = "cpu_fast"},
       "engine cpu_fast is a fast method, which method direct rules out"},
      {{.precision = Precision::binary64, .engine = "cpu_fast"},
       "engine cpu_fast computes in single precision, which precision double rules"},
      {{.engine = "quick"}, "\"quick\" is not an engine; there are reference, cpu_direct"},
      {{.device = Device::cuda, .method = Method::sparse},
       "no engine on a GPU computes by method sparse in precision single"}};
  for (const Device device : {Device::automatic, Device::cpu, Device::cuda}) {
    refused.push_back(
        {{.device = device, .method = Method::direct, .precision = Precision::binary64},
         "computes by method direct in precision double; leave one of them out"});
  }
  for (const auto& [settings, message] : refused) {
    EXPECT_TRUE(contains(message_of([&settings = settings] {
                           make_plan(settings, {35, 8, 1});
                         }),
                         message));
  }
}

TEST(MakePlan, ADeviceThatIsNotThere) {
  const char* const why = cuda::cuda_part() == nullptr ? "this build holds no CUDA code"
                          : cuda::devices().empty()    ? "this process sees none"
                                                       : "cuda:1000 does not exist";
  EXPECT_TRUE(contains(message_of<CannotRun>([] {
                         make_plan({.device = {Device::cuda, 1000}}, {35, 8, 1});
                       }),
                       why));
}

}  // namespace
}  // namespace bombard
