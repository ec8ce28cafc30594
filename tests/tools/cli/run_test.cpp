// `bombard run` as a user runs it: what it prints, writes and reports.

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

/// The sample set, and its digits as the published program prints them.
const std::string run_sample = "bombard run 60 $samples/layer_60_storm_*.txt ";

class Run : public ProgramTest {
 protected:
  Run() { written("storm.txt", "1\n2 100\n"); }

  /// The first storms of the sample.
  static std::string run(int storms) {
    return fmt::format("bombard run 60 $samples/layer_60_storm_[1-{}].txt ", storms);
  }
};

// ---- formats ----

TEST_F(Run, ResultHasTheExpectedDigits) {
  const std::string expected =
      content_of(BOMBARD_SOURCE_DIR "/inputs/samples/layer_60_expected.txt");
  expect(run_sample + "--format result",
         "\nTime: *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9]\n" + expected);
  for (const std::string by : {"--threads 1", "--engine reference", "--method direct",
                               "--method fast", "--method sparse"}) {
    expect(run_sample + "--format=result --device=cpu " + by, "*\n" + expected);
  }
  expect(
      "cd $samples; bombard run 60 layer_60_storm_1.txt - layer_60_storm_3.txt --format=result "
      "<layer_60_storm_2.txt",
      "*\n" + expected);
}

TEST_F(Run, FormatsFollowTheirOptionOrTheNameOfTheOutput) {
  const std::string table = "60 cells, 3 storms, 30 impacts; cpu_direct on *";
  const std::string json = "{\n  \"program\": \"bombard\",\n*}\n";
  const std::string csv = "version,engine,*\r\n*\r\n*\r\n*\r\n";
  const std::string lines = "{\"storm\":1,*}\n{\"storm\":2,*}\n{\"storm\":3,*}\n";
  written("r.csv", "older");
  for (const auto& [options, file, text] :
       std::vector<std::array<std::string, 3>>{{"", "", table},
                                               {"--format json --method=fast", "", json},
                                               {"--format csv", "", csv},
                                               {"--format ndjson --output -", "", lines},
                                               {"--output r.csv", "r.csv", csv},
                                               {"--output r.json", "r.json", json},
                                               {"--output r.ndjson", "r.ndjson", lines},
                                               {"--output r.txt --format=table", "r.txt", table}}) {
    const std::string out = done(run_sample + options).out;
    EXPECT_TRUE(matches(file.empty() ? out : content(file), text)) << options;
    EXPECT_EQ(out.empty(), !file.empty());
  }
  expect(run_sample + "--format ndjson --output /dev/stdout; echo end", lines + "end\n");
}

TEST_F(Run, PlotFollowsTheTableOrStaysOutOfAProgramsWay) {
  expect(run_sample + "--plot --engine=cpu_double",
         "60 cells, *total*\neach bar is a cell\n*       20000 ┤*2        1     3\n");
  expect(run_sample + "--plot --format json", "{*]\n}\n", "each bar is a cell\n*");
  expect(run_sample + "--plot --format json --output result.json", "each bar is a cell\n*");
  EXPECT_TRUE(content("result.json").ends_with("]\n}\n"));
  const std::string plot = "bombard run 35 storm.txt --plot";
  expect("LC_ALL=C " + plot, "*\n        2000 +*#*\n*");
  expect("LC_ALL=C.UTF-8 LANG=C " + plot, "*┤*");
}

// ---- what is computed ----

// An impact of 100 on cell 3 of 7: e = 100000 / 7, in the first edition 0.1. With a threshold of
// 60000 the shares count up to n = 2; with 80000 they count up to n = 1: a plateau.
TEST_F(Run, RulesOfTheFamily) {
  written("one.txt", "1\n3 100\n");
  for (const auto& [rule, maximum] :
       {std::pair("--threshold 60000", "3,11496.25*"),
        {"--threshold 80000", "0,0,"},
        {"--edition 1 --precision double --attenuation damped:1:0.5", "3,0.0378445094*"}}) {
    expect(std::string("bombard run 7 one.txt --format=csv --quiet ") + rule,
           std::string("*one.txt,1,") + maximum + "*");
  }
}

// Each layer is the last one of a shorter run by the rule, and has the values and peaks of its
// storm.
TEST_F(Run, LayersAreThoseAfterEachStorm) {
  using nlohmann::json;
  const std::string command =
      run(3) + "--method=fast --format=json --peaks=4 --cells-at=59,10:12 --layers layers.npy";
  const json storms = json::parse(done(command).out)["storms"];
  const auto layers = values_in<float>("layers.npy", {3, 60});
  for (int i = 0; i < 3; ++i) {
    done(run(i + 1) + "--engine reference --layer layer.npy");
    const auto layer = values_in<float>("layer.npy", {60});
    EXPECT_TRUE(std::equal(layer.begin(), layer.end(), layers.begin() + 60 * i));
    json cells;
    for (const std::size_t cell : {59, 10, 11}) {
      cells.push_back({{"position", cell}, {"value", layer[cell]}});
    }
    EXPECT_EQ(storms[i]["cells_at"], cells);
    const json& highest = storms[i]["peaks"][0];
    EXPECT_EQ(highest,
              json({{"position", storms[i]["position"]}, {"value", storms[i]["maximum"]}}));
    EXPECT_EQ(highest["value"], layer[highest["position"].get<std::size_t>()]);
  }
}

