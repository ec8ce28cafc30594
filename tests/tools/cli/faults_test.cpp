// Faults at many places and moments: too little memory, threads that are refused, a full disk,
// streams that are closed or have no reader, signals, files that change. Whatever happens, the exit
// code is a documented one, and files are either old or new. BOMBARD_FAULTS says at how many places
// (docs/reliability.md).

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

int faults() {
  const char* const wanted = std::getenv("BOMBARD_FAULTS");
  return wanted == nullptr ? 4 : std::atoi(wanted);
}

/// Every subcommand that takes memory or writes a result, on files that Faults makes.
const std::vector<std::string> commands{
    "--version",
    "devices",
    "run 60 storm.txt --plot",
    "run 100000 layer_100000_storm_1.txt --engine reference",
    "run 100000 layer_100000_storm_1.txt --engine cpu_direct --layer layer.npy",
    "run 1000000 layer_100000_storm_1.txt --engine cpu_fast --threads 1",
    "run 1000000 layer_100000_storm_1.txt --engine cpu_double --threads 8",
    "validate 100000 layer_100000_storm_1.txt --engine cpu_fast",
    "generate --cells 1000 --impacts 100000",
    "generate vector --elements 1000000",
    "generate system --rows 300",
    "generate set --matrices 20000",
    "solve jacobi system_200_matrix.mtx system_200_vector.mtx --validate",
    "solve product matrix_300x300.npy matrix_300x300.npy --output product.npy",
    "solve dot matrix_300x300.npy matrix_300x300.npy",
    "solve sort vector_1000000.npy --output sorted.txt --validate",
    "solve minima matrix_set_50000.txt --validate",
    "solve sum vector_1000000.npy",
    "study sort --sizes 10000",
};

class Faults : public ProgramTest {
 protected:
  void SetUp() override {
    done("cp $samples/layer_60_storm_1.txt storm.txt; cp $samples/tide_heights.txt tide.txt");
  }

  std::mt19937_64 random{1};
};

// ---- memory and threads ----

class Limits : public Faults {
 protected:
  void SetUp() override {
    if (shell("ulimit -v 1000000; bombard --version").exit_code != 0) {
      GTEST_SKIP() << "this build needs more address space than a limit would leave it";
    }
    Faults::SetUp();
    done("bombard generate --cells 1000000 --impacts 100");
    done("bombard generate vector --elements 1000000");
  }
};

TEST_F(Limits, TooLittleMemoryIsAMessageWhereverItIs) {
  done("bombard generate --cells 100000 --impacts 1000");
  done("bombard generate matrix --rows 300 --columns 300");
  done("bombard generate system --rows 200");
  done("bombard generate set --matrices 50000");
  constexpr double least = 20'000;  // KiB; with less, the system cannot load the program
  constexpr double most = 2'000'000;
  const int steps = faults();
  for (const std::string& command : commands) {
    Outcome outcome;
    for (int step = 0; step <= steps; ++step) {
      const auto limit =
          static_cast<std::int64_t>(least * std::pow(most / least, 1.0 * step / steps));
      outcome = shell("ulimit -v " + std::to_string(limit) + "; bombard " + command);
      ASSERT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 3)
          << command << " in " << limit << " KiB: " << outcome.exit_code << ' ' << outcome.err;
      EXPECT_TRUE(outcome.exit_code == 0 || contains(outcome.err, "bombard: ")) << command;
    }
    EXPECT_EQ(outcome.exit_code, 0) << command;
  }
}

// The threads that there is room for do the work.
TEST_F(Limits, FewerThreadsThanWereAskedForHaveTheSameResults) {
  const std::string many = " 1000000 layer_1000000_storm_1.txt --threads 4096 --quiet --engine ";
  done("ulimit -v 1000000; bombard validate" + many + "cpu_direct");
  done("ulimit -v 1000000; bombard run" + many + "cpu_double");
}

// A process of a user who may have no other one; the limit does not apply to root.
TEST_F(Limits, NoThreadAtAllIsAMessage) {
  const std::string limited =
      "chmod 755 . && setpriv --reuid=65534 --regid=65534 --clear-groups "
      "bash -c 'ulimit -u 1; exec \"$@\"' bash ";
  if (shell(limited + "bombard --version").exit_code != 0) {
    GTEST_SKIP() << "cannot be another user here";
  }
  if (shell(limited + "sh -c '(true); true'").exit_code == 0) {
    GTEST_SKIP() << "the number of processes is not limited here";
  }
  const Outcome outcome = shell(limited + "bombard run 60 storm.txt");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(contains(outcome.err, "the system refuses a thread; take fewer (--threads)"));
}

