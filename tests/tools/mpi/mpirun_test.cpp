// bombard-mpi as a user starts it, compared with bombard in one process.

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <string>

#include "tests/tools/cli/program.hpp"
#include "tests/tools/mpi/launcher.hpp"

namespace bombard::tests {
namespace {

class Mpirun : public ProgramTest {
 protected:
  void SetUp() override {
    if (std::string(BOMBARD_MPI_PROGRAM).empty()) GTEST_SKIP() << "built without MPI";
    if (!set_mpirun()) GTEST_SKIP() << "no launcher of MPI";
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    // All ranks are on this machine, and the search for networks takes a quarter of each start.
    setenv("OMPI_MCA_pml", "ob1", 1);
    setenv("OMPI_MCA_btl", "self,vader", 1);
    // mpirun kills the others as soon as one has failed, not a second later.
    setenv("OMPI_MCA_odls_base_sigkill_timeout", "0", 1);
    setenv("PRTE_MCA_odls_base_sigkill_timeout", "0", 1);
    // Otherwise two mpiruns that start together cannot both make the folder that they share.
    setenv("OMPI_MCA_orte_tmpdir_base", path("").c_str(), 1);
    setenv("PRTE_MCA_prte_tmpdir_base", path("").c_str(), 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    // MPI's own memory is not our leak.
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  }

  /// A run in one process and one in `ranks` ranks, each in a folder of its own, print and write
  /// the same.
  void expect_same(const std::string& arguments, const std::string& ranks) {
    shell("rm -rf alone together; mkdir alone together");
    const bool has_format = arguments.find("--format") != std::string::npos;
    const std::string run = arguments + (has_format ? "" : " --format result");
    const Outcome alone = shell("cd alone && bombard " + run);
    const Outcome together = shell("cd together && $mpirun -n " + ranks + " bombard-mpi " + run);
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    EXPECT_EQ(together.exit_code, 0) << together.err;
    EXPECT_EQ(maxima(together.out), maxima(alone.out)) << ranks << " ranks: " << arguments;
    EXPECT_EQ(shell("diff -r alone together").out, "") << ranks << " ranks: " << arguments;
  }

  /// Without times: in CSV they are four columns behind the maximum for people.
  static std::string maxima(const std::string& text) {
    return std::regex_replace(text, std::regex("Time: .*|,[0-9]+[.][0-9]{6}(,[^,\\r]+){4}"), "");
  }
};

// tests/sim/ranks/ has other numbers of ranks.
TEST_F(Mpirun, HasDigitsLayersAndPeaksOfOneProcess) {
  written("1.txt", "4\n1 7000\n99990 5000\n33333 20\n66666 900\n");
  written("2.txt", "2\n50000 800\n14285 500\n");
  written("none.txt", "1\n5 0\n");
  const std::string sample = "run 5000 $samples/layer_5000_storm_*.txt ";
  const std::string files = "--layer layer.npy --layers layers.npy --quiet ";
  for (const auto& [arguments, ranks] : std::vector<std::pair<std::string, std::string>>{
           {sample + "--method fast", "3"},
           {sample + "--precision double", "7"},
           {"run 5 ../1.txt ../2.txt " + files, "7"},
           {"run 60 $samples/layer_60_storm_*.txt --peaks 2 --cells-at 3,40 --format csv " + files,
            "3"},
           // In double precision sums may differ in their last digits, but not where nothing is
           // added up.
           {"run 100001 ../none.txt --precision double " + files, "3"},
           {"run 100001 ../1.txt ../2.txt " + files, "3"}}) {
    expect_same(arguments, ranks);
  }
  EXPECT_FALSE(content("together/layers.npy").empty());
  done(
      "cp alone/layer.npy one.npy; bombard run 60 $samples/layer_60_storm_2.txt --layer first.npy");
  expect_same("run 60 $samples/layer_60_storm_1.txt --initial ../first.npy " + files, "3");
  done(
      "$mpirun -n 3 bombard-mpi run 100001 1.txt 2.txt --output table.txt --layer /dev/stdout "
      "| cat >piped.npy");
  EXPECT_TRUE(content("piped.npy") == content("one.npy"));
}

TEST_F(Mpirun, ValidatesAndSaysWhoRunsWhere) {
  const Outcome validated =
      shell("$mpirun -n 3 bombard-mpi validate 60 $samples/layer_60_storm_*.txt");
  EXPECT_EQ(validated.exit_code, 0) << validated.out << validated.err;
  const Outcome told =
      shell("$mpirun -n 2 bombard-mpi run 60 $samples/layer_60_storm_1.txt --verbose --threads 1");
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_TRUE(matches(told.err, "*rank 0 of 2 on *: cells 0 to 29, 1 thread\n*"));
  EXPECT_TRUE(matches(told.err, "*rank 1 of 2 on *: cells 30 to 59, 1 thread\n*"));
}

TEST_F(Mpirun, AnErrorEndsAllRanksWithItsCodeAndIsToldOnce) {
  for (const auto& [arguments, part] :
       {std::pair("missing.txt", "missing.txt"),
        {"$samples/layer_60_storm_1.txt --method sparse", "needs one process"}}) {
    const Outcome outcome = shell(std::string("$mpirun -n 3 bombard-mpi run 60 ") + arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    const std::size_t told = outcome.err.find(part);
    EXPECT_NE(told, std::string::npos);
    EXPECT_EQ(outcome.err.find(part, told + 1), std::string::npos) << outcome.err;
  }
}

TEST_F(Mpirun, RankZeroReadsForAll) {
  shell("bombard generate --cells 5000 --impacts 3000 --storms 2 --directory storms");
  // The same in another layout; and an input that can be read only once.
  shell("tr '\\n' ' ' < storms/layer_5000_storm_1.txt > row.txt");
  expect_same("run 5000 - ../row.txt --precision double < ../storms/layer_5000_storm_1.txt", "2");

  // A file that only rank 0 sees.
  const Outcome outcome = shell(
      "mkdir elsewhere; (bombard run 5000 row.txt --precision double --format result; "
      "$mpirun -n 1 bombard-mpi run 5000 row.txt --precision double --format result : -n 1 "
      "bash -c 'cd elsewhere; exec bombard-mpi') | grep Result | uniq | wc -l");
  EXPECT_EQ(outcome.out, "1\n") << outcome.err;
}

TEST_F(Mpirun, ARankWithTooLittleMemoryEndsAll) {
  if (shell("ulimit -v 900000; bombard --version").exit_code != 0) {
    GTEST_SKIP() << "this build needs more address space than a limit would leave it";
  }
  setenv("run", "run 200000000 few.txt --engine cpu_direct --layer l.npy --quiet", 1);
  written("few.txt", "1\n1 7000\n");
  // Open MPI 5.0.7's mpirun crashes when it is given two commands and one of them fails.
  const Outcome outcome = shell(
      "$mpirun -n 2 bash -c '[ ${OMPI_COMM_WORLD_RANK-$PMI_RANK} = 1 ] && ulimit -v 900000; "
      "exec bombard-mpi $run'");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_TRUE(matches(outcome.err, "*rank 1 on *: *")) << outcome.err;
}

// On small layers, those for srun by mpirun and on the CPU.
TEST_F(Mpirun, RunsTheCommandsOfItsPage) {
  done("mkdir build; ln -s \"$(command -v bombard-mpi)\" build");
  done("bombard generate --cells 1000 --impacts 50 --storms 2 --directory storms");
  std::string script =
      "export SLURM_CPUS_PER_TASK=1\nmpirun() { command \"$mpirun\" \"$@\"; }\n"
      "srun() { while [[ $1 == --* ]]; do shift; done; mpirun -n 2 \"$@\"; }\n";
  const std::string page = std::regex_replace(content_of(BOMBARD_SOURCE_DIR "/docs/cluster.md"),
                                              std::regex("\\\\\n"), "");
  int commands = 0;
  static const std::regex command("\n    ((mpirun|srun) .*)");
  for (std::sregex_iterator at(page.begin(), page.end(), command), end; at != end;
       ++at, ++commands) {
    const std::string line =
        std::regex_replace((*at)[1].str(), std::regex("1e1[01]|1000000"), "1000");
    script += std::regex_replace(line, std::regex("device cuda"), "device cpu") + '\n';
  }
  written("page.sh", script);
  EXPECT_EQ(commands, 3);
  done("bash -eu page.sh");
}

TEST_F(Mpirun, AKilledRankEndsTheOthers) {
  // The reference takes a minute or more for this.
  const Outcome outcome = shell(
      "bombard generate --cells 3000000 --impacts 20000 --directory storms "
      ">/dev/null; timeout -s KILL 30 $mpirun -n 2 bash -c '[ ${OMPI_COMM_WORLD_RANK-$PMI_RANK} = "
      "1 ] && "
      "(sleep 0.5; kill -9 $$) & exec bombard-mpi run 3000000 storms/* --engine reference "
      "--layer layer.npy --quiet'");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.exit_code, -1);
  EXPECT_LT(outcome.exit_code, 138) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(path("layer.npy")));
}

}  // namespace
}  // namespace bombard::tests
