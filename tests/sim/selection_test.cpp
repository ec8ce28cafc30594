#include "sim/selection.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bombard/errors.hpp"
#include "kernels/base/host_memory.hpp"
#include "kernels/device/device.hpp"

namespace bombard {
namespace {

using Kind = DeviceRequest::Kind;

/// What the exception says; empty when none is thrown.
template <class Exception, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

TEST(ParseDevice, Devices) {
  EXPECT_EQ(parse_device("auto").kind, Kind::automatic);
  EXPECT_EQ(parse_device("cpu").kind, Kind::cpu);
  EXPECT_EQ(parse_device("cuda").kind, Kind::cuda);
  EXPECT_EQ(parse_device("cuda").index, 0);
  EXPECT_EQ(parse_device("cuda:12").kind, Kind::cuda);
  EXPECT_EQ(parse_device("cuda:12").index, 12);
}

TEST(ParseDevice, RefusesTheRest) {
  for (const char* text : {"", "CPU", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cuda: 1",
                           "cuda:99999999999", "cpu:0"}) {
    EXPECT_NE(message_of<InputError>([&] {
                parse_device(text);
              }).find("--device \"" + std::string(text) + "\" is not a device"),
              std::string::npos)
        << text;
  }
}

TEST(ParseMethod, AndPrecision) {
  EXPECT_EQ(parse_method("auto"), std::nullopt);
  EXPECT_EQ(parse_method("direct"), Method::direct);
  EXPECT_EQ(parse_method("fast"), Method::fast);
  EXPECT_EQ(parse_method("sparse"), Method::sparse);
  EXPECT_EQ(parse_precision("single"), Precision::binary32);
  EXPECT_EQ(parse_precision("float"), Precision::binary32);
  EXPECT_EQ(parse_precision("double"), Precision::binary64);
  EXPECT_NE(message_of<InputError>([] {
              parse_method("slow");
            }).find("--method \"slow\" is not a method; it is auto, direct, fast or sparse"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([] {
              parse_precision("half");
            }).find("--precision \"half\" is not a precision; it is single or double"),
            std::string::npos);
}

/// The engine's name.
std::string selected(const EngineRequest& request, const Workload& workload) {
  return select_engine(request, workload).engine->name;
}

constexpr DeviceRequest processor_only{Kind::cpu, 0};
constexpr Workload a_few{35, 28, 4};
constexpr Workload test_07{1'000'000, 20'000, 4};

TEST(SelectEngine, ASmallRunStaysOnTheProcessorAndLooksForNoGpu) {
  for (const Workload& workload : {a_few, Workload{60, 30, 3}, test_07}) {
    const Selection selection = select_engine({}, workload);
    EXPECT_FALSE(selection.engine->on_device);
    EXPECT_FALSE(selection.device_name.empty());
    EXPECT_NE(selection.reason.find("on a GPU would take"), std::string::npos) << selection.reason;
  }
}

TEST(SelectEngine, FastWhereItIsQuicker) {
  EXPECT_EQ(selected({}, test_07), "cpu_fast");
  EXPECT_EQ(selected({}, {30'000, 120'000, 6}), "cpu_fast");
  EXPECT_EQ(selected({}, a_few), "cpu_direct");
  // The relaxation alone is all there is to do.
  EngineRequest with_layer{processor_only};
  with_layer.stored_layer = true;
  EXPECT_EQ(selected(with_layer, {1'000'000, 3, 3}), "cpu_direct");
  // Nothing would be proved.
  EXPECT_EQ(selected({processor_only}, {1'000'000, 10'000'000, 1}), "cpu_direct");
}

TEST(SelectEngine, NotBeyondTheMemoryThereIs) {
  const std::int64_t available = available_host_memory();
  if (available < std::int64_t{1} << 28) GTEST_SKIP() << "so little memory that nobody asks";
  const auto choice = [](std::int64_t cells) {
    EngineRequest with_layer{processor_only};
    with_layer.stored_layer = true;
    return selected(with_layer, {cells, 20'000, 4});
  };
  EXPECT_EQ(choice(available / 16), "cpu_fast");
  EXPECT_EQ(choice(available / 6), "cpu_direct");  // fits in 4 bytes a cell, not in 8
  // Nobody fits: the one that lacks least.
  EXPECT_EQ(choice(std::int64_t{1} << 56), "cpu_direct");
}

TEST(SelectEngine, AFileOfTheLayerHoldsTheRules) {
  EngineRequest request{processor_only};
  request.exact_layer = true;
  EXPECT_EQ(selected(request, test_07), "cpu_sparse");  // a few cells are enough
  request.stored_layer = true;
  EXPECT_EQ(selected(request, test_07), "cpu_direct");
  request.method = Method::fast;
  EXPECT_EQ(selected(request, test_07), "cpu_fast");
}

TEST(SelectEngine, TheMethodAskedFor) {
  EXPECT_EQ(selected({processor_only, "", Method::direct, {}}, test_07), "cpu_direct");
  EXPECT_EQ(selected({processor_only, "", Method::fast, {}}, a_few), "cpu_fast");
}

TEST(SelectEngine, SparseWhereImpactsAreFewToACell) {
  constexpr Workload few_impacts{100'000'000, 3, 3},
      no_memory_holds_it{std::int64_t{1} << 50, 9, 3};
  for (const Workload& workload : {few_impacts, no_memory_holds_it}) {
    EXPECT_EQ(selected({}, workload), "cpu_sparse");
    EXPECT_EQ(selected({{}, "", {}, Precision::binary64}, workload), "cpu_sparse_double");
  }
  EngineRequest with_layer{processor_only};
  with_layer.exact_layer = with_layer.stored_layer = true;
  EXPECT_EQ(selected(with_layer, few_impacts), "cpu_direct");
  with_layer.precision = Precision::binary64;
  EXPECT_EQ(selected(with_layer, few_impacts), "cpu_double");
  // The neighbourhoods of impacts would cover the layer.
  EXPECT_EQ(selected({processor_only}, {100'000, 10'000, 4}), "cpu_fast");
}

TEST(SelectEngine, SparseForThoseWhoAsk) {
  EXPECT_EQ(selected({processor_only, "", Method::sparse, {}}, test_07), "cpu_sparse");
  EXPECT_NE(message_of<InputError>([] {
              select_engine({{Kind::cuda, 0}, "", Method::sparse, {}}, {35, 8, 1});
            }).find("no engine on a GPU computes by --method sparse in --precision single"),
            std::string::npos);
}

TEST(SelectEngine, TheReferenceIsNeverChosenByItself) {
  EXPECT_EQ(selected({processor_only}, {1, 0, 1}), "cpu_direct");
  EXPECT_EQ(selected({processor_only, "", Method::direct, {}}, {1'000'000, 1'000'000, 1}),
            "cpu_direct");
  EXPECT_EQ(selected({processor_only, "reference"}, {35, 8, 1}), "reference");
}

TEST(SelectEngine, AHugeRunTakesTheGpuIfThereIsOne) {
  const Selection selection = select_engine({}, {1'000'000'000, 1'000'000, 1});
  bool usable = false;
  for (const cuda::Device& gpu : cuda::devices()) usable |= gpu.has_code;
  EXPECT_EQ(selection.engine->on_device, usable);
}

TEST(SelectEngine, AnUnknownEngineIsNamedWithTheOnesThereAre) {
  const std::string message = message_of<InputError>([] {
    select_engine({{}, "quick"}, {35, 8, 1});
  });
  EXPECT_NE(message.find("\"quick\" is not an engine"), std::string::npos) << message;
  EXPECT_NE(message.find("reference, cpu_direct"), std::string::npos) << message;
}

TEST(SelectEngine, ContradictionsAreRefused) {
  const auto expect_refused = [](const EngineRequest& request, const std::string& text) {
    const std::string message = message_of<InputError>([&] { select_engine(request, {35, 8, 1}); });
    EXPECT_NE(message.find(text), std::string::npos) << message;
  };
  expect_refused({{Kind::cpu, 0}, "cuda_staged"},
                 "--engine cuda_staged runs on a GPU, which --device cpu rules out; leave one");
  expect_refused({{Kind::cuda, 0}, "cpu_direct"},
                 "--engine cpu_direct runs on the processor, which --device cuda rules out");
  expect_refused({{}, "cpu_fast", Method::direct, {}},
                 "--engine cpu_fast is a fast method, which --method direct rules out");
  expect_refused({{}, "cpu_direct", Method::fast, {}},
                 "--engine cpu_direct is a direct method, which --method fast rules out");
  expect_refused({{}, "cpu_fast", {}, Precision::binary64},
                 "--engine cpu_fast computes in single precision, which --precision double rules");
  for (const Kind kind : {Kind::automatic, Kind::cpu, Kind::cuda}) {
    expect_refused({{kind, 0}, "", Method::direct, Precision::binary64},
                   "computes by --method direct in --precision double; leave one of them out");
  }
}

TEST(SelectEngine, ADeviceThatIsNotThere) {
  const std::string message = message_of<CannotRun>([] {
    select_engine({{Kind::cuda, 1000}}, {35, 8, 1});
  });
  if (cuda::cuda_part() == nullptr) {
    EXPECT_NE(message.find("this build holds no CUDA code"), std::string::npos) << message;
  } else if (cuda::devices().empty()) {
    EXPECT_NE(message.find("this process sees none"), std::string::npos) << message;
  } else {
    EXPECT_NE(message.find("cuda:1000 is not there"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace bombard
