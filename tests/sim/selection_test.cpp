#include "sim/selection.hpp"

#include <gtest/gtest.h>

#include <string>

#include "inputs/errors.hpp"
#include "kernels/device.hpp"
#include "kernels/errors.hpp"

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

TEST(SelectEngine, ASmallRunStaysOnTheProcessor) {
  const Selection selection = select_engine({}, "", 35, 28, 4);
  EXPECT_STREQ(selection.engine->name, "cpu_direct");
  EXPECT_FALSE(selection.device_name.empty());
  EXPECT_FALSE(selection.reason.empty());
}

TEST(SelectEngine, TheReferenceIsNeverChosenByItself) {
  EXPECT_STREQ(select_engine({Kind::cpu, 0}, "", 1, 0, 1).engine->name, "cpu_direct");
  EXPECT_STREQ(select_engine({Kind::cpu, 0}, "", 1'000'000, 1'000'000, 1).engine->name,
               "cpu_direct");
  EXPECT_STREQ(select_engine({Kind::cpu, 0}, "reference", 35, 8, 1).engine->name, "reference");
}

TEST(SelectEngine, AHugeRunTakesTheGpuIfThereIsOne) {
  const Selection selection = select_engine({}, "", 1'000'000'000, 1'000'000, 1);
  bool usable = false;
  for (const cuda::Device& gpu : cuda::devices()) usable |= gpu.has_code;
  EXPECT_EQ(selection.engine->on_device, usable);
}

TEST(SelectEngine, AnUnknownEngineIsNamedWithTheOnesThereAre) {
  const std::string message = message_of<InputError>([] { select_engine({}, "quick", 35, 8, 1); });
  EXPECT_NE(message.find("\"quick\" is not an engine"), std::string::npos) << message;
  EXPECT_NE(message.find("reference, cpu_direct"), std::string::npos) << message;
}

TEST(SelectEngine, ContradictionsAreRefused) {
  EXPECT_NE(message_of<InputError>([] {
              select_engine({Kind::cpu, 0}, "cuda_staged", 35, 8, 1);
            }).find("--device cpu rules out"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([] {
              select_engine({Kind::cuda, 0}, "cpu_direct", 35, 8, 1);
            }).find("--device cuda rules out"),
            std::string::npos);
}

TEST(SelectEngine, ADeviceThatIsNotThere) {
  const std::string message = message_of<CannotRun>([] {
    select_engine({Kind::cuda, 1000}, "", 35, 8, 1);
  });
  if (cuda::toolkit_version().empty()) {
    EXPECT_NE(message.find("this build holds no CUDA code"), std::string::npos) << message;
  } else if (cuda::devices().empty()) {
    EXPECT_NE(message.find("this process sees none"), std::string::npos) << message;
  } else {
    EXPECT_NE(message.find("cuda:1000 is not there"), std::string::npos) << message;
  }
}

TEST(EstimatedSeconds, GrowsWithEverything) {
  const EngineEntry& engine = engines().front();
  const double seconds = estimated_seconds(engine, 1000, 100, 2);
  EXPECT_GT(seconds, 0);
  EXPECT_GT(estimated_seconds(engine, 2000, 100, 2), seconds);
  EXPECT_GT(estimated_seconds(engine, 1000, 200, 2), seconds);
  EXPECT_GT(estimated_seconds(engine, 1000, 100, 3), seconds);
}

}  // namespace
}  // namespace bombard
