// The command line as a user runs it: its output, on which stream, and with which exit code.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/device/device.hpp"
#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

/// The sample set, and its digits as the published program prints them.
const std::string run_sample = "bombard run 60 $samples/layer_60_storm_*.txt ";
const std::string validate_sample = "bombard validate 60 $samples/layer_60_storm_*.txt ";

class CommandLine : public ProgramTest {
 protected:
  CommandLine() { written("storm.txt", "1\n2 100\n"); }

  void expect_sample_digits(const std::string& command) {
    EXPECT_TRUE(ends_with(done(command).out, "\n" + expected_)) << command;
  }

 private:
  const std::string expected_ =
      content_of(BOMBARD_SOURCE_DIR "/inputs/samples/layer_60_expected.txt");
};

// ---- run: formats ----

TEST_F(CommandLine, ResultHasTheExpectedDigits) {
  expect(run_sample + "--format result",
         "\nTime: *[0-9].[0-9][0-9][0-9][0-9][0-9][0-9]\nResult:*\n");
  expect_sample_digits(run_sample + "--format result");
  expect_sample_digits(run_sample + "--format result --threads 1");
  for (const std::string engine : {"reference", "cpu_direct", "cpu_fast"}) {
    expect_sample_digits(run_sample + "--format=result --engine " + engine);
  }
  for (const std::string method : {"auto", "direct", "fast", "sparse"}) {
    expect_sample_digits(run_sample + "--format=result --device=cpu --method " + method);
  }
}

TEST_F(CommandLine, Formats) {
  expect(run_sample, "60 cells, 3 storms, 30 impacts; cpu_direct on *\n    3       10        48 *");
  expect(run_sample + "--format json --method=fast",
         "{\n  \"program\": \"bombard\",\n*\"engine\": \"cpu_fast\",\n  \"method\": \"fast\",\n*"
         "\"position\": 48, \"maximum\": 21791.763671875, *, \"candidates\": [0-9]*}*");
  expect(run_sample + "--format csv", "version,engine,*\r\n*\r\n*\r\n*\r\n");
}

TEST_F(CommandLine, LinesOfJsonComeStormByStorm) {
  expect(run_sample + "--format ndjson --engine=cpu_fast",
         "{\"storm\": 1, *\"candidates\": *}\n{\"storm\": 2, *}\n{\"storm\": 3, *\"position\": 48, "
         "*}\n");
  expect(run_sample + "--output lines.ndjson", "");
  EXPECT_TRUE(starts_with(content("lines.ndjson"), "{\"storm\": 1, "));
  // Storms before a file that is none come out before the error.
  written("bad.txt", "1\n1 x\n");
  const Outcome outcome = shell("bombard run 60 storm.txt storm.txt bad.txt --format ndjson");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(matches(outcome.out, "{\"storm\": 1, *}\n{\"storm\": 2, *}\n"));
  EXPECT_TRUE(matches(outcome.err, "bombard: bad.txt:2: energy*"));
}

TEST_F(CommandLine, StandardInputIsAStorm) {
  expect("bombard run 60 - --format result <$samples/layer_60_storm_1.txt",
         "*\nResult: 42 6261.730469\n");
  expect_sample_digits(
      "cd $samples; bombard run 60 layer_60_storm_1.txt - layer_60_storm_3.txt --format=result "
      "<layer_60_storm_2.txt");
}

// ---- run: method and precision ----

TEST_F(CommandLine, WithoutALayer) {
  written("one.txt", "1\n500000000000 2000\n");
  // 2000 * 1000 / 1e12 * (1 + sqrt(2)) / 3
  expect("bombard run 1000000000000 one.txt --method=sparse --verbose --format=result",
         "*\nResult: 500000000000 0.000002\n", "*cells looked at*");
  const std::string sparse = "1000 one.txt --method=sparse ";
  expect_refused(
      2, {{"bombard run " + sparse + "--plot",
           "cpu_sparse stores no layer, and --layer, --layers, --plot and --report show it"},
          {"bombard run " + sparse + "--initial l.npy",
           "--initial is a layer, and cpu_sparse stores none"},
          {"bombard validate " + sparse, "cpu_sparse stores no layer that could be compared"}});
}