// ---- messages ----

TEST_F(Run, Notes) {
  written("outside.txt", "4\n3 10\n-1 7\n9 5\n10 5\n");
  for (const auto& [command, said] : std::vector<std::pair<std::string, std::string>>{
           {"bombard run 10 outside.txt outside.txt",
            "*impacts outside the layer: 4 of 8; their shares count in the cells inside\n"},
           {"bombard run 10 outside.txt --quiet --quiet", ""},
           {run_sample + "-v", "bombard: engine cpu_direct on *start-up*"},
           {run_sample + "--verbose --engine cpu_fast",
            "bombard: engine cpu_fast on *: it was asked for\nbombard: rule of edition 2, "
            "attenuation power:0.5, threshold 0.001\nbombard: storm 1: 1 candidate, bound "
            "*\nbombard: storm 2: *\nbombard: storm 3: *\n"}}) {
    expect(command, "*", said);
  }
}

TEST_F(Run, ALongRunIsAnnounced) {
  const Outcome outcome = shell(
      "bombard generate --cells 20000000 --impacts 10000 --directory . >names && "
      "{ bombard run 20000000 $(cat names) --engine reference 2>messages & } && "
      "for i in {1..100}; do sleep 0.1; grep -q about messages && break; done; "
      "kill -KILL $!; wait $!; cat messages");
  EXPECT_TRUE(matches(outcome.out, "bombard: this takes about *\n"));
}

// ---- --dry-run ----

// tests/sim/plan_test.cpp has the memory of other runs.
TEST_F(Run, ADryRunComputesNothing) {
  expect(
      "bombard run 1e7 storm.txt storm.txt --engine=cpu_double --dry-run --layers all.npy "
      "--output r.json",
      "engine  cpu_double on *: it was asked for\nwork    10000000 cells, 2 storms, 2 impacts\n"
      "time    about *\nmemory  about 0.166 GB; * are free\n"
      "writes  r.json, all.npy (0.16 GB)\nnothing was computed\n");
  // The reference, whose layer takes 64 bytes per cell, and the copy that is compared.
  expect("bombard validate 1e7 storm.txt --engine=cpu_double --dry-run",
         "engine  cpu_double on *\nmemory  about 0.806 GB; *nothing was computed\n");
  // Of one storm no cell is stored; between two, which may come one by one, all cells are.
  const std::string direct = " --method direct --dry-run --device cpu storm.txt";
  expect("bombard run 1e10" + direct, "*\nmemory  about 0.0*");
  expect("bombard run 1e7 storm.txt" + direct, "*\nmemory  about 0.0736 GB; *");
  expect("ls -A", "storm.txt\n");
  expect_refused(2, {{"bombard run 60 --dry-run storm.txt none.txt", "none.txt"},
                     {"bombard run 60 --dry-run storm.txt --output storm.txt", "is read from"}});
}

// ---- refusals ----

// What options, words, plans and files refuse is tested with them.
TEST_F(Run, Refusals) {
  written("bad.txt", "1\n1 x\n");
  const std::string run = "bombard run 35 storm.txt ";
  expect_refused(
      2,
      {{"bombard run storm.txt 60", "CELLS comes first: bombard run 60 storm.txt"},
       {run + "--format=result --peaks=1", "--format result has no place for --cells-at"},
       // A file that cannot be opened is reported before anything is read, and before the device.
       {"bombard run 60 bad.txt missing.txt --device=cuda", "missing.txt: "}});
  EXPECT_FALSE(contains(shell("bombard run 35 $'\\x1b[2J'").err, "\x1b"));
  const std::string large = "bombard run 1000000000000000 storm.txt ";
  expect_refused(3, {{run + "--device cuda:7", "GPU"},
                     // Only if it has to hold the layer: cpu_direct does without when no one asks.
                     {large + "--engine cpu_direct --plot", "cpu_direct needs 8003910 GB"},
                     {large + "--engine cpu_fast --dry-run", "cpu_fast needs 9"},
                     // The disk is checked before the run.
                     {"bombard run 1e8 $(yes storm.txt | head -n 20000) --layers a.npy",
                      " a.npy: the layers after 20000 storms need 8000 GB, but its disk has "}});
}

TEST_F(Run, AMistakeInALaterStormLeavesOlderFiles) {
  for (const char* name : {"result.csv", "layers.npy"}) written(name, "older");
  written("bad.txt", "1\n1 x\n");
  const std::string run = "bombard run 60 storm.txt storm.txt bad.txt storm.txt ";
  expect_refused(2, {{run + "--output result.csv --layers layers.npy", "bad.txt:2: energy"}});
  EXPECT_EQ(content("result.csv") + content("layers.npy"), "olderolder");
  expect("ls -A", "bad.txt\nlayers.npy\nresult.csv\nstorm.txt\n");
}

}  // namespace
}  // namespace bombard::tests
