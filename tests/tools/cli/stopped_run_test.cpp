// Runs that a signal stops, and runs that continue from a layer.

#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/tools/cli/program.hpp"
#include "tools/cli/signals.hpp"
#include "tools/page/embedded.hpp"

namespace bombard::tests {
namespace {

class StoppedRun : public ProgramTest {
 protected:
  /// "42 6261.730469 33 12216.692383 ", what a run prints behind "Result: ".
  std::string maxima(const std::string& arguments) {
    return done("set -o pipefail; bombard run " + arguments +
                " --format result | tr '\\n' ' ' | sed 's/.*Result: //'")
        .out;
  }
  /// Writes layer_2000000_storm_1.txt, for which a core takes minutes.
  void write_long_storm() {
    done("bombard generate --cells 2000000 --impacts 300000 --directory .");
  }
  /// Waits until the test, a condition of bash, holds; 10 seconds at most.
  static std::string until(const std::string& test) {
    return "for i in {1..500}; do " + test + " && break; sleep 0.02; done; ";
  }
  const std::string storm_1 = "$samples/layer_60_storm_1.txt ";
  const std::string storm_2 = "$samples/layer_60_storm_2.txt ";
  const std::string storm_3 = "$samples/layer_60_storm_3.txt ";
};

TEST_F(StoppedRun, GoesOnFromItsLayerAsIfItHadNotStopped) {
  for (const std::string engine : {"cpu_direct", "cpu_double"}) {
    const std::string by = "--engine=" + engine;
    const std::string before = maxima("60 " + storm_1 + "--layer layer.npy " + by);
    const std::string after = maxima("60 " + storm_2 + storm_3 + "--initial layer.npy " + by);
    EXPECT_EQ(before + after, maxima("60 " + storm_1 + storm_2 + storm_3 + by));
  }
}

// Storms that are done are written, with their layers; there is no final one. The second storm
// would take minutes: it is lost.
TEST_F(StoppedRun, SlowEndsWithTheStormsThatAreDone) {
  written("last.npy", "old");
  write_long_storm();
  const std::string two = "2000000 " + storm_1 + "layer_2000000_storm_1.txt ";
  const std::string computed = "(($(cut -d ' ' -f 14 /proc/$!/stat) > 100))";  // a second
  for (const std::string options :
       {"--engine reference --layer last.npy --plot", "--engine cpu_direct --threads 2",
        "--engine cpu_direct --threads 1 --layers all.npy",
        "--engine cpu_direct --layers >(cat >piped.npy)", "--method direct --report page.html"}) {
    SCOPED_TRACE(options);
    if (contains(options, "--report") && tools::embedded_run_page.empty()) continue;
    const Outcome outcome =
        shell("{ bombard run " + two + options + " --output two.json 2>messages & }; " +
              until(computed) + "kill -TERM $!; wait $!");
    EXPECT_EQ(outcome.exit_code, 128 + SIGTERM) << content("messages");
    const nlohmann::json storms = nlohmann::json::parse(content("two.json"))["storms"];
    ASSERT_EQ(storms.size(), 1) << content("two.json");
    EXPECT_EQ(storms[0]["maximum_text"], "0.187852" /* 6261.730469 * 60 / 2000000 */);
    const bool lacks_last = contains(options, "last.npy");
    EXPECT_TRUE(matches(content("messages"),
                        "*bombard: ends with the storms that are done; a second signal ends it at "
                        "once\n*bombard: stopped after storm 1 of 2" +
                            std::string(lacks_last ? "; there is no final layer\n" : "*")));
  }
  EXPECT_EQ(content("last.npy"), "old");
  EXPECT_TRUE(contains(content("all.npy").substr(0, 100), "'shape': (1, 2000000)"));
}

TEST_F(StoppedRun, SlowEndsTheLoopOfAShell) {
  write_long_storm();
  written("loop",
          "for i in 1 2 3; do\n"
          "  bombard run 2000000 layer_2000000_storm_1.txt --engine reference -q\n"
          "  echo went on\n"
          "done\n");
  // As Ctrl-C at a terminal, sent to the whole group.
  const Outcome outcome =
      shell("setsid env --default-signal bash loop & sleep 0.8; kill -INT -$!; wait $!");
  EXPECT_EQ(outcome.out, "");
}

// `timeout` sends its signal twice, to the program and to its group.
TEST(HeldSignals, ASignalSentTwiceIsOne) {
  EXPECT_EXIT(
      {
        tools::handle_signals();
        const tools::HeldSignals held(1);
        std::raise(SIGINT);
        std::raise(SIGINT);
        ::usleep(600000);
        if (tools::signal_has_come()) std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

// In a second at most; after 30 it is killed, which gives 137.
TEST_F(StoppedRun, SlowEndsWhateverItWaitsFor) {
  done("mkfifo closed open");
  const std::string wait = "exec 3<>open; timeout -k 30 0.5 bombard ", run = wait + "run 60 ";
  for (const std::string& command :
       {run + "closed", run + "open", run + "- <open", run + "open " + storm_1,
        run + storm_1 + "closed", run + storm_1 + "- <open", run + storm_1 + "--initial open",
        run + storm_1 + "--output closed", run + storm_1 + "--layer closed",
        run + storm_1 + "--report closed", wait + "validate 60 open",
        wait + "run 10000 " + storm_1 +
            "--cells-at 0:9999 --format ndjson --layer a --layers b >open",
        wait + "run 100000 " + storm_1 + "--cells-at 0:9999 --format json --output open"}) {
    EXPECT_EQ(shell(command).exit_code, 124) << command;
  }
  EXPECT_EQ(shell("ls a b").out, "");  // of a storm whose line is cut off there is no layer
  const Outcome outcome = shell("env --default-signal bombard run 60 " + storm_1 + storm_2 +
                                "closed --format ndjson >told & " +
                                until("(($(wc -l <told) == 2))") + "kill -INT $!; wait $!");
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT);
  EXPECT_TRUE(contains(outcome.err, "stopped after storm 2 of 3\n"));
}

// The second storm is written only when the first result is there.
TEST_F(StoppedRun, TellsAResultBeforeItWaitsForTheNextStorm) {
  const Outcome outcome =
      shell("mkfifo pipe; bombard run 60 " + storm_1 + "pipe --format ndjson >told & " +
            until("grep -q 6261.7304 told") + "(($i < 500)) && cat " + storm_2 + " >pipe; wait $!");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(content("told"), "12216.692383"));
}

// The first process of a container ends by no signal that it does not handle.
TEST_F(StoppedRun, SlowEndsAsTheFirstProcessOfAContainer) {
  std::string first = "unshare --pid --fork --mount-proc ";
  if (shell(first + "true").exit_code != 0) first = "unshare --user --pid --fork --mount-proc ";
  if (shell(first + "true").exit_code != 0) GTEST_SKIP() << "no process is the first one here";
  write_long_storm();
  const std::string long_storm = "2000000 layer_2000000_storm_1.txt ";
  const std::string handles_signals =  // the 15th bit is SIGTERM
      "((0x$(sed -n 's/SigCgt:\t//p' /proc/$(pgrep -P $!)/status) & 0x4000))";
  for (const std::string& command :
       {"run " + long_storm, std::string("run 60 pipe"), "validate " + long_storm,
        std::string("solve sort pipe"),
        std::string("generate --cells 9 --impacts 100000000 --directory .")}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      const Outcome outcome =
          shell("rm -f pipe; mkfifo pipe; env --default-signal " + first + "bombard " + command +
                " 2>messages & " + until(handles_signals) + "kill -" + std::to_string(signal) +
                " $(pgrep -P $!); wait $!");
      EXPECT_EQ(outcome.exit_code, 128 + signal) << command << content("messages");
    }
  }
  const Outcome outcome =
      shell("set -o pipefail; " + first +
            "bash -c 'exec bombard run 60 $(yes $samples/layer_60_storm_1.txt | "
            "head -n 50) --cells-at 0:60 --format ndjson' | head -c 1");
  EXPECT_EQ(outcome.exit_code, 128 + SIGPIPE) << outcome.err;
}

// tests/inputs/array_file_test.cpp has what is refused as a layer.
TEST_F(StoppedRun, RefusesALayerThatIsNone) {
  const std::string run = "bombard run 60 " + storm_1;
  done(run + "--layer double.npy --precision double");
  expect_refused(2, {{run + "--initial double.npy",
                      "holds float64, and single precision begins with float32; take precision"},
                     {run + "--initial double.npy --layer double.npy", "--layer double.npy"}});
}

}  // namespace
}  // namespace bombard::tests
