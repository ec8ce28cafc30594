// What a judged program may do, and what happens to it and to everything that it starts.

#include "tools/judge/processes/process.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "kernels/base/timer.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/text.hpp"
#include "tests/tools/judge/processes/refused_call.hpp"

namespace bombard::judge {
namespace {

class Processes : public TemporaryDirectory {
 protected:
  Processes() {
    ::setenv("TMPDIR", path("").c_str(), 1);
    set_usual_state();
  }
  ~Processes() override { ::unsetenv("TMPDIR"); }
  ProcessOutcome run(const std::vector<std::string>& command) const {
    return run_process({command, ScratchDirectory(), limits_, {}, confinement_});
  }
  ProcessOutcome shell(const std::string& script) const { return run({"/bin/sh", "-c", script}); }

  Limits limits_{.seconds = 20,
                 .memory_bytes = 200'000'000,
                 .output_bytes = 100'000,
                 .file_bytes = 1'000'000,
                 .processes = 10};
  std::optional<Confinement> confinement_ = {};
};

TEST_F(Processes, ComeToTheirEnd) {
  const std::string work = std::filesystem::canonical(path("")).string() + "*/work";
  const std::string in_files = "writes more than 0 MiB into files";
  const struct {
    std::string script;
    Ending ending;
    int code;
    std::string output, excess;
  } rows[] = {
      {"echo out; echo err >&2; exit 7", Ending::exited, 7, "out\n", ""},
      {"echo out; exec >&- 2>&-; sleep 0.1; exit 3", Ending::exited, 3, "out\n", ""},
      // The directory, its contents, temporary files, standard input, open files: ls has one more.
      {"pwd -P; ls; echo \"$TMPDIR\"; cat; ls /proc/self/fd | wc -l; ulimit -c", Ending::exited, 0,
       work + "\n" + path("*/work") + "\n4\n0\n", ""},
      {"yes | head -c 100000 | wc -c", Ending::exited, 0, "100000\n", ""},
      {"kill -PIPE $$; echo still here", Ending::killed, SIGPIPE, "", ""},
      {"yes", Ending::beyond_a_limit, -1, "*", "prints more than 0 MiB"},
      {"yes >&2", Ending::beyond_a_limit, -1, "", "prints more than 0 MiB"},
      {"awk 'BEGIN { s = \"x\"; while (length(s) < 4e8) s = s s; system(\"sleep 100\") }'",
       Ending::beyond_a_limit, -1, "", "takes more than 0.2 GB of memory"},
      {"while :; do setsid sleep 100 & done", Ending::beyond_a_limit, -1, "",
       "has more than 10 processes"},
      {"exec head -c 2000000 /dev/zero >file", Ending::beyond_a_limit, -1, "", in_files},
      {"i=0; while :; do head -c 100000 /dev/zero >file$i; i=$((i+1)); done",
       Ending::beyond_a_limit, -1, "", in_files}};
  std::signal(SIGPIPE, SIG_IGN);  // a program does not inherit this
  for (const auto& [script, ending, code, output, excess] : rows) {
    const ProcessOutcome outcome = shell(script);
    EXPECT_EQ(outcome.ending, ending) << script;
    EXPECT_TRUE(code < 0 || outcome.code == code) << script << outcome.code;
    EXPECT_TRUE(tests::matches(outcome.output, output)) << script;
    EXPECT_LT(outcome.output.size() + outcome.errors.size(), 1'000'000U) << script;
    EXPECT_EQ(outcome.errors == "err\n", script.find("echo err") != std::string::npos) << script;
    EXPECT_TRUE(excess.empty() || outcome.excess == excess) << script;
    EXPECT_TRUE(outcome.seconds > 0 && outcome.seconds < limits_.seconds) << script;
  }
  std::signal(SIGPIPE, SIG_DFL);
}

TEST_F(Processes, OfASystemThatRefusesCalls) {
  const auto told = [&](unsigned call) {
    tests::refuse(call, EPERM);
    std::string text;
    try {
      text = run({"/bin/echo", "done"}).output;
    } catch (const CannotRun& error) {
      text = error.what();
    }
    std::fputs(text.c_str(), stderr);
    ::_exit(0);
  };
  EXPECT_EXIT(told(SYS_pidfd_open), testing::ExitedWithCode(0), "done");
  EXPECT_EXIT(told(SYS_memfd_create), testing::ExitedWithCode(0),
              "memfd_create: Operation not permitted");
}

TEST_F(Processes, GetTheirWordsAsTheyAreAndASession) {
  EXPECT_EQ(run({"printf", "%s|", "a b", "$HOME", "*", ""}).output, "a b|$HOME|*||");
  const std::string session = shell("cut -d ' ' -f 1,5,6 /proc/self/stat").output;
  EXPECT_FALSE(tests::contains(session, " " + std::to_string(::getsid(0)) + "\n"));
}

TEST_F(Processes, ThatAreNone) {
  const ProcessOutcome missing = run({path("missing")});
  EXPECT_EQ(missing.ending, Ending::not_started);
  EXPECT_EQ(missing.code, ENOENT);
  const std::string rubbish = written("rubbish",
                                      "\x7F"
                                      "ELF and no more");
  std::filesystem::permissions(rubbish, std::filesystem::perms::owner_all);
  EXPECT_EQ(run({rubbish}).ending, Ending::not_started);
}

TEST_F(Processes, AreKilledWhenTheirTimeIsOver) {
  limits_.seconds = 0.2;
  const ProcessOutcome outcome = shell("trap '' TERM INT HUP; while :; do :; done");
  EXPECT_EQ(outcome.ending, Ending::out_of_time);
  EXPECT_GE(outcome.seconds, 0.19);
}

TEST_F(Processes, TakeWhatTheyStartedAlong) {
  const WallTimer timer;
  const std::string sleep = "sleep 100.0" + std::to_string(::getpid());  // no other process has it
  // In the background; in a session of its own; and one that has lost its parent.
  const ProcessOutcome outcome = shell(sleep + " & setsid " + sleep + " & setsid sh -c '" + sleep +
                                       " & exit' & sleep 0.1; echo done");
  EXPECT_EQ(outcome.ending, Ending::exited);
  EXPECT_EQ(outcome.output, "done\n");
  EXPECT_LT(timer.seconds(), 15);
  EXPECT_EQ(
      shell("grep -lsa '[1]00.0" + std::to_string(::getpid()) + "' /proc/[0-9]*/cmdline").output,
      "");
}

// Files that nobody has mapped, and memory that a program may leave behind; nobody else's
// processes.
TEST_F(Processes, AreApartWhereThatIsAllowed) {
  if (!allows_name_spaces(ScratchDirectory().work())) GTEST_SKIP() << "no name spaces here";
  confinement_ = Confinement{.readable = {}, .writable = {"/"}, .is_apart = true};
  limits_.file_bytes = 1'000'000'000;
  EXPECT_EQ(
      shell("echo answer >/dev/shm/left && ipcmk -M 1000 >/dev/null && cat /dev/shm/left").output,
      "answer\n");
  EXPECT_EQ(shell("ls /dev/shm; ipcs -m | grep 0x; ls -d /proc/[0-9]*[0-9][0-9]").output, "");
  EXPECT_EQ(shell("python3 -c 'import pty; pty.openpty()' && ls /dev/pts").output, "ptmx\n");
  EXPECT_EQ(shell("head -c 300000000 /dev/zero >/dev/shm/left; sleep 20").excess,
            "takes more than 0.2 GB of memory");
  EXPECT_EQ(shell("id -u").output, std::to_string(::getuid()) + "\n");
  EXPECT_EQ(shell("kill -KILL $PPID; kill -STOP $PPID; echo done").output, "done\n");
}

}  // namespace
}  // namespace bombard::judge