TEST_F(CommandLine, AFileOfTheLayerIsTheRules) {
  done("bombard generate --cells=50000 --impacts=2000");
  const std::string run = "bombard run 50000 layer_50000_storm_1.txt --verbose ";
  expect(run, "*", "*engine cpu_fast*");
  expect(run + "--layer layer.npy", "*", "*engine cpu_direct*");
  expect(run + "--layer fast.npy --method=fast", "*", "*engine cpu_fast*");
  done(run + "--layer rule.npy --engine=reference");
  EXPECT_TRUE(content("layer.npy") == content("rule.npy"));
  EXPECT_FALSE(content("fast.npy") == content("rule.npy"));
}

// An impact of 100 on cell 3 of 7, by 1/n in the second edition: e = 100000 / 7. With a threshold
// of 40000 the shares count up to n = 2; the relaxed
// peak is the mean of 1, 1/2 and 1/2 times e. With 60000 they count up to n = 1: a plateau.
TEST_F(CommandLine, RulesOfTheFamily) {
  written("one.txt", "1\n3 100\n");
  const std::vector<std::pair<std::string, std::string>> rules{
      {"--attenuation power:1 --threshold 40000", "3,9523.8095703125,"},
      {"--attenuation power:1 --threshold 60000", "0,0,"},
      {"--edition 1 --attenuation power:1", "3,0.06666667014360428,"},
      {"--edition 1 --precision double --attenuation exponential:0.5", "3,0.0423556855*"},
      {"--edition 1 --precision double --attenuation damped:1:0.5", "3,0.0378445094*"},
      {"--precision double --attenuation power:0.3 --threshold 0", "3,12497.64187*"}};
  for (const auto& [rule, maximum] : rules) {
    expect("bombard run 7 one.txt --format=csv --quiet " + rule, "*one.txt,1," + maximum + "*");
  }
}

TEST_F(CommandLine, AnOptionHasOneValue) {
  expect_refused(2, {{"bombard run 60 storm.txt --layer x --layer y",
                      "--layer is given several times and takes one value; leave one out, see "
                      "`bombard run --help`"},
                     {"bombard solve sum storm.txt --precision single --precision=single",
                      "--precision is given several times"}});
  done("bombard run 60 storm.txt --quiet --quiet");
  expect("bombard run 60 storm.txt -v", "*", "bombard: engine *");
}

// ---- run: outputs ----

TEST_F(CommandLine, OutputsReplaceFilesWholeAndGoByTheirNames) {
  written("r.csv", "older");
  expect(run_sample + "--format csv --output r.csv", "");
  EXPECT_TRUE(starts_with(content("r.csv"), "version,engine,"));
  expect(run_sample + "--output s.csv", "");
  EXPECT_TRUE(starts_with(content("s.csv"), "version,engine,"));
  expect(run_sample + "--output r.json", "");
  EXPECT_TRUE(starts_with(content("r.json"), "{\n  \"program\""));
  expect(run_sample + "--output r.json --format=table", "");
  EXPECT_TRUE(starts_with(content("r.json"), "60 cells, "));
}

TEST_F(CommandLine, PlotFollowsTheTableOrStaysOutOfAProgramsWay) {
  expect(run_sample + "--plot --engine=cpu_double",
         "60 cells, *total*\neach bar is a cell\n*       20000 ┤*2        1     3\n");
  expect(run_sample + "--plot --format json", "{*]\n}\n", "each bar is a cell\n*");
  expect(run_sample + "--plot --format json --output result.json", "each bar is a cell\n*");
  EXPECT_TRUE(ends_with(content("result.json"), "]\n}\n"));
}

TEST_F(CommandLine, PlotIsInAsciiWhereTheLocaleIs) {
  const std::string run = "bombard run 35 storm.txt --plot";
  expect("LC_ALL=C " + run, "*\n        2000 +*#*\n*");
  expect("LC_ALL=C.UTF-8 LANG=C " + run, "*┤*");
  expect("COLUMNS=40 " + run, "*┤*");
}