/// The program, or several in a pipe, in a memory cgroup of its own, of version 2 or 1.
class SlowMemoryCgroup : public ProgramTest {
 protected:
  void SetUp() override {
    if (in_group(10'000'000, "true").exit_code != 0) {
      GTEST_SKIP() << "may not make a memory cgroup here";
    }
    done("cp $samples/layer_60_storm_1.txt storm.txt");
  }
  Outcome in_group(std::int64_t bytes, const std::string& command) {
    const std::string group = "bombard_test_" + std::to_string(getpid());
    return shell("group=/sys/fs/cgroup/" + group +
                 " limit=memory.max\n"
                 "[ -e /sys/fs/cgroup/memory ] && group=/sys/fs/cgroup/memory/" +
                 group +
                 " limit=memory.limit_in_bytes\n"
                 "mkdir $group && echo " +
                 std::to_string(bytes) +
                 " > $group/$limit || { rmdir $group; exit 99; }\n"
                 "(echo $BASHPID > $group/cgroup.procs; " +
                 command + " > out.txt); code=$?\nrmdir $group\nexit $code");
  }
};

// The sum of all steps is more than the group has, but no process is killed.
TEST_F(SlowMemoryCgroup, IsTheMachine) {
  done("bombard generate vector --elements=20000000");
  for (const std::string command :
       {"run 50000000 storm.txt --layer l.npy", "run 50000000 storm.txt --plot",
        "run 20000000 storm.txt --precision double --layer l.npy",
        "validate 10000000 storm.txt --engine cpu_direct", "solve sort vector_20000000.npy"}) {
    const Outcome outcome = in_group(300'000'000, "exec bombard " + command);
    EXPECT_EQ(outcome.exit_code, 3) << command << '\n' << outcome.err;
    EXPECT_TRUE(matches(outcome.err, "*needs 0.* GB of memory, 0.* GB are free*")) << outcome.err;
  }
}

