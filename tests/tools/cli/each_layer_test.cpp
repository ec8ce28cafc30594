// What `run` takes from the layer after each storm: --layers, --cells-at, --peaks.

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"
#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class EachLayer : public ProgramTest {
 protected:
  static std::string storm(int number) {
    return BOMBARD_SOURCE_DIR "/inputs/samples/layer_60_storm_" + std::to_string(number) + ".txt";
  }
  /// `run` of the first so many storms of the sample.
  Outcome run(int storms, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"run", "60"};
    for (int i = 1; i <= storms; ++i) arguments.push_back(storm(i));
    arguments.insert(arguments.end(), options.begin(), options.end());
    return bombard(arguments);
  }
  nlohmann::json json_of(const std::vector<std::string>& options) {
    std::vector<std::string> all{"--format=json"};
    all.insert(all.end(), options.begin(), options.end());
    return nlohmann::json::parse(run(3, all).out);
  }
  void expect_error(const std::vector<std::string>& options, int code, const std::string& part) {
    const Outcome outcome = run(3, options);
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, part));
  }
};

template <class T>
std::vector<T> values_in(const std::string& file, const std::vector<std::int64_t>& shape) {
  const MappedFile mapped(file);
  const NpyArray array(mapped);
  EXPECT_EQ(array.shape(), shape);
  const auto values = std::get<std::span<const T>>(array.values());
  return {values.begin(), values.end()};
}

TEST_F(EachLayer, RowsAreTheFinalLayersOfShorterRuns) {
  EXPECT_EQ(run(3, {"--layers", path("layers.npy")}).exit_code, 0);
  const auto layers = values_in<float>(path("layers.npy"), {3, 60});
  for (int storms = 1; storms <= 3; ++storms) {
    run(storms, {"--layer", path("layer.npy")});
    const auto row = layers.begin() + 60 * (storms - 1);
    EXPECT_EQ(values_in<float>(path("layer.npy"), {60}), std::vector<float>(row, row + 60));
  }
}

TEST_F(EachLayer, IsInThePrecisionOfTheRun) {
  run(3, {"--precision=double", "--layers", path("layers.npy"), "--layer", path("layer.npy")});
  const auto layers = values_in<double>(path("layers.npy"), {3, 60});
  EXPECT_EQ(std::vector<double>(layers.begin() + 120, layers.end()),
            values_in<double>(path("layer.npy"), {60}));
}

TEST_F(EachLayer, ValuesAndPeaksAreThoseOfTheLayers) {
  for (const std::string engine : {"reference", "cpu_direct", "cpu_double"}) {
    const nlohmann::json storms = json_of({"--engine", engine, "--peaks=4", "--cells-at=59,10:12",
                                           "--layers", path("layers.npy")})["storms"];
    const auto layers =
        engine == "cpu_double" ? values_in<double>(path("layers.npy"), {3, 60}) : [&] {
          const auto values = values_in<float>(path("layers.npy"), {3, 60});
          return std::vector<double>(values.begin(), values.end());
        }();
    for (std::size_t i = 0; i < 3; ++i) {
      const double* const layer = &layers[60 * i];
      EXPECT_EQ(storms[i]["cells_at"].size(), 3U);
      EXPECT_EQ(storms[i]["cells_at"][0]["value"], layer[59]);
      EXPECT_EQ(storms[i]["cells_at"][1]["value"], layer[10]);
      EXPECT_EQ(storms[i]["cells_at"][2]["position"], 11);
      EXPECT_EQ(storms[i]["peaks"][0]["position"], storms[i]["position"]);
      EXPECT_EQ(storms[i]["peaks"][0]["value"], storms[i]["maximum"]);
      for (const nlohmann::json& peak : storms[i]["peaks"]) {
        const auto position = peak["position"].get<std::size_t>();
        EXPECT_EQ(peak["value"], layer[position]);
        EXPECT_LT(layer[position - 1], layer[position]);
        EXPECT_LT(layer[position + 1], layer[position]);
      }
    }
  }
}

TEST_F(EachLayer, MaximaStayTheSame) {
  const nlohmann::json storms = json_of({"--peaks=1"})["storms"];
  const nlohmann::json plain = json_of({})["storms"];
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(storms[i]["maximum"], plain[i]["maximum"]);
}

TEST_F(EachLayer, IsARulesLayerOnly) {
  expect_error(
      {"--method=fast", "--peaks=1"}, 2,
      "and that of cpu_fast is only near it; take --method direct or sparse, or --precision "
      "double");
  EXPECT_EQ(run(3, {"--method=fast", "--layers", path("layers.npy")}).exit_code, 0);
  EXPECT_EQ(run(3, {"--precision=double", "--method=fast", "--peaks=1"}).exit_code, 0);
}

TEST_F(EachLayer, RefusesWhatCannotBe) {
  expect_error({"--peaks=0"}, 2, "--peaks 0 is out of range; it is a whole number from 1 to 10000");
  expect_error({"--cells-at=60"}, 2, "--cells-at 60 is out of range");
  expect_error({"--format=result", "--peaks=1"}, 2, "--format result has no place for --cells-at");
  expect_error({"--layers", path("a"), "--layer", path("a")}, 2, "--layer and --layers both name");
  expect_error({"--layers", path("a"), "--output", path("a")}, 2,
               "--output and --layers both name");
  expect_error({"--layers", path("none/a")}, 2, "there is no directory");
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST_F(EachLayer, ChecksTheDiskBeforeTheRun) {
  const Outcome outcome = bombard({"run", "1e14", storm(1), storm(2), "--layers", path("a.npy")});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(
      matches(outcome.err,
              "*/a.npy: the layers after 2 storms need 800000 GB, but its disk has * GB "
              "free; name a file on a larger one, or take the final layer alone (--layer)\n"));
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST_F(EachLayer, AFileIsWholeOrOld) {
  write_file(path("layers.npy"), "old");
  write_file(path("bad.txt"), "1\n2\n");
  expect_error({path("bad.txt"), "--layers", path("layers.npy")}, 2, "bad.txt:");
  EXPECT_EQ(content_of(path("layers.npy")), "old");
}

TEST_F(EachLayer, GoesIntoAPipe) {
  const Outcome outcome =
      shell("\"$bombard\" run 60 " + storm(1) + " " + storm(2) +
            " --output /dev/null --layers >(wc -c >count; mv count counted)" +
            "; for i in {1..500}; do test -e counted && break; sleep 0.01; done");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(content_of(path("counted")), "608\n");  // a header of 128 bytes, two rows of 240
}

}  // namespace
}  // namespace bombard::tests
