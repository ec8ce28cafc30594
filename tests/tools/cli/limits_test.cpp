// Memory and threads that the system refuses: the program says so and ends with 3, or goes on
// without.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class Limits : public ProgramTest {
 protected:
  void SetUp() override {
    if (shell("ulimit -v 1000000; bombard --version").exit_code != 0) {
      GTEST_SKIP() << "this build needs more address space than a limit would leave it";
    }
    done("cp $samples/layer_60_storm_1.txt storm.txt");
    done("bombard generate --cells=1000000 --impacts=100");
  }
  std::string million = "1000000 layer_1000000_storm_1.txt";
};

constexpr const char* refused_thread =
    "the system refuses a thread; take fewer (--threads), or raise its limits (ulimit -u, ulimit "
    "-v)\n";

TEST_F(Limits, ThreadsThatAreRefusedAreNoDifferingResults) {
  const std::string many = " --threads 4096 --quiet";
  const Outcome outcome =
      shell("ulimit -v 1000000; bombard validate " + million + " --engine cpu_direct" + many);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(ends_with(outcome.err, refused_thread));
  EXPECT_EQ(outcome.out, "");
  // The fast method goes on with the threads that there are.
  done("ulimit -v 1000000; bombard run " + million + " --engine cpu_double" + many);
}

// The memory that a run holds and the memory that it will ask for are one sum: each half of it
// would fit.
TEST_F(Limits, ALayerAndItsCopyAreAskedForTogether) {
  const std::string run = "bombard run 40000000 storm.txt --engine cpu_direct --threads 1 --quiet ";
  EXPECT_EQ(shell("ulimit -v 340000; " + run).exit_code, 0);
  const Outcome outcome = shell("ulimit -v 340000; " + run + "--layer l.npy");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(matches(outcome.err,
                      "bombard: cpu_direct needs 0.3?? GB of memory, 0.[23]* GB are "
                      "free; *\n"))
      << outcome.err;
}

// The limit has room for the file's 160 MB and half of what sorting adds: what the program itself
// takes differs from build to build by tens of megabytes.
TEST_F(Limits, SortingAsksForItsKeys) {
  done("bombard generate vector --elements=20000000");
  expect_refused(3, {{"ulimit -v 420000; bombard solve sort vector_20000000.npy --output s.npy",
                      "bombard: sorting 20000000 elements needs 0.32 GB of memory"}});
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

// The sum of all steps is more than the group has: no process is killed.
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

// Inputs that are larger than the group, or become so.
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
  for (const auto& [command, result] : std::vector<std::pair<std::string, std::string>>{
           {"sum numbers.txt", "12500002500000\n"}, {"max numbers.txt", "5000000\n"}}) {
    EXPECT_EQ(in_group(30'000'000, "exec bombard solve " + command).exit_code, 0) << command;
    EXPECT_EQ(content("out.txt"), result);
  }
  EXPECT_EQ(in_group(30'000'000, "exec bombard solve sum vector_5000000.npy").exit_code, 0);
  // Storms that wait for their turn.
  const std::string storms = "exec bombard run 1000 layer_1000_storm_?.txt";
  EXPECT_EQ(in_group(80'000'000, storms).exit_code, 0);
}

// A process of the user "nobody", who may have no other: root's limit does not count.
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
  EXPECT_TRUE(ends_with(outcome.err, refused_thread));
}

}  // namespace
}  // namespace bombard::tests