// Inputs that are larger than the group's memory, or become so.
TEST_F(SlowMemoryCgroup, InputsAreStreamedOrRefused) {
  done("seq 5000000 >numbers.txt");                                    // 39 MB
  done("bombard generate vector --elements 5000000");                  // 40 MB
  done("bombard generate --cells 1000 --impacts 2000000 --storms 3");  // 21 MB each, 32 in memory
  for (const std::string command :
       {"bombard solve sort numbers.txt", "cat numbers.txt | bombard solve sum -",
        "cat vector_5000000.npy | bombard solve max -", "bombard solve sort vector_5000000.npy",
        "(echo 1000000000; yes '1 1') | bombard run 1000 -",
        "cat layer_1000_storm_1.txt | bombard run 1000 -",
        "bombard run 200000 --precision double layer_1000_storm_1.txt",
        "bombard run 100000 --method sparse layer_1000_storm_1.txt"}) {
    const Outcome outcome = in_group(30'000'000, command);
    EXPECT_EQ(outcome.exit_code, 3) << command << '\n' << outcome.err;
    EXPECT_TRUE(contains(outcome.err, " of memory, ")) << outcome.err;
  }
  // Storms that are waiting for their turn.
  const Outcome outcome =
      in_group(120'000'000, "exec bombard run 1000 layer_1000_storm_?.txt --threads 2");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

// ---- streams ----

TEST_F(Faults, StandardOutputThatCannotBeWrittenIsExitCode2) {
  for (const std::string command :
       {"--version", "--help", "run --help", "devices", "run 60 storm.txt",
        "run 60 storm.txt --format json", "validate 60 storm.txt",
        "generate --cells 60 --impacts 5", "generate vector --elements 5", "solve sort tide.txt",
        "solve sum tide.txt"}) {
    const std::string why = "standard output cannot be written: ";
    expect_refused(
        2, {{"bombard " + command + " >/dev/full", why}, {"bombard " + command + " >&-", why}});
    done("bombard " + command + " <&-");
  }
  EXPECT_EQ(shell("bombard run 60 - <&-").exit_code, 2);
}

/// Closed, full, and without a reader.
constexpr const char* nowhere[] = {" 2>&-", " 2>/dev/full", " 2>&3"};
constexpr const char* without_reader =
    "mkfifo notes; true < notes & exec 3> notes; wait; rm notes; ";

TEST_F(Faults, WhatCannotBeSaidLosesNeitherResultNorCode) {
  for (const std::string to : nowhere) {
    expect(without_reader + ("bombard run 60 storm.txt --verbose --format result" + to),
           "*\nResult: 42 6261.730469\n");
    expect(without_reader + ("bombard run 60 storm.txt --plot --format json" + to), "*]\n}\n");
    if (to == nowhere[2]) continue;
    EXPECT_EQ(shell("bombard run 60 nofile" + to).exit_code, 2) << to;
    EXPECT_EQ(shell("bombard run 60 storm.txt --device cuda" + to).exit_code, 3) << to;
  }
}

// As any program in a pipeline ends when its reader has seen enough.
TEST_F(Faults, ResultsWithoutAReaderEndTheProgramByItsSignal) {
  const Outcome outcome = shell(
      "mkfifo results; true < results & exec 3> results; wait\n"
      "bombard run 60 storm.txt --format ndjson --layer l >&3; c=$?; ls -A | grep [.]l; exit $c");
  EXPECT_EQ(outcome.exit_code, 128 + SIGPIPE);
  EXPECT_EQ(outcome.err + outcome.out, "");
}

// ---- disks and signals ----

/// A command that writes over an older file, and the name of this file.
const std::vector<std::pair<std::string, std::string>> writers{
    {"run 50000 storm.txt --cells-at 0:9999 --output old.json", "old.json"},
    {"generate vector --elements 50000", "vector_50000.npy"},
    {"generate --cells 50000 --impacts 50000", "layer_50000_storm_1.txt"},
    {"generate set --matrices 20000", "matrix_set_20000.txt"},
    {"generate matrix --rows 300 --columns 300 --format mtx", "matrix_300x300.mtx"},
};

TEST_F(Faults, ALimitOfFilesAndAFullDiskLeaveTheOlderFile) {
  const std::string apart = "unshare --mount --map-root-user ";
  for (const auto& [shell_of, before, why] :
       {std::array<std::string, 3>{"", "ulimit -f 20", "File too large"},
        {apart, "mount -t tmpfs -o size=64k none /mnt && cp storm.txt /mnt && cd /mnt",
         "No space left on device"}}) {
    if (shell(shell_of + "bash -c '" + before + "'").exit_code != 0) {
      GTEST_SKIP() << "no file system can be mounted here";
    }
    for (const auto& [command, name] : writers) {
      const Outcome outcome =
          shell(shell_of + "bash -c '" + before + " || exit 9; printf old >" + name + "; bombard " +
                command + "; code=$?; cat " + name + "; ls -A | grep ^[.]; exit $code'");
      EXPECT_EQ(outcome.exit_code, 2) << command;
      EXPECT_TRUE(matches(outcome.err, "*" + name + ": cannot be written: " + why + "\n"));
      EXPECT_EQ(outcome.out, "old") << command;
    }
  }
  EXPECT_EQ(shell(apart + "bash -c 'mount -t tmpfs -o size=64k none /mnt && "
                          "bombard run 50000 storm.txt --layer /mnt/a.npy'")
                .exit_code,
            3);
}

// A run that a signal ends may leave a file beside. A run that is asked to end writes the storms
// that are done.
TEST_F(Faults, SignalsAtAnyInstantLeaveFilesOldOrNew) {
  done("bombard generate --cells 200000 --impacts 100 --storms 2");
  const std::string command =
      "run 200000 layer_200000_storm_?.txt --threads 1 --format csv --output a.csv --layer a.npy";
  const Outcome timed = shell("time bombard " + command);
  ASSERT_EQ(timed.exit_code, 0) << timed.err;
  std::vector<std::string> layers{content("a.npy")};
  done("bombard run 200000 layer_200000_storm_1.txt --layer a.npy");
  layers.push_back(content("a.npy"));
  layers.emplace_back("old");
  const double seconds = std::atof(timed.err.substr(timed.err.find("0m") + 2).c_str());

  const std::vector<int> signals{SIGKILL, SIGTERM, SIGINT, SIGHUP};
  for (int instant = 0; instant < 2 * faults(); ++instant) {
    const int signal = signals[random() % signals.size()];
    written("a.csv", "old");
    written("a.npy", "old");
    const double delay = 1.5 * seconds * std::uniform_real_distribution<>()(random);
    const Outcome outcome =
        shell("env --default-signal bombard " + command + " & sleep " + std::to_string(delay) +
              "; kill -" + std::to_string(signal) + " $!; wait $!");
    EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 128 + signal)
        << outcome.exit_code << " by " << signal;
    const std::string rows = content("a.csv");
    EXPECT_TRUE(rows == "old" || matches(rows, "version,*_seconds\r\n*")) << rows;
    EXPECT_TRUE(std::ranges::count(layers, content("a.npy")) > 0) << outcome.exit_code;
    EXPECT_TRUE(outcome.exit_code != 0 || content("a.npy") == layers[0]);
    shell("rm -f .a.*");
  }
}

}  // namespace
}  // namespace bombard::tests