TEST_F(CommandLine, ImpactsOutsideTheLayerAreNoted) {
  written("outside.txt", "4\n3 10\n-1 7\n9 5\n10 5\n");
  written("inside.txt", "1\n0 1\n");
  expect("bombard run 10 outside.txt inside.txt", "*",
         "*impacts outside the layer: 2 of 5; their shares count in the cells inside\n");
  expect("bombard run 10 outside.txt --quiet", "*");
}

// ---- run: messages on standard error ----

TEST_F(CommandLine, VerboseSaysWhichEngineAndWhy) {
  expect(run_sample + "--verbose", "*", "bombard: engine cpu_direct on *start-up*");
  expect(run_sample + "--verbose --engine reference", "*",
         "bombard: engine reference on *: it was asked for\nbombard: rule of edition 2, "
         "attenuation power:0.5, threshold 0.001\n");
  for (const std::string& command : {run_sample, validate_sample}) {
    expect(command + "--verbose --engine cpu_fast", "*",
           "bombard: engine cpu_fast on *\nbombard: rule of *\nbombard: storm 1: 1 candidate, "
           "bound *\nbombard: storm 2: *\nbombard: storm 3: *\n");
  }
}

TEST_F(CommandLine, OptionsWithoutEffectAreNoted) {
  expect(run_sample + "--reduction inhouse", "*", "*--reduction has no effect on cpu_direct*");
  expect(run_sample + "--reduction inhouse --quiet", "*");
  expect(run_sample + "--threads 4096", "*", "*--threads 4096 is more than the *");
}

// ---- errors ----

TEST_F(CommandLine, Cells) {
  expect_refused(
      2, {{"bombard run 0 storm.txt", "CELLS 0 is out of range; it is a whole number from 1 up"},
          {"bombard run -5 storm.txt", "\"-5\" is a negative number, which is not allowed here"},
          {"bombard run storm.txt 60", "CELLS comes first: bombard run 60 storm.txt"},
          {"bombard run 99999999999999999999 storm.txt",
           "CELLS 99999999999999999999 is out of range; it is a whole number from 1 to "
           "9223372036854775807"}});
  for (const std::string cells :
       {"12x", "x", "1.5", "1.5e0", "1e6x", "e6", " 12", "+12", "0x10", "", "1e30"}) {
    expect_refused(2, {{"bombard run '" + cells + "' storm.txt",
                        "CELLS \"" + cells + "\" is not a whole number"}});
  }
  expect("bombard run 1e3 storm.txt", "1000 cells, *");
  expect("bombard run 2.5e1 storm.txt", "25 cells, *");
  expect("bombard run --cells 35 storm.txt", "35 cells, *");
  expect("bombard validate storm.txt --cells=35", "35 cells; *");
}

TEST_F(CommandLine, WordsThatAreNone) {
  const std::string run = "bombard run 35 storm.txt ";
  expect_refused(
      2, {{"bombard simulate", "\"simulate\" is not a subcommand; there are run, validate, "},
          {"bombard genarate", "judge; did you mean \"generate\"?; see `bombard --help`"},
          {"bombard run", "CELLS and STORM are missing; see `bombard run --help`"},
          {"bombard run 35", "STORM is missing"},
          {"bombard validate", "see `bombard validate --help`"},
          {"bombard devices now", "`bombard devices` takes options alone"},
          {"bombard generate now",
           "there is no \"now\"; there are storms, vector, matrix, system, set"},
          {"bombard generate vecotr", "there is no \"vecotr\"; "},
          {"bombard generate vecotr --elements=5", "did you mean \"vector\"?"},
          {"bombard solve minmia", "did you mean \"minima\"?"},
          {run + "--frobnicate", "there is no option --frobnicate; see"},
          {run + "-x", "there is no option -x"},
          {run + "--treads=2", "did you mean \"--threads\"?"},
          {run + "--threshold", "--threshold lacks its value (T); see"},
          {run + "--threads 0", "--threads 0 is out of range"},
          {run + "--threads 4097", "from 1 to 4096"},
          {run + "--threads two", "--threads \"two\" is not a whole"},
          {run + "--format xml", "--format \"xml\" is not a format"},
          {run + "--reduction mine", "it is cub or inhouse"},
          {run + "--device gpu", "--device \"gpu\" is not a device"},
          {run + "--engine fast", "--engine \"fast\" is not an engine"},
          {run + "--method quick", "--method \"quick\" is not a method"},
          {run + "--precision half", "--precision \"half\" is not a precision"},
          {run + "--quiet --verbose", "contradict"},
          {run + "--method=direct --precision=double",
           "no engine computes by --method direct in --precision double; leave one of them out"},
          {run + "--engine=cpu_fast --method=direct",
           "--engine cpu_fast is a fast method, which --method direct rules out"},
          {"bombard validate 35 storm.txt --engine=cpu_fast --precision=double",
           "--engine cpu_fast computes in single precision, which --precision double rules out"},
          {run + "--output none/result", "there is no directory"},
          {run + "--layer .", "is a directory"},
          {run + "--output=", "the name of an output file is empty"},
          {run + "--output a --layer a", "--output and --layer both name"}});
  for (const std::string far : {"xyzzy", "generatexyz"}) {
    EXPECT_FALSE(contains(shell("bombard " + far).err, "did you mean")) << far;
  }
}

