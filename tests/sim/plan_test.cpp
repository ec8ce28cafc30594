#include "sim/plan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kernels/base/host_memory.hpp"
#include "kernels/device/device.hpp"
#include "sim/engine_chain.hpp"
#include "tests/text.hpp"

namespace bombard {
namespace {

using tests::contains, tests::message_of;

/// The storms of a run.
struct Work {
  std::int64_t cells, impacts, storms;
};
Plan made(SimulationSettings settings, const Work& work,
          const Communicator& ranks = Communicator()) {
  settings.expected_impacts = work.impacts;
  settings.expected_storms = work.storms;
  settings.exactly_these = true;
  return make_plan(work.cells, settings, ranks);
}

const SimulationSettings processor_only{.device = Device::cpu};

SimulationSettings by(Method method) {
  return {.device = Device::cpu, .method = method};
}
SimulationSettings wanting(Wanted wanted) {
  return {.device = Device::cpu, .wanted = wanted};
}

constexpr Work a_few{35, 28, 4};
constexpr Work test_07{1'000'000, 20'000, 4};

TEST(MakePlan, ASmallRunStaysOnTheProcessorAndLooksForNoGpu) {
  for (const Work& work : {a_few, Work{60, 30, 3}, test_07}) {
    const Plan plan = made({}, work);
    EXPECT_FALSE(plan.on_gpu);
    EXPECT_FALSE(plan.device.empty());
    EXPECT_TRUE(contains(plan.reason, "on a GPU would take"));
  }
}

constexpr Work few_impacts{100'000'000, 3, 3}, no_memory_holds_it{std::int64_t{1} << 50, 9, 3};

TEST(MakePlan, ChoosesTheEngine) {
  struct Choice {
    const char* why;
    SimulationSettings settings;
    Work work;
    const char* engine;
  };
  const SimulationSettings cells = wanting(Wanted::cells), layer = wanting(Wanted::layer);
  const SimulationSettings layer_in_double{
      .device = Device::cpu, .precision = Precision::binary64, .wanted = Wanted::layer};
  const SimulationSettings layer_and_fast{
      .device = Device::cpu, .method = Method::fast, .wanted = Wanted::layer};
  for (const Choice& choice : {
           Choice{"fast is quicker", {}, test_07, "cpu_fast"},
           {"so small", {}, a_few, "cpu_direct"},
           {"nothing is proved", processor_only, {1'000'000, 10'000'000, 1}, "cpu_direct"},
           {"a few cells are enough", cells, test_07, "cpu_sparse"},
           {"the rule's layer", layer, test_07, "cpu_direct"},
           {"the rule's layer", layer, few_impacts, "cpu_direct"},
           {"the true sums", layer_in_double, few_impacts, "cpu_double"},
           {"asked for", layer_and_fast, test_07, "cpu_fast"},
           {"asked for", by(Method::direct), test_07, "cpu_direct"},
           {"asked for", by(Method::fast), a_few, "cpu_fast"},
           {"asked for", by(Method::sparse), test_07, "cpu_sparse"},
           {"few impacts to a cell", {}, few_impacts, "cpu_sparse"},
           {"few impacts to a cell", {}, no_memory_holds_it, "cpu_sparse"},
           {"neighbourhoods cover the layer", processor_only, {100'000, 10'000, 4}, "cpu_fast"},
           // If they share a few cells, only sorting them takes time: the engine finds out.
           {"very many cells", processor_only, {200'000'000, 4'000'000, 4}, "cpu_sparse"},
           {"the reference never", processor_only, {1, 0, 1}, "cpu_direct"},
           {"the reference never", by(Method::direct), {1'000'000, 1'000'000, 1}, "cpu_direct"},
           {"but where asked for", {.engine = "reference"}, {35, 8, 1}, "reference"},
       }) {
    EXPECT_EQ(made(choice.settings, choice.work).engine, choice.engine)
        << choice.why << ", " << choice.work.cells << " cells";
  }
}

TEST(MakePlan, NotBeyondTheMemoryThereIs) {
  const std::int64_t available = available_host_memory();
  if (available < std::int64_t{1} << 28) GTEST_SKIP() << "too little memory for the question";
  const SimulationSettings in_double{
      .device = Device::cpu, .precision = Precision::binary64, .wanted = Wanted::layer};
  require_memory(made(in_double, {available / 64, 20'000, 4}));
  EXPECT_THROW(require_memory(made(in_double, {available / 8, 20'000, 4})), CannotRun);
  // No engine fits: the one that lacks least.
  EXPECT_EQ(made(wanting(Wanted::layer), {std::int64_t{1} << 56, 20'000, 4}).engine, "cpu_direct");
}

TEST(MakePlan, CountsAllThatARunTakesOfTheMemory) {
  const Work work{10'000'000, 1000, 2};
  const auto bytes = [&](const char* engine, Wanted wanted) {
    return made({.engine = engine, .threads = 1, .wanted = wanted}, work).host_bytes;
  };
  // A copy of the layer that is wanted, where the engine has one.
  for (const Wanted wanted : {Wanted::cells, Wanted::layer}) {
    EXPECT_EQ(bytes("cpu_double", wanted) - bytes("cpu_double", Wanted::maxima), 80'000'000);
    EXPECT_EQ(bytes("cpu_fast", wanted), bytes("cpu_fast", Wanted::maxima));
  }
  // A layer that another engine has.
  EXPECT_EQ(bytes("cpu_sparse", Wanted::layer),
            bytes("cpu_direct", Wanted::layer) + 1000 * sizeof(Impact));
  // The storms that another engine may need.
  const EngineOptions options{
      .part = whole_layer(work.cells), .storms = 2, .keep_layer = false, .impacts = 1000};
  EXPECT_EQ(bytes("cpu_sparse", Wanted::maxima),
            find_engine("cpu_sparse")->bytes(options) + 1000 * sizeof(Impact));
}

/// Rank 0 of four, two of them on this machine.
class OneOfFour final : public Communicator {
  int ranks() const override { return 4; }
  int ranks_on_host() const override { return 2; }
};

// A machine holds the parts of its ranks, not the layer.
TEST(MakePlan, OfRanks) {
  SimulationSettings settings{.engine = "cpu_double", .threads = 1};
  const Work work{10'000'000, 2, 1};
  const auto alone = static_cast<double>(made(settings, work).host_bytes);
  const Plan together = made(settings, work, OneOfFour());
  EXPECT_NEAR(static_cast<double>(together.host_bytes), alone / 2, alone / 100);
  // Two of four parts of 20 MB are copied; for cells and peaks rank 0 joins all.
  for (const auto& [wanted, bytes] : {std::pair(Wanted::layer, 40e6), {Wanted::cells, 120e6}}) {
    settings.wanted = wanted;
    EXPECT_EQ(made(settings, work, OneOfFour()).host_bytes - together.host_bytes, bytes);
  }
  EXPECT_NE(made(processor_only, few_impacts, OneOfFour()).method, Method::sparse);
  settings.engine = "cpu_sparse";
  EXPECT_TRUE(contains(message_of([&] { made(settings, work, OneOfFour()); }),
                       "cpu_sparse stores no layer and needs one process"));
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
      {{.engine = "cpu_fast", .rule = {.attenuation = {1}}},
       "attenuation power:1 is there in double precision, and cpu_fast computes in single "
       "precision; choose precision double, or leave the attenuation out"},
      {{.rule = {.attenuation = {0, 20}}},
       "attenuation exponential:20 is there in double precision"},
      {{.precision = Precision::binary64, .engine = "cpu_double", .rule = {.threshold = 0}},
       "threshold 0 is there in single precision, and cpu_double adds every share, in double "
       "precision; leave the threshold out"},
      {{.device = Device::cuda, .method = Method::sparse},
       "no engine on a GPU computes by method sparse in precision single"}};
  for (const Device device : {Device::automatic, Device::cpu, Device::cuda}) {
    refused.push_back(
        {{.device = device, .method = Method::direct, .precision = Precision::binary64},
         "computes by method direct in precision double; leave one of them out"});
  }
  EXPECT_THROW(made(by(Method::fast), {35, std::int64_t{1} << 60, 4}), InputError);
  for (const auto& [settings, message] : refused) {
    EXPECT_TRUE(contains(message_of([&settings = settings] { made(settings, a_few); }), message));
  }
}

TEST(MakePlan, ADeviceThatIsNotThere) {
  const char* const why = cuda::cuda_part() == nullptr ? "this build holds no CUDA code"
                          : cuda::devices().empty()    ? "this process sees none"
                                                       : "cuda:1000 does not exist";
  EXPECT_TRUE(contains(message_of<CannotRun>([] {
                         made({.device = {Device::cuda, 1000}}, a_few);
                       }),
                       why));
}

}  // namespace
}  // namespace bombard
