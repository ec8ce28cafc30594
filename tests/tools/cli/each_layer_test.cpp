// What `run` takes from the layer after each storm: --layers, --cells-at, --peaks.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class EachLayer : public ProgramTest {
 protected:
  /// `run` of the first `storms` storms of the sample.
  static std::string run(int storms) {
    return fmt::format("bombard run 60 $samples/layer_60_storm_[1-{}].txt ", storms);
  }
  nlohmann::json storms_of(const std::string& options) {
    return nlohmann::json::parse(done(run(3) + "--format=json " + options).out)["storms"];
  }
};

TEST_F(EachLayer, RowsAreTheFinalLayersOfShorterRuns) {
  done(run(3) + "--layers layers.npy");
  const auto layers = values_in<float>("layers.npy", {3, 60});
  for (int storms = 1; storms <= 3; ++storms) {
    done(run(storms) + "--layer layer.npy");
    const auto row = layers.begin() + 60 * (storms - 1);
    EXPECT_EQ(values_in<float>("layer.npy", {60}), std::vector<float>(row, row + 60));
  }
}

TEST_F(EachLayer, ValuesAndPeaksAreThoseOfTheLayers) {
  for (const std::string engine : {"reference", "cpu_direct", "cpu_double"}) {
    const nlohmann::json storms =
        storms_of("--peaks=4 --cells-at=59,10:12 --layers layers.npy --engine " + engine);
    const auto layers = engine == "cpu_double" ? values_in<double>("layers.npy", {3, 60}) : [&] {
      const auto values = values_in<float>("layers.npy", {3, 60});
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

TEST_F(EachLayer, RefusesWhatCannotBe) {
  expect_refused(
      2,
      {{run(3) + "--method=fast --peaks=1",
        "and the layer of cpu_fast is only near it; take --method direct or sparse, or --precision "
        "double"},
       {run(3) + "--peaks=0", "--peaks 0 is out of range; it is a whole number from 1 to 10000"},
       {run(3) + "--cells-at=60", "--cells-at 60 is out of range"},
       {run(3) + "--format=result --peaks=1", "--format result has no place for --cells-at"},
       {run(3) + "--layers none/a", "there is no directory"}});
  // The disk is looked at before the run.
  expect_refused(3, {{"bombard run 1e14 $samples/layer_60_storm_[12].txt --layers a.npy",
                      " a.npy: the layers after 2 storms need 800000 GB, but its disk has "},
                     {"bombard run 1e14 $samples/layer_60_storm_[12].txt --layers a.npy",
                      " GB free; name a file on a larger one, or take the final layer alone "
                      "(--layer)\n"}});
  expect("ls -A", "");
  done(run(3) + "--method=fast --layers layers.npy");
  done(run(3) + "--method=fast --peaks=1 --precision=double");
}

}  // namespace
}  // namespace bombard::tests