TEST_F(CommandLine, LayersThatNoMemoryHolds) {
  // Only what has to hold the layer is refused: cpu_direct does without when no one asks.
  expect_refused(3, {{"bombard run 9223372036854775807 storm.txt", "needs 36893488147 GB"},
                     {"bombard run 1000000000000000 storm.txt --engine reference", " GB are free"},
                     {"bombard run 1000000000000000 storm.txt --engine cpu_direct --plot",
                      "cpu_direct needs 8064453 GB"},
                     {"bombard validate 1000000000000000 storm.txt", " GB are free"}});
}

TEST_F(CommandLine, DevicesThatAreNotThere) {
  const std::string why =
      cuda::cuda_part() == nullptr ? "this build holds no CUDA code" : "this process sees none";
  expect_refused(3, {{"bombard run 35 storm.txt --device cuda", why},
                     {"bombard run 35 storm.txt --device cuda:7", why},
                     {"bombard run 35 storm.txt --engine cuda_staged", why},
                     {"bombard validate 35 storm.txt --device cuda", why}});
  expect_refused(
      2,
      {{"bombard run 35 storm.txt --engine cuda_staged --device cpu", "--device cpu rules out"},
       {"bombard run 35 storm.txt --engine cpu_direct --device cuda", "--device cuda rules out"}});
}

TEST_F(CommandLine, StormsThatAreNone) {
  expect_refused(2, {{"bombard run 35 missing.txt", "missing.txt: "},
                     {"bombard run 35 .", "directory"},
                     {"bombard run 35 -", "standard input"},
                     {"bombard run 35 - - <storm.txt", "is named twice"}});
  EXPECT_FALSE(contains(shell("bombard run 35 $'\\x1b[2J'").err, "\x1b"));
}

TEST_F(CommandLine, AMistakeInALaterStormLeavesOlderOutputsAndNothingElse) {
  for (const char* name : {"result.csv", "layers.npy"}) written(name, "older");
  written("bad.txt", "1\n1 x\n");
  const std::string bad = "bombard run 60 storm.txt storm.txt bad.txt storm.txt ";
  expect_refused(2, {{bad, "bad.txt:2: energy"},
                     {bad + "--output result.csv --layers layers.npy", "bad.txt:2: energy"},
                     {"bombard validate 60 storm.txt bad.txt", "bad.txt:2: energy"},
                     // A file that cannot be opened is found before anything is read.
                     {"bombard run 60 bad.txt missing.txt", "missing.txt: "},
                     // And storms come before the device.
                     {"bombard run 60 storm.txt missing.txt --device=cuda", "missing.txt: "}});
  EXPECT_EQ(content("result.csv") + content("layers.npy"), "olderolder");
  expect("ls -A", "bad.txt\nlayers.npy\nresult.csv\nstorm.txt\n");
}

// ---- the other subcommands ----

