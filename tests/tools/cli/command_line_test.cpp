// The command line as a user runs it: what comes out where, and with which exit code.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/device/device.hpp"
#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

const std::string samples = BOMBARD_SOURCE_DIR "/inputs/samples/";

/// CELLS and the files of a sample set, after the subcommand.
std::vector<std::string> sample(const std::string& subcommand,
                                std::vector<std::string> options = {}) {
  std::vector<std::string> arguments{subcommand, "60"};
  for (const char* number : {"1", "2", "3"}) {
    arguments.push_back(samples + "layer_60_storm_" + number + ".txt");
  }
  arguments.insert(arguments.end(), options.begin(), options.end());
  return arguments;
}

class CommandLine : public ProgramTest {
 protected:
  /// One storm of one impact, in a file.
  std::string storm() const {
    write_file(path("storm.txt"), "1\n2 100\n");
    return path("storm.txt");
  }

  /// Fails with the code, says it in one line on standard error, and leaves standard output alone.
  void expect_error(const std::vector<std::string>& arguments, int exit_code,
                    const std::string& message, const std::string& input = "") {
    const Outcome outcome = bombard(arguments, input);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(starts_with(outcome.err, "bombard: "));
    EXPECT_TRUE(contains(outcome.err, message));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
};

// ---- run: formats ----

TEST_F(CommandLine, ResultHasTheExpectedDigits) {
  const Outcome outcome = bombard(sample("run", {"--format", "result"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(matches(outcome.out, "\nTime: *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9]\nResult:*\n"));
  EXPECT_TRUE(ends_with(outcome.out, "\n" + content_of(samples + "layer_60_expected.txt")));
}

TEST_F(CommandLine, EveryEngineOnTheProcessorGivesThem) {
  for (const char* engine : {"reference", "cpu_direct", "cpu_fast"}) {
    const Outcome outcome = bombard(sample("run", {"--format=result", "--engine", engine}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(ends_with(outcome.out, "\n" + content_of(samples + "layer_60_expected.txt")));
  }
}

TEST_F(CommandLine, TableIsTheDefault) {
  const Outcome outcome = bombard(sample("run", {"--engine", "cpu_direct"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(starts_with(outcome.out, "60 cells, 3 storms, 30 impacts; cpu_direct on "));
  EXPECT_TRUE(contains(outcome.out, "\n    1       10        42   6261.730469  "));
  EXPECT_TRUE(contains(outcome.out, "\n    3       10        48  21791.763672  "));
  EXPECT_TRUE(matches(outcome.out, "*\nreading * s, simulation * s, total * s\n"));
}

TEST_F(CommandLine, Json) {
  const Outcome outcome = bombard(sample("run", {"--format", "json"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(starts_with(outcome.out, "{\n  \"program\": \"bombard\",\n  \"version\": \""));
  EXPECT_TRUE(contains(outcome.out, "\"cells\": 60,"));
  EXPECT_TRUE(contains(outcome.out,
                       "\"position\": 48, \"maximum\": 21791.763671875, "
                       "\"maximum_text\": \"21791.763672\"}"));
}

TEST_F(CommandLine, Csv) {
  const Outcome outcome = bombard(sample("run", {"--format", "csv"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(starts_with(outcome.out, "version,engine,device,cells,storm,file,"));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 4);
}

TEST_F(CommandLine, StandardInputIsAStorm) {
  const Outcome outcome = bombard({"run", "60", "-", "--format", "result"},
                                  content_of(samples + "layer_60_storm_1.txt"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(ends_with(outcome.out, "\nResult: 42 6261.730469\n"));
}

TEST_F(CommandLine, StandardInputStandsWhereItIsNamed) {
  const Outcome outcome = bombard({"run", "60", samples + "layer_60_storm_1.txt", "-",
                                   samples + "layer_60_storm_3.txt", "--format=result"},
                                  content_of(samples + "layer_60_storm_2.txt"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(ends_with(outcome.out, "\n" + content_of(samples + "layer_60_expected.txt")));
}

TEST_F(CommandLine, StandardInputMayBeANumPyFile) {
  ASSERT_EQ(bombard({"generate", "--cells=60", "--impacts=8", "--format=npy", "--directory",
                     directory.string()})
                .exit_code,
            0);
  const std::string file = path("layer_60_storm_1.npy");
  const auto digits = [](const std::string& out) { return out.substr(out.find("Result:")); };
  const std::string expected = digits(bombard({"run", "60", file, "--format=result"}).out);
  EXPECT_EQ(digits(bombard({"run", "60", "-", "--format=result"}, content_of(file)).out), expected);
  EXPECT_EQ(
      digits(
          shell("cat layer_60_storm_1.npy | \"$bombard\" run 60 /dev/stdin --format=result").out),
      expected);
  expect_error({"run", "60", "-"}, 2, "standard input: is compressed (gzip); give what",
               "\x1F\x8B\x08");
}

TEST_F(CommandLine, AFileNameWithAnything) {
  // Commas once split such names into several, and quotes and line ends must not break JSON.
  const std::string name = path("a,b \"c\"\n.txt");
  write_file(name, "1\n2 100\n");
  const Outcome outcome = bombard({"run", "5", name, "--format", "json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "a,b \\\"c\\\"\\n.txt\", \"impacts\": 1,"));
}

TEST_F(CommandLine, LayersWithoutAnInterior) {
  for (const char* cells : {"1", "2"}) {
    const Outcome outcome = bombard({"run", cells, storm(), "--format", "result"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(ends_with(outcome.out, "\nResult: 0 0.000000\n"));
  }
}

TEST_F(CommandLine, ThePublicWaves) {
  const std::string waves = BOMBARD_PUBLIC_WAVES "/";
  if (!std::filesystem::exists(waves)) GTEST_SKIP() << "no public waves at " << waves;
  const Outcome outcome =
      bombard({"run", "35", waves + "test_01_a35_p8_w1", waves + "test_01_a35_p7_w2",
               waves + "test_01_a35_p5_w3", waves + "test_01_a35_p8_w4", "--format", "result"});
  EXPECT_TRUE(ends_with(
      outcome.out, "\nResult: 14 10913.346680 26 14270.079102 10 17167.673828 3 31323.224609\n"));
}

// ---- run: method and precision ----

TEST_F(CommandLine, MethodsGiveTheSameDigits) {
  for (const char* method : {"auto", "direct", "fast", "sparse"}) {
    const Outcome outcome =
        bombard(sample("run", {"--format=result", "--method", method, "--device=cpu"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(ends_with(outcome.out, "\n" + content_of(samples + "layer_60_expected.txt")));
  }
  const Outcome outcome = bombard(sample("run", {"--format=json", "--method=fast"}));
  EXPECT_TRUE(contains(outcome.out, "\"engine\": \"cpu_fast\",\n  \"method\": \"fast\",\n"));
  EXPECT_TRUE(matches(outcome.out,
                      "*, \"candidates\": [0-9]*, \"bound\": *e-0?, \"direct\": "
                      "false}*"));
}

TEST_F(CommandLine, WithoutALayer) {
  const std::string storm = path("one.txt");
  std::ofstream(storm) << "1\n500000000000 2000\n";
  const Outcome outcome =
      bombard({"run", "1000000000000", storm, "--method=sparse", "--verbose", "--format=result"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  // 2000 * 1000 / 1e12 * (1 + sqrt(2)) / 3
  EXPECT_TRUE(ends_with(outcome.out, "\nResult: 500000000000 0.000002\n")) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "cells looked at")) << outcome.err;
  expect_error({"run", "1000", storm, "--method=sparse", "--plot"}, 2,
               "cpu_sparse stores no layer, and --layer, --layers, --plot and --report show it");
  expect_error({"run", "1000", storm, "--method=sparse", "--initial", path("l.npy")}, 2,
               "--initial is a layer, and cpu_sparse stores none");
  expect_error({"validate", "1000", storm, "--method=sparse"}, 2,
               "cpu_sparse stores no layer that could be compared");
}

TEST_F(CommandLine, CellsAndPeaksWithoutALayer) {
  const std::string storm = path("three.txt");
  std::ofstream(storm) << "3\n100 20\n30000 15\n90000 9\n";
  const auto shown = [&](const char* method) {
    const Outcome outcome = bombard({"run", "100000", storm, storm, "--format=csv", "--cells-at",
                                     "0,29990:30010", "--peaks=3", method});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    // What follows the times in each line.
    std::istringstream lines(outcome.out);
    std::string cells_and_peaks;
    for (std::string line; std::getline(lines, line);) {
      std::size_t at = 0;
      for (int column = 0; column < 14; ++column) at = line.find(',', at) + 1;
      cells_and_peaks += line.substr(at) + '\n';
    }
    return cells_and_peaks;
  };
  EXPECT_TRUE(shown("--method=direct").starts_with("cell_0,"));
  EXPECT_EQ(shown("--method=sparse"), shown("--method=direct"));
  // By itself it takes them, too, where the layer is large.
  const Outcome outcome = bombard({"run", "1000000000000", storm, "--verbose", "--cells-at=30001"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "engine cpu_sparse")) << outcome.err;
}

TEST_F(CommandLine, AFileOfTheLayerIsTheRules) {
  ASSERT_EQ(
      bombard({"generate", "--cells=50000", "--impacts=2000", "--directory", path("")}).exit_code,
      0);
  const std::string storm = path("layer_50000_storm_1.txt");
  EXPECT_TRUE(contains(bombard({"run", "50000", storm, "--verbose"}).err, "engine cpu_fast"));
  Outcome outcome = bombard({"run", "50000", storm, "--verbose", "--layer", path("layer.npy")});
  EXPECT_TRUE(contains(outcome.err, "engine cpu_direct"));
  bombard({"run", "50000", storm, "--engine=reference", "--layer", path("rule.npy")});
  EXPECT_TRUE(content_of(path("layer.npy")) == content_of(path("rule.npy")));
  outcome =
      bombard({"run", "50000", storm, "--verbose", "--method=fast", "--layer", path("layer.npy")});
  EXPECT_TRUE(contains(outcome.err, "engine cpu_fast"));
  EXPECT_FALSE(content_of(path("layer.npy")) == content_of(path("rule.npy")));
}

TEST_F(CommandLine, DoublePrecision) {
  const Outcome outcome = bombard(sample(
      "run", {"--precision=double", "--device=cpu", "--format=json", "--layer", path("l.npy")}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out,
                       "\"engine\": \"cpu_double\",\n  \"method\": \"fast\",\n  "
                       "\"precision\": \"double\",\n"));
  const std::string file = content_of(path("l.npy"));
  ASSERT_GE(file.size(), 60 * sizeof(double));
  EXPECT_TRUE(contains(file, "{'descr': '<f8', 'fortran_order': False, 'shape': (60,), }"));
  double maximum = 0;
  std::memcpy(&maximum, file.data() + file.size() - (60 - 48) * sizeof(double), sizeof(double));
  const std::size_t at = outcome.out.find("\"position\": 48, \"maximum\": ");
  ASSERT_NE(at, std::string::npos) << outcome.out;
  EXPECT_EQ(std::stod(outcome.out.substr(at + 27)), maximum);
  // The engine's name says it, too, and the plot is drawn from these values.
  EXPECT_TRUE(
      contains(bombard(sample("run", {"--engine=cpu_double", "--plot"})).out, "     21791.8 ┤"));
}

// An impact of 100 on cell 3 of 7, by 1/n in the second edition: e = 100000 / 7. With a threshold
// of 40000 the shares count up to n = 2; the relaxed
// peak is the mean of 1, 1/2 and 1/2 times e. With 60000 they count up to n = 1: a plateau.
TEST_F(CommandLine, RulesOfTheFamily) {
  write_file(path("one.txt"), "1\n3 100\n");
  const std::string one = path("one.txt");
  const auto maximum = [&](std::vector<std::string> options) {
    std::vector<std::string> arguments{"run", "7", one, "--format=csv", "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string out = bombard(arguments).out;
    const std::size_t row = out.find("one.txt,1,");
    return row == std::string::npos ? out
                                    : out.substr(row + 10, out.find(',', row + 12) - row - 10);
  };
  EXPECT_EQ(maximum({"--attenuation", "power:1", "--threshold", "40000"}), "3,9523.8095703125");
  EXPECT_EQ(maximum({"--attenuation", "power:1", "--threshold", "60000"}), "0,0");
  EXPECT_EQ(maximum({"--edition", "1", "--attenuation", "power:1"}), "3,0.06666667014360428");
  EXPECT_TRUE(starts_with(
      maximum({"--edition", "1", "--precision", "double", "--attenuation", "exponential:0.5"}),
      "3,0.0423556855"));
  EXPECT_TRUE(starts_with(
      maximum({"--precision", "double", "--attenuation", "power:0.3", "--threshold", "0"}),
      "3,12497.64187"));
}

TEST_F(CommandLine, RulesThatAreNone) {
  for (const char* edition : {"0", "3", "first", ""}) {
    expect_error({"run", "35", storm(), "--edition", edition}, 2,
                 "--edition \"" + std::string(edition) + "\" is not an edition; it is 1 or 2");
  }
  for (const char* attenuation :
       {"power", "power:", "power:0.05", "power:8.5", "power:-1", "power:nan", "power:inf",
        "power:1x", "root:2", "exponential:0", "exponential:-3", "exponential:inf", "", ":1"}) {
    expect_error({"run", "35", storm(), "--precision=double", "--attenuation", attenuation}, 2,
                 "--attenuation \"" + std::string(attenuation) +
                     "\" is not an attenuation; it is power:B with B from 0.1 to 8");
  }
  for (const char* attenuation : {"power:0.3", "power:4.25", "exponential:10"}) {
    expect_error(
        {"run", "35", storm(), "--attenuation", attenuation}, 2,
        "--attenuation " + std::string(attenuation) + " cannot be computed in single precision");
    expect_error({"run", "35", storm(), "--engine=cpu_fast", "--attenuation", attenuation}, 2,
                 "0.5, 0.75 .. 4), or with --precision double exponential:RANGE");
  }
}

TEST_F(CommandLine, MethodsAndPrecisionsThatAreNone) {
  expect_error({"run", "35", storm(), "--method=quick"}, 2, "--method \"quick\" is not a method");
  expect_error({"run", "35", storm(), "--precision=half"}, 2,
               "--precision \"half\" is not a precision");
  expect_error(
      {"run", "35", storm(), "--method=direct", "--precision=double"}, 2,
      "no engine computes by --method direct in --precision double; leave one of them out");
  expect_error({"run", "35", storm(), "--engine=cpu_fast", "--method=direct"}, 2,
               "--engine cpu_fast is a fast method, which --method direct rules out");
  expect_error(
      {"validate", "35", storm(), "--engine=cpu_fast", "--precision=double"}, 2,
      "--engine cpu_fast computes in single precision, which --precision double rules out");
}

// ---- run: outputs ----

TEST_F(CommandLine, OutputReplacesAFileWhole) {
  write_file(path("result.csv"), "older");
  const Outcome outcome =
      bombard(sample("run", {"--format", "csv", "--output", path("result.csv")}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(starts_with(content_of(path("result.csv")), "version,engine,"));
}

TEST_F(CommandLine, AFailedRunLeavesTheOlderOutput) {
  write_file(path("result.csv"), "older");
  write_file(path("bad.txt"), "2\n1 1\n1 x\n");
  expect_error({"run", "60", path("bad.txt"), "--output", path("result.csv")}, 2, "bad.txt:3: ");
  EXPECT_EQ(content_of(path("result.csv")), "older");
  // And nothing half-written beside it.
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    EXPECT_TRUE(contains("result.csv bad.txt", entry.path().filename().string()));
  }
}

TEST_F(CommandLine, LayerIsANumPyFile) {
  const Outcome outcome =
      bombard(sample("run", {"--layer", path("layer.npy"), "--format", "result"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string file = content_of(path("layer.npy"));
  ASSERT_GT(file.size(), 10U);
  EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t data = 10 + static_cast<unsigned char>(file[8]) +
                           256 * static_cast<std::size_t>(static_cast<unsigned char>(file[9]));
  EXPECT_EQ(data % 64, 0U);
  EXPECT_TRUE(starts_with(file.substr(10, data - 10),
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (60,), }"));
  ASSERT_EQ(file.size(), data + 60 * sizeof(float));
  // The last storm's maximum stands where the answer says, and is the largest of the interior
  // peaks.
  std::vector<float> layer(60);
  std::memcpy(layer.data(), file.data() + data, 60 * sizeof(float));
  EXPECT_EQ(layer[48], 21791.763671875F);
  EXPECT_LT(layer[47], layer[48]);
  EXPECT_LT(layer[49], layer[48]);
}

TEST_F(CommandLine, PlotFollowsTheTable) {
  const Outcome outcome = bombard(sample("run", {"--plot"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(starts_with(outcome.out, "60 cells, "));
  EXPECT_TRUE(contains(outcome.out, "total"));
  EXPECT_TRUE(contains(outcome.out, "\neach bar is a cell\n     21791.8 ┤"));
  EXPECT_TRUE(ends_with(outcome.out, "2        1     3\n"));
}

TEST_F(CommandLine, PlotIsInAsciiWhereTheLocaleIs) {
  const std::string command = "\"$bombard\" run 35 storm.txt --plot";
  storm();
  EXPECT_TRUE(contains(shell("LC_ALL=C " + command).out, "\n     2299.25 + .#.\n"));
  EXPECT_TRUE(contains(shell("LC_ALL=C.UTF-8 LANG=C " + command).out, "┤"));
  EXPECT_TRUE(contains(shell("COLUMNS=40 " + command).out, "┤"));
}

TEST_F(CommandLine, AStormWithoutAPeakHasNone) {
  write_file(path("none.txt"), "0\n");
  EXPECT_TRUE(contains(bombard({"run", "35", path("none.txt")}).out,
                       "\n    1        0      none     none  "));
  EXPECT_TRUE(contains(bombard({"run", "35", path("none.txt"), "--format=result"}).out,
                       "Result: 0 0.000000\n"));
}

TEST_F(CommandLine, ImpactsOutsideTheLayerAreNoted) {
  write_file(path("outside.txt"), "4\n3 10\n-1 7\n9 5\n10 5\n");
  write_file(path("inside.txt"), "1\n0 1\n");
  const Outcome outcome = bombard({"run", "10", path("outside.txt"), path("inside.txt")});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.err,
                       "impacts outside the layer: 2 of 5; "
                       "their shares count in the cells inside\n"))
      << outcome.err;
  EXPECT_EQ(bombard({"run", "10", path("outside.txt"), "--quiet"}).err, "");
}

TEST_F(CommandLine, DevicesCountTheCoresThatTheProcessMayUse) {
  const Outcome outcome = shell("taskset -c 0 \"$bombard\" devices");
  if (outcome.exit_code != 0) GTEST_SKIP() << "no taskset here, or no core 0";
  EXPECT_TRUE(contains(outcome.out, ": 1 core, "));
}

TEST_F(CommandLine, PlotStaysOutOfAProgramsWay) {
  const Outcome to_program = bombard(sample("run", {"--plot", "--format", "json"}));
  EXPECT_EQ(to_program.exit_code, 0);
  EXPECT_TRUE(ends_with(to_program.out, "]\n}\n"));
  EXPECT_TRUE(starts_with(to_program.err, "each bar is a cell\n"));

  const Outcome to_file =
      bombard(sample("run", {"--plot", "--format", "json", "--output", path("result.json")}));
  EXPECT_TRUE(starts_with(to_file.out, "each bar is a cell\n"));
  EXPECT_TRUE(ends_with(content_of(path("result.json")), "]\n}\n"));
}

TEST_F(CommandLine, StandardOutputThatCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  for (const std::vector<std::string>& arguments : {sample("run"),
                                                    sample("validate"),
                                                    {"devices"},
                                                    {"--version"},
                                                    {"--help"},
                                                    {"run", "--help"}}) {
    for (const char* out : {"/dev/full", "closed"}) {
      const Outcome outcome = bombard(arguments, "", out);
      EXPECT_EQ(outcome.exit_code, 2) << arguments[0] << " " << out;
      EXPECT_TRUE(contains(outcome.err, "standard output cannot be written: "));
    }
  }
}

// ---- run: messages on standard error ----

TEST_F(CommandLine, VerboseSaysWhichEngineAndWhy) {
  Outcome outcome = bombard(sample("run", {"--verbose"}));
  EXPECT_TRUE(starts_with(outcome.err, "bombard: engine cpu_direct on "));
  EXPECT_TRUE(contains(outcome.err, "start-up"));
  outcome = bombard(sample("run", {"--verbose", "--engine", "reference"}));
  EXPECT_TRUE(matches(outcome.err,
                      "bombard: engine reference on *: it was asked for\nbombard: rule of "
                      "edition 2, attenuation power:0.5, threshold 0.001\n"));
  for (const char* subcommand : {"run", "validate"}) {
    outcome = bombard(sample(subcommand, {"--verbose", "--engine", "cpu_fast"}));
    EXPECT_TRUE(matches(outcome.err,
                        "bombard: engine cpu_fast on *\nbombard: rule of *\nbombard: storm 1: 2 "
                        "candidates, "
                        "bound *\nbombard: storm 2: *\nbombard: storm 3: *\n"))
        << subcommand;
  }
}

TEST_F(CommandLine, OptionsWithoutEffectAreNoted) {
  Outcome outcome = bombard(sample("run", {"--reduction", "inhouse"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(contains(outcome.err, "--reduction has no effect on cpu_direct"));
  outcome = bombard(sample("run", {"--reduction", "inhouse", "--quiet"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(contains(bombard(sample("run", {"--threads", "4096"})).err,
                       "--threads 4096 is more than the "));
}

TEST_F(CommandLine, ThreadsDoNotChangeTheAnswer) {
  const Outcome outcome = bombard(sample("run", {"--threads", "1", "--format", "result"}));
  EXPECT_TRUE(ends_with(outcome.out, "\n" + content_of(samples + "layer_60_expected.txt")));
}

// ---- errors ----

TEST_F(CommandLine, Cells) {
  expect_error({"run", "0", storm()}, 2, "CELLS 0 is out of range; it is a whole number from 1 up");
  expect_error({"run", "-5", storm()}, 2, "\"-5\" is a negative number, which is not allowed here");
  for (const char* cells : {"12x", "x", "1.5", "1.5e0", "1e6x", "e6", " 12", "+12", "0x10", ""}) {
    expect_error({"run", cells, storm()}, 2,
                 "CELLS \"" + std::string(cells) + "\" is not a whole number");
  }
  expect_error({"run", "99999999999999999999", storm()}, 2,
               "CELLS 99999999999999999999 is out of range; it is a whole number from 1 to "
               "9223372036854775807");
}

TEST_F(CommandLine, CellsAsTheyAreAlsoWritten) {
  EXPECT_TRUE(starts_with(bombard({"run", "1e3", storm()}).out, "1000 cells, "));
  EXPECT_TRUE(starts_with(bombard({"run", "2.5e1", storm()}).out, "25 cells, "));
  EXPECT_TRUE(starts_with(bombard({"run", "--cells", "35", storm()}).out, "35 cells, "));
  EXPECT_TRUE(starts_with(bombard({"validate", storm(), "--cells=35"}).out, "35 cells; "));
  expect_error({"run", storm(), "60"}, 2, "CELLS comes first: bombard run 60 " + storm());
  expect_error({"run", "1e30", storm()}, 2, "CELLS \"1e30\" is not a whole number");
}

TEST_F(CommandLine, OutputsGoByTheirNames) {
  EXPECT_EQ(bombard(sample("run", {"--output", path("r.json")})).exit_code, 0);
  EXPECT_TRUE(starts_with(content_of(path("r.json")), "{\n  \"program\""));
  bombard(sample("run", {"--output", path("r.csv")}));
  EXPECT_TRUE(starts_with(content_of(path("r.csv")), "version,engine,"));
  bombard(sample("run", {"--output", path("r.json"), "--format=table"}));
  EXPECT_TRUE(starts_with(content_of(path("r.json")), "60 cells, "));
}

TEST_F(CommandLine, WordsThatAreNearlyRight) {
  expect_error({"genarate"}, 2,
               "study and judge; did you mean \"generate\"?; see `bombard --help`");
  expect_error({"run", "35", storm(), "--treads=2"}, 2, "did you mean \"threads\"?");
  expect_error({"generate", "vecotr"}, 2, "\"vecotr\" is no kind of data; ");
  expect_error({"generate", "vecotr", "--elements=5"}, 2, "did you mean \"vector\"?");
  expect_error({"solve", "minmia"}, 2, "did you mean \"minima\"?");
  EXPECT_EQ(bombard({"xyzzy"}).err.find("did you mean"), std::string::npos);
}

TEST_F(CommandLine, LayersThatNoMemoryHolds) {
  expect_error({"run", "9223372036854775807", storm()}, 3, "needs 36893488147 GB");
  // Only what has to hold the layer is refused: cpu_direct does without when nobody asks.
  const std::string cells = "1000000000000000";
  expect_error({"run", cells, storm(), "--engine", "reference"}, 3, " GB are free");
  expect_error({"run", cells, storm(), "--engine", "cpu_direct", "--plot"}, 3,
               "cpu_direct needs 8064453 GB");
  expect_error({"validate", cells, storm()}, 3, " GB are free");
}

TEST_F(CommandLine, MissingArguments) {
  expect_error({}, 2, "a subcommand is missing; see `bombard --help`");
  expect_error({"run"}, 2, "CELLS and STORM are missing; see `bombard run --help`");
  expect_error({"run", "35"}, 2, "STORM is missing");
  expect_error({"validate"}, 2, "see `bombard validate --help`");
}

TEST_F(CommandLine, UnknownWords) {
  expect_error({"simulate"}, 2, "\"simulate\" is not a subcommand; there are run, validate, ");
  expect_error({"run", "35", storm(), "--frobnicate"}, 2, "Option \"frobnicate\" does not exist");
  expect_error({"run", "35", storm(), "-x"}, 2, "Option \"x\" does not exist");
  expect_error({"devices", "now"}, 2, "`bombard devices` takes no argument");
  expect_error({"generate", "now"}, 2, "\"now\" is no kind of data; ");
}

TEST_F(CommandLine, BadValues) {
  expect_error({"run", "35", storm(), "--threshold"}, 2, "\"threshold\" is missing an argument");
  for (const char* threshold : {"-1", "nan", "inf", "1e39", "x", "", "1 "}) {
    expect_error({"run", "35", storm(), "--threshold", threshold}, 2,
                 "--threshold \"" + std::string(threshold) + "\" is not a threshold");
  }
  expect_error({"run", "35", storm(), "--threads", "0"}, 2, "--threads 0 is out of range");
  expect_error({"run", "35", storm(), "--threads", "4097"}, 2, "from 1 to 4096");
  expect_error({"run", "35", storm(), "--threads", "two"}, 2, "--threads \"two\" is not a whole");
  expect_error({"run", "35", storm(), "--format", "xml"}, 2, "--format \"xml\" is not a format");
  expect_error({"run", "35", storm(), "--reduction", "mine"}, 2, "it is cub or inhouse");
  expect_error({"run", "35", storm(), "--device", "gpu"}, 2, "--device \"gpu\" is not a device");
  expect_error({"run", "35", storm(), "--engine", "fast"}, 2, "--engine \"fast\" is not an engine");
  expect_error({"run", "35", storm(), "--quiet", "--verbose"}, 2, "contradict");
}

TEST_F(CommandLine, DevicesThatAreNotThere) {
  const std::string why =
      cuda::cuda_part() == nullptr ? "this build holds no CUDA code" : "this process sees none";
  expect_error({"run", "35", storm(), "--device", "cuda"}, 3, why);
  expect_error({"run", "35", storm(), "--device", "cuda:7"}, 3, why);
  expect_error({"run", "35", storm(), "--engine", "cuda_staged"}, 3, why);
  expect_error({"validate", "35", storm(), "--device", "cuda"}, 3, why);
  expect_error({"run", "35", storm(), "--engine", "cuda_staged", "--device", "cpu"}, 2,
               "--device cpu rules out");
  expect_error({"run", "35", storm(), "--engine", "cpu_direct", "--device", "cuda"}, 2,
               "--device cuda rules out");
}

TEST_F(CommandLine, OutputsThatCannotBe) {
  expect_error({"run", "35", storm(), "--output", path("none/result")}, 2, "there is no directory");
  expect_error({"run", "35", storm(), "--layer", path("")}, 2, "is a directory");
  expect_error({"run", "35", storm(), "--output="}, 2, "the name of an output file is empty");
  expect_error({"run", "35", storm(), "--output", path("a"), "--layer", path("a")}, 2,
               "--output and --layer both name");
}

TEST_F(CommandLine, StormsThatAreNone) {
  expect_error({"run", "35", path("missing.txt")}, 2, "missing.txt: ");
  expect_error({"run", "35", directory.string()}, 2, "directory");
  expect_error({"run", "35", "-"}, 2, "standard input");
  expect_error({"run", "35", "-", "-"}, 2, "is named twice", "1\n2 3\n");
  const auto expect_bad = [&](const std::string& text, const std::string& message) {
    write_file(path("bad.txt"), text);
    expect_error({"run", "35", path("bad.txt")}, 2, message);
  };
  expect_bad("", "bad.txt");
  expect_bad("1\n2 12x\n", "bad.txt:2: ");
  expect_bad("-1\n", "bad.txt:1: ");
  expect_bad("2\n1 1\n", "bad.txt:");
  expect_bad("1\n1 1\n5 5\n", "bad.txt:3: ");
  expect_bad("1\n99999999999999999999 1\n", "bad.txt:2: ");
  expect_bad(std::string("\x7f\x45\x4c\x46\x00\x01", 6), "bad.txt:1: ");
  expect_bad("x\x1b[2J", "bad.txt:1: ");
}

TEST_F(CommandLine, ErrorsDoNotReachTheTerminalAsCommands) {
  const Outcome outcome = bombard({"run", "35", "\x1b[2J"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
}

// ---- the other subcommands ----

TEST_F(CommandLine, AMistakeInALaterStormLeavesNothingOnStandardOutput) {
  write_file(path("bad.txt"), "1\n1 x\n");
  expect_error({"run", "60", storm(), storm(), path("bad.txt"), storm()}, 2, "bad.txt:2: energy");
  expect_error({"validate", "60", storm(), path("bad.txt")}, 2, "bad.txt:2: energy");
  // What cannot be opened is found before anything is read.
  expect_error({"run", "60", path("bad.txt"), path("missing.txt")}, 2, "missing.txt: ");
  // And storms come before the device.
  expect_error({"run", "60", storm(), path("missing.txt"), "--device=cuda"}, 2, "missing.txt: ");
}

TEST_F(CommandLine, ValidateFastAndDouble) {
  Outcome outcome = bombard(sample("validate", {"--method=fast", "--device=cpu"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(matches(outcome.out,
                      "60 cells; cpu_fast on * against reference\n*\nagreed: every "
                      "maximum bit for bit, *; the largest relative error of a cell "
                      "is *e-0[67]\n"));
  outcome = bombard(sample("validate", {"--precision=double", "--device=cpu"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(matches(outcome.out,
                      "60 cells; cpu_double on * against all shares added in long "
                      "double\n*\nagreed: every maximum and every cell of the layer "
                      "within 5e-12 of the shares' magnitudes, *e-1[3-9]\n"));
}

TEST_F(CommandLine, ValidateAgrees) {
  const Outcome outcome = bombard(sample("validate", {"--engine", "cpu_direct"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(starts_with(outcome.out, "60 cells; cpu_direct on "));
  EXPECT_TRUE(contains(outcome.out,
                       "\n    3       10   48 21791.763672  48 21791.763672"
                       "                0    yes  "));
  EXPECT_TRUE(ends_with(outcome.out,
                        "\nidentical: every maximum and every bit of the layer after 3 storms\n"));
}

TEST_F(CommandLine, GenerateGivesTheSamplesAgain) {
  const Outcome outcome =
      bombard({"generate", "--cells", "60", "--impacts", "10", "--storms", "3", "--seed", "7",
               "--energy", "10:200", "--directory", path("new/deep")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::string names;
  for (const char* number : {"1", "2", "3"}) {
    const std::string name = "layer_60_storm_" + std::string(number) + ".txt";
    EXPECT_EQ(content_of(path("new/deep/" + name)), content_of(samples + name));
    names += path("new/deep/" + name) + '\n';
  }
  EXPECT_EQ(outcome.out, names);
}

TEST_F(CommandLine, GeneratePrintsNamesAsTheyAreButNotOnATerminal) {
  const std::string name = path("\x1b[2J\u202E");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"generate", "--cells=5", "--impacts=0", "--directory", name},
           {"generate", "vector", "--elements=5", "--directory", name}}) {
    EXPECT_TRUE(starts_with(bombard(arguments).out, name + "/"));
    EXPECT_TRUE(starts_with(terminal_of(STDOUT_FILENO, arguments), path("?[2J?/")));
  }
}

TEST_F(CommandLine, GenerateNumbersFilesInTheirOrder) {
  const Outcome outcome = bombard(
      {"generate", "--cells=5", "--impacts=0", "--storms=10", "--directory", directory.string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(starts_with(outcome.out, path("layer_5_storm_01.txt") + "\n"));
  EXPECT_TRUE(ends_with(outcome.out, path("layer_5_storm_10.txt") + "\n"));
}

TEST_F(CommandLine, GenerateErrors) {
  expect_error({"generate", "--impacts", "5"}, 2, "--cells is missing");
  expect_error({"generate", "--cells", "5"}, 2, "--impacts is missing");
  const auto expect_bad = [&](const std::string& option, const std::string& value,
                              const std::string& message) {
    std::vector<std::string> arguments{"generate", "--cells=5", "--impacts=5", "--directory",
                                       directory.string()};
    arguments.push_back(option);
    arguments.push_back(value);
    expect_error(arguments, 2, message);
  };
  expect_bad("--cells", "0", "--cells 0 is out of range");
  expect_bad("--impacts", "-1", "--impacts -1 is out of range");
  expect_bad("--storms", "0", "--storms 0 is out of range");
  expect_bad("--seed", "x", "--seed \"x\" is not a whole number");
  expect_bad("--energy", "5", "--energy \"5\" is not a range; it is LO:HI");
  expect_bad("--energy", "9:5", "LO is above HI");
  expect_bad("--energy", "1:9999999999", "--energy HI 9999999999 is out of range");
  write_file(path("file"), "");
  expect_bad("--directory", path("file/sub"), "cannot be made a directory");
}

TEST_F(CommandLine, Devices) {
  const Outcome outcome = bombard({"devices"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(matches(outcome.out, "cpu     *: [0-9]* core*, * instructions\nno GPU: *\n"));
}

TEST_F(CommandLine, DevicesWithEngines) {
  const Outcome outcome = bombard({"devices", "--verbose"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(matches(outcome.out, "cpu *\n\nengines:\nreference    ?*\ncpu_direct   ?*\n*"));
  EXPECT_TRUE(contains(outcome.out, "\ncuda_staged  "));
}

TEST_F(CommandLine, Version) {
  const Outcome outcome = bombard({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(bombard({"-V"}).out, outcome.out);
  EXPECT_EQ(bombard({"version"}).out, outcome.out);
  EXPECT_TRUE(matches(outcome.out,
                      "bombard [0-9]*.[0-9]*.[0-9]*\ncommit    ?*\n"
                      "compiler  ?*\nCUDA      ?*\nEigen     ?*\nengines   ?*\n"));
}

TEST_F(CommandLine, Help) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"help"},
                                             {"help", "run"},
                                             {"help", "solve"},
                                             {"run", "--help"},
                                             {"validate", "-h"},
                                             {"generate", "--help"},
                                             {"devices", "--help"}}) {
    const Outcome outcome = bombard(arguments);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(contains(outcome.out, "Usage:\n  bombard "));
  }
}

}  // namespace
}  // namespace bombard::tests
