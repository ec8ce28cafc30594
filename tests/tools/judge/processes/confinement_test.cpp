// What a confined program may do, and what it may not.

#include "tools/judge/processes/confinement.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/inputs/temporary_directory.hpp"
#include "tests/tools/judge/processes/refused_call.hpp"
#include "tools/judge/processes/process.hpp"

namespace bombard::judge {
namespace {

class Confined : public TemporaryDirectory {
 protected:
  void SetUp() override {
    if (!no_confinement_because().empty()) GTEST_SKIP() << no_confinement_because();
    for (const char* folder : {"anna", "ben", "run"}) {
      std::filesystem::create_directory(path(folder));
    }
    written("anna/data", "mine\n");
    written("ben/data", "another one's\n");
    ::setenv("TMPDIR", path("run").c_str(), 1);
    set_usual_state();
    run_.emplace();
    is_apart_ = allows_name_spaces(run_->work());
    std::ofstream(storm()) << "storm\n";
  }
  std::string storm() const { return run_->path() + "/storm"; }
  ProcessOutcome shell(const std::string& script) const {
    Confinement confinement = system_for("sh");
    confinement.readable.insert(confinement.readable.end(), {path("anna"), run_->path()});
    confinement.writable.push_back(run_->work());
    confinement.is_apart = is_apart_;
    return run_process(
        {{"/bin/sh", "-c", script}, *run_, {.memory_bytes = 1'000'000'000}, {}, confinement});
  }
  /// Whether the script ends with exit code 0.
  bool works(const std::string& script) const {
    const ProcessOutcome outcome = shell(script);
    return outcome.ending == Ending::exited && outcome.code == 0;
  }
  void TearDown() override { ::unsetenv("TMPDIR"); }
  bool is_apart_ = false;

 private:
  std::optional<ScratchDirectory> run_;
};

TEST_F(Confined, ReadTheSystemTheirFolderAndTheirStorms) {
  EXPECT_EQ(shell("cat " + path("anna/data") + " " + storm()).output, "mine\nstorm\n");
  EXPECT_TRUE(works("ls /usr/lib >/dev/null && head -1 /etc/passwd && cat /proc/self/stat"));
  EXPECT_FALSE(works("cat " + path("ben/data")));
  EXPECT_FALSE(works("ls " + path("ben")));
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
  EXPECT_FALSE(works("echo 1 >" + storm()));
  EXPECT_FALSE(works("rm " + path("anna/data")));
}

// What makefiles do.
TEST_F(Confined, ChangeRightsOfTheirOwnFiles) {
  EXPECT_TRUE(works("echo true >a && chmod +x a && ./a && install -m 644 a b && cp -p a c && ./c"));
}

TEST_F(Confined, TakeNoRightsOffTheirDirectory) {
  EXPECT_TRUE(works("chmod 0 ../../.. ../.. .. ."));
  EXPECT_TRUE(works("true"));
}

TEST_F(Confined, HaveNoCapabilitiesAndSeeNoTokens) {
  EXPECT_FALSE(works("cat /proc/$PPID/environ"));
  EXPECT_TRUE(
      works("grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | grep -vc 0000000000000000"
            " | grep -x 0"));
}

// This program stands for bombard: it hides itself.
TEST_F(Confined, ExecuteNothingOfBombards) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  EXPECT_FALSE(works(self + " --gtest_list_tests"));
  EXPECT_FALSE(works("cp " + self + " copy"));
}

TEST(Confinement, SaysWhyThereIsNone) {
  const auto told = [] {
    tests::refuse(SYS_landlock_create_ruleset, ENOSYS);
    ::_exit(no_confinement_because().starts_with("this kernel has no Landlock") && confine({}) ? 0
                                                                                               : 1);
  };
  EXPECT_EXIT(told(), testing::ExitedWithCode(0), "");
}

TEST_F(Confined, CompileAndRun) {
  EXPECT_TRUE(works("echo 'int main(){return 0;}' >a.c && cc -fopenmp a.c -o a && ./a"));
}

}  // namespace
}  // namespace bombard::judge
