// What a confined program may do, and what it may not.

#include "tools/judge/processes/confinement.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "tests/inputs/temporary_directory.hpp"
#include "tests/text.hpp"
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
    run_.emplace(path("run"));
    std::ofstream(storm()) << "storm\n";
  }
  std::string storm() const { return run_->path() + "/storm"; }
  ProcessOutcome shell(const std::string& script) const {
    const std::vector<std::string> command{"/bin/sh", "-c", script};
    Confinement confinement = system_for("sh");
    confinement.readable.insert(confinement.readable.end(), {path("anna"), run_->path()});
    confinement.writable.push_back(run_->work());
    return run_process(command, *run_, {.seconds = 60, .memory_bytes = 1'000'000'000}, {},
                       confinement);
  }
  /// Whether the script ends with exit code 0.
  bool works(const std::string& script) const {
    const ProcessOutcome outcome = shell(script);
    return outcome.ending == Ending::exited && outcome.code == 0;
  }

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

// By a file's name, by an open file, by a list of rights; what makefiles do still works.
TEST_F(Confined, TakeNoRightsOffAnybody) {
  for (const std::string& path : {path("ben/data"), path("ben"), path("anna/data"), path("run")}) {
    const auto before = std::filesystem::status(path).permissions();
    for (const std::string how : {"chmod 0 ", "chmod 600 ", "setfacl -m u::0 "}) {
      shell(how + path);
      EXPECT_EQ(std::filesystem::status(path).permissions(), before) << how << path;
    }
  }
  const auto before = std::filesystem::status(path("anna/data")).permissions();
  shell("python3 -c \"import os\nwith open('" + path("anna/data") +
        "') as file: os.fchmod(file.fileno(), 0)\"");
  EXPECT_EQ(std::filesystem::status(path("anna/data")).permissions(), before);
  EXPECT_TRUE(works("echo true >a && chmod +x a && ./a && install -m 644 a b && cp -p a c && ./c"));
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

// What somebody has put there does not matter: names alone do.
TEST_F(Confined, ReadTheirFolderUnlessItHoldsOthers) {
  const std::string program = path("anna/program");
  EXPECT_EQ(own_folder(program, {program, path("ben/program")}), path("anna"));
  EXPECT_EQ(own_folder(program, {program, path("anna/other")}), program);
  EXPECT_EQ(own_folder(program, {path("anna/cases/deep")}), program);
  for (const char* target : {"program", "../anna", "../anna/data", "/bin/sh", "nothing", "."}) {
    std::filesystem::create_symlink(target, path("ben/program"));
    EXPECT_EQ(own_folder(program, {program, path("ben/program")}), path("anna")) << target;
    std::filesystem::remove(path("ben/program"));
  }
  EXPECT_EQ(own_folder(BOMBARD_PROGRAM "_", {}), BOMBARD_PROGRAM "_");  // it is beside bombard
}

/// From now on the kernel knows no Landlock, or says that it is switched off.
void refuse_landlock(int error) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{std::size(rules), rules};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(2);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) ::_exit(2);
}

TEST(Confinement, SaysWhyThereIsNone) {
  for (const auto& [error, why] : {std::pair(EOPNOTSUPP, "Landlock is switched off in this kernel"),
                                   {ENOSYS, "this kernel has no Landlock"}}) {
    const auto told = [error = error, why = why] {
      refuse_landlock(error);
      ::_exit(no_confinement_because().starts_with(why) && confine({}) ? 0 : 1);
    };
    EXPECT_EXIT(told(), testing::ExitedWithCode(0), "") << why;
  }
}

TEST_F(Confined, CompileAndRun) {
  EXPECT_TRUE(works("echo 'int main(){return 0;}' >a.c && cc -fopenmp a.c -o a && ./a"));
}

}  // namespace
}  // namespace bombard::judge