TEST_F(CommandLine, Validate) {
  expect(validate_sample + "--engine cpu_direct",
         "60 cells; cpu_direct on *\n    3       10   48 21791.763672  48 21791.763672"
         "                0    yes  *"
         "\nidentical: every maximum and every bit of the layer after 3 storms\n");
  expect(validate_sample + "--method=fast --device=cpu",
         "60 cells; cpu_fast on * against reference\n*\nagreed: every maximum bit for bit, *; the "
         "largest relative error of a cell is *e-0[67]\n");
  expect(validate_sample + "--precision=double --device=cpu",
         "60 cells; cpu_double on * against all shares added in long double\n*\nagreed: every "
         "maximum and every cell of the layer within 5e-12 of the shares' magnitudes, "
         "*e-1[3-9]\n");
}

TEST_F(CommandLine, GenerateGivesTheSamplesAgain) {
  std::string names;
  for (const std::string number : {"1", "2", "3"}) {
    names += "new/deep/layer_60_storm_" + number + ".txt\n";
  }
  expect(
      "bombard generate --cells 60 --impacts 10 --storms 3 --seed 7 --energy 10:200 --directory "
      "new/deep",
      names);
  expect("for storm in new/deep/*; do cmp $storm $samples/${storm##*/} || exit; done", "");
}

TEST_F(CommandLine, GeneratePrintsNamesAsTheyAreButNotOnATerminal) {
  const std::string name = "\x1b[2J\u202E";
  for (const std::string what : {"--cells=5 --impacts=0", "vector --elements=5"}) {
    const std::string command = "bombard generate " + what + " --directory '" + name + "'";
    EXPECT_TRUE(starts_with(done(command).out, name + "/"));
    EXPECT_TRUE(starts_with(terminal_of(STDOUT_FILENO, command), "?[2J?/"));
  }
}

TEST_F(CommandLine, GenerateErrors) {
  expect("bombard generate --cells=5 --impacts=0 --storms=10 --directory in_their_order",
         "*/layer_5_storm_01.txt\n*/layer_5_storm_10.txt\n");
  const std::string generate = "bombard generate --cells=5 --impacts=5 ";
  expect_refused(2, {{"bombard generate --impacts 5", "--cells is missing"},
                     {"bombard generate --cells 5", "--impacts is missing"},
                     {"bombard generate --impacts=5 --cells 0", "--cells 0 is out of range"},
                     {"bombard generate --cells=5 --impacts -1", "--impacts -1 is out of range"},
                     {generate + "--storms 0", "--storms 0 is out of range"},
                     {generate + "--seed x", "--seed \"x\" is not a whole number"},
                     {generate + "--energy 5", "--energy \"5\" is not a range; it is LO:HI"},
                     {generate + "--energy 9:5", "LO is above HI"},
                     {generate + "--energy 1:9999999999", "--energy HI 9999999999 is out of range"},
                     {generate + "--directory storm.txt/sub", "cannot be made a directory"}});
}

TEST_F(CommandLine, Devices) {
  expect("bombard devices", "cpu     *: [0-9]* core*, * instructions\nno GPU: *\n");
  expect("bombard devices --verbose",
         "cpu *\n\nengines:\nreference    ?*\ncpu_direct   ?*\n*\ncuda_staged  *");
  if (shell("taskset -c 0 true").exit_code != 0) GTEST_SKIP() << "no taskset here, or no core 0";
  expect("taskset -c 0 bombard devices", "*: 1 core, *");
}

TEST_F(CommandLine, VersionAndHelp) {
  for (const std::string version : {"--version", "-V", "version"}) {
    expect("bombard " + version,
           "bombard [0-9]*.[0-9]*.[0-9]*\ncommit    ?*\n"
           "compiler  ?*\nCUDA      ?*\nEigen     ?*\nengines   ?*\n");
  }
  for (const std::string help : {"--help", "help", "help run", "help solve", "run --help",
                                 "validate -h", "generate --help", "devices --help"}) {
    expect("bombard " + help, "*Usage:\n  bombard *");
  }
}

}  // namespace
}  // namespace bombard::tests
