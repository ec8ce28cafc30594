// What a confined program may do, and what it may not.

#include "tools/judge/confinement.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/inputs/temporary_directory.hpp"
#include "tests/text.hpp"
#include "tools/judge/process.hpp"

namespace bombard::judge {
namespace {

class Confined : public TemporaryDirectory {
 protected:
  void SetUp() override {
    if (!no_confinement_because().empty()) GTEST_SKIP() << no_confinement_because();
    for (const char* folder : {"anna", "ben", "run", "run/work"}) {
      std::filesystem::create_directory(path(folder));
    }
    written("anna/data", "mine\n");
    written("anna/hidden", "hidden\n");
    written("ben/data", "another one's\n");
    written("run/storm", "storm\n");
  }
  ProcessOutcome shell(const std::string& script) const {
    const std::vector<std::string> command{"/bin/sh", "-c", script};
    Confinement confinement = system_for(command);
    confinement.readable.insert(confinement.readable.end(), {path("anna"), path("run")});
    confinement.writable.push_back(path("run/work"));
    confinement.hidden.push_back(path("anna/hidden"));
    return run_process(command, path("run/work"), {.seconds = 60, .memory_bytes = 1'000'000'000},
                       {}, confinement);
  }
  /// Whether the script ends with exit code 0.
  bool works(const std::string& script) const {
    const ProcessOutcome outcome = shell(script);
    return outcome.ending == Ending::exited && outcome.code == 0;
  }
};

TEST_F(Confined, ReadTheSystemTheirFolderAndTheirStorms) {
  EXPECT_EQ(shell("cat " + path("anna/data") + " " + path("run/storm")).output, "mine\nstorm\n");
  EXPECT_TRUE(works("ls /usr/lib >/dev/null && head -1 /etc/passwd && cat /proc/self/stat"));
  EXPECT_FALSE(works("cat " + path("ben/data")));
  EXPECT_FALSE(works("ls " + path("ben")));
  EXPECT_FALSE(works("cat " + path("anna/hidden")));
  EXPECT_FALSE(works("cat $HOME/.profile $HOME/.bashrc"));
  EXPECT_FALSE(works("cat /etc/shadow"));
}

TEST_F(Confined, WriteToTheirDirectoryAndToSharedMemory) {
  EXPECT_TRUE(works("echo 1 >file && mkdir folder && mv file folder && rm -r folder"));
  EXPECT_TRUE(works("f=/dev/shm/confined_$$; echo 1 >$f && rm $f && echo 1 >/dev/null"));
  for (const char* place : {"/tmp/confined", "/var/tmp/confined", "/usr/confined"}) {
    EXPECT_FALSE(works(std::string("echo 1 >") + place)) << place;
  }
  EXPECT_FALSE(works("echo 1 >>" + path("anna/data")));
  EXPECT_FALSE(works("echo 1 >" + path("run/storm")));
  EXPECT_FALSE(works("rm " + path("anna/data")));
}

// This program stands for bombard: it hides itself.
TEST_F(Confined, ExecuteNothingOfBombards) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  EXPECT_FALSE(works(self + " --gtest_list_tests"));
  EXPECT_FALSE(works("cp " + self + " copy"));
}

// Landlock knows connections since Linux 6.7; an older kernel finds no server at this port.
TEST_F(Confined, OpenNoConnection) {
  if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "no bash";
  const ProcessOutcome outcome = shell("bash -c 'exec 3<>/dev/tcp/127.0.0.1/80'");
  EXPECT_NE(outcome.code, 0);
}

TEST_F(Confined, CompileAndRun) {
  EXPECT_TRUE(works("echo 'int main(){return 0;}' >a.c && cc -fopenmp a.c -o a && ./a"));
}

}  // namespace
}  // namespace bombard::judge
