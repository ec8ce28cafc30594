// A class in which students make anything: nothing that one program is, makes or names changes the
// verdict on another one, or ends the judge; and what the judge itself has inherited changes none.

#include "sim/processor.hpp"
#include "tests/tools/cli/judged_programs.hpp"

namespace bombard::tests {
namespace {

class HostileClass : public JudgeTest {
 protected:
  /// Confined, where this system can; by folders, which have a right program beside the makefile.
  static constexpr const char* judge_class =
      "TMPDIR=$PWD/tmp timeout 100 bombard judge --cases cases ";

  /// A student whose makefile makes `prog` by this command, after these preparations in the folder.
  void student(const std::string& name, const std::string& command,
               const std::string& preparation = "true") {
    done("mkdir -p class/'" + name + "' && cd class/'" + name + "' && cp $right right && " +
         preparation + " && printf 'prog:\n\t" + command + "\n' >Makefile");
  }
  /// The verdicts of a class: "anna right, ben not built, ".
  std::string verdicts(const std::string& arguments) {
    const Outcome outcome = shell(judge_class + arguments + " --format json");
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    std::string text;
    const nlohmann::json result = nlohmann::json::parse(outcome.out);
    for (const nlohmann::json& program : result.at("programs")) {
      const std::string folder =
          std::filesystem::path(program.at("program").get<std::string>()).parent_path().filename();
      const bool is_built = program.at("failed_build").get<std::string>().empty();
      text +=
          folder + ' ' + (is_built ? program.at("kind").get<std::string>() : "not built") + ", ";
    }
    return text;
  }
};

TEST_F(HostileClass, IsBuiltOneByOne) {
  student("anna", "cp right prog");
  student("ben", "cp right prog", "ln -s prog prog");
  student("carla", "cp right prog", "ln -s ../anna/prog prog");
  student("dora", "cp right prog", "ln -s /bin/sh prog");
  student("eve", "mkfifo prog; chmod +x prog");
  student("finn", "mkdir prog");
  student("gus", "ln -s prog prog");
  student("hal", "ln -s ../../anna/right prog");
  student("ida", "truncate -s 900M prog; chmod +x prog");
  student("jan", "touch prog; chmod +x prog");
  student("kim", "ln -s /dev/zero prog");
  student("leo", "ln -s /bin/sh prog");
  student("mia\nmo", "cp right prog");
  student("nic", "cp right prog", "mkfifo fifo && mkdir locked && chmod 0 locked");
  student("zoe", "cp right prog");
  EXPECT_EQ(
      verdicts("class/* --build 'make prog'"),
      "anna right, ben right, carla right, dora right, eve not built, finn not built, gus not "
      "built, hal not built, ida no_answer, jan no_answer, kim not built, leo no_answer, "
      "mia\nmo right, nic right, zoe right, ");
  done("chmod 700 class/nic/locked");
}

TEST_F(HostileClass, IsJudgedOneByOne) {
  for (const auto& [name, preparation] : {std::pair("anna", "cp right prog"),
                                          {"ben", "ln -s prog prog"},
                                          {"carla", "ln -s ../anna/prog prog"},
                                          {"dora", "mkdir prog"},
                                          {"eve", "mkfifo prog; chmod +x prog"},
                                          {"finn", "ln -s nothing prog"},
                                          {"gus", "truncate -s 10G prog; chmod +x prog"},
                                          {"hal", "touch prog; chmod +x prog"},
                                          {"ida", "ln -s /dev/zero prog"},
                                          {"jan", "cp right prog; chmod -x prog"},
                                          {"zoe", "cp right prog"}}) {
    student(name, "true", preparation);
  }
  EXPECT_EQ(
      verdicts("class/*/prog"),
      "anna right, ben no_answer, carla right, dora no_answer, eve no_answer, finn no_answer, "
      "gus no_answer, hal no_answer, ida no_answer, jan no_answer, zoe right, ");
  const std::string out = shell(judge_class + std::string("class/*/prog")).out;
  for (const char* why :
       {"Too many levels of symbolic links", "it is a folder", "it is a FIFO",
        "No such file or directory", "Exec format error", "it is not executable"}) {
    EXPECT_TRUE(contains(out, why)) << why;
  }
}

// One program takes all rights off what its parent's command line names, and off the directories of
// its run; another one, without confinement, removes the programs that come after it.
TEST_F(HostileClass, IsJudgedFromCopies) {
  for (const char* name : {"anna", "ben", "zoe"}) student(name, "cp right prog", "cp right prog");
  program("class/anna/prog", "for name in $(tr '\\0' ' ' </proc/$PPID/cmdline); do chmod 0 " +
                                 path("$name ") + path("class/$name") +
                                 "; done; chmod -R 0 \"$TMPDIR/../..\" " + path("tmp ") +
                                 path("class") + "; echo 'Result: 1 2'");
  done("cp class/anna/prog class/anna/right");
  for (const char* programs : {"class/*/prog", "class/* --build 'make prog'"}) {
    EXPECT_EQ(verdicts(programs), "anna wrong, ben right, zoe right, ") << programs;
    done("chmod -R u+rwx .");
  }
  program("class/anna/prog", "rm -rf " + path("class/[b-z]*") + "; echo 'Result: 1 2'");
  const std::string out = shell(judge_class + std::string("class/*/prog --no-confinement")).out;
  EXPECT_TRUE(contains(out, "\nWhile it was judged, class/ben/prog, class/zoe/prog changed: "))
      << out;
  EXPECT_TRUE(contains(out, "\nright          0 ")) << out;
}

// An old binary is not judged in place of a new one, and what make compares keeps its times.
TEST_F(HostileClass, IsBuiltAnew) {
  student("anna", "cp right prog", "printf '#!/bin/sh\necho Result: 7 1\n' >prog && chmod +x prog");
  done(
      "cd class/anna && echo 'echo Result: 7 1' >object && cp right source && touch -d 2001-1-1 "
      "object "
      "&& printf 'other: object\n\tcp object other\nobject: source\n\tcp -f --remove-destination "
      "source object\n' "
      ">>Makefile");
  for (const char* name : {"prog", "other"}) {
    expect(judge_class + std::string("class/anna --build 'make ") + name + "'",
           "*right in 1 case\n");
  }
}

TEST_F(HostileClass, HasTrueCauses) {
  written("none", "#!/nowhere/sh -e\n");
  written("windows", "#!/bin/sh\r\ntrue\r\n");
  done("chmod +x none windows");
  const std::string launched = " --command 'env A=B {program} {cells} {storms}'";
  for (const std::string& more : {std::string(), launched}) {
    EXPECT_TRUE(contains(judge("none" + more).out,
                         "; its first line names the interpreter /nowhere/sh: No such file"));
    EXPECT_TRUE(
        contains(judge("windows" + more).out, "; its first line ends with a carriage return"));
  }
}

// A program that attacks its judge ends with a verdict of its own.
TEST_F(HostileClass, IsNotEndedByAProgram) {
  program("kills", "kill -KILL $PPID; sleep 61.75");
  program("stops", "kill -STOP $PPID; exec $right \"$@\"");
  const Outcome outcome =
      shell("(" + std::string(judge_cases) + "kills stops $right) | tail -3 | cut -d ' ' -f 1");
  EXPECT_EQ(outcome.out, "CRASH\nright\nright\n") << outcome.err;
  EXPECT_EQ(shell("pgrep -f 'sleep [6]1.75'").out, "");
}

// One program takes limits, cores and priority off its judge and the process that watches it.
TEST_F(HostileClass, KeepsWhatTheJudgeHas) {
  if (contains(shell(judge_class + std::string("$right")).out, "without name spaces"))
    GTEST_SKIP() << "no name spaces";
  const std::string cores = std::to_string(usable_cores());
  student("anna", "true",
          "printf '#!/bin/sh\nfor p in $PPID $(ps -o ppid= -p $PPID); do\n"
          "prlimit --pid $p --fsize=0:0 --cpu=0:0 --nofile=4:4; taskset -pc 0 $p; renice -n 19 -p "
          "$p\nchrt -i -p 0 $p; done >/dev/null\n"
          "echo Result: 1 2' >prog && chmod +x prog");
  student(
      "ben", "true",
      "printf '#!/bin/sh\n[ $(nice) = '$(nice)' ] && [ $(nproc) = " + cores +
          " ] && [ $(ulimit -n) = 1024 ] && exec ${0%%prog}right \"$@\"' >prog && chmod +x prog");
  EXPECT_EQ(verdicts("class/*/prog"), "anna wrong, ben right, ");
}

// Signals that are ignored or blocked, limits, and the mask of permissions.
TEST_F(HostileClass, InheritsNothing) {
  program("crash", "kill -SEGV $$");
  program("slow", "sleep 60");
  const bool is_root = ::geteuid() == 0;  // who may raise his priority
  program("writes", std::string(is_root ? "[ $(nice) = 0 ] && " : "") +
                        "head -c 100000 /dev/zero >file && [ $(ulimit -n) = 1024 ] && "
                        "[ $(ulimit -s) = 8192 ] && [ -r file ] && exec $right \"$@\"");
  const std::string inherited =
      "ulimit -S -s 256; ulimit -S -f 100; ulimit -S -n 32; ulimit -S -t 100; umask 777; "
      "env --ignore-signal=CHLD,SEGV,XCPU,TERM,XFSZ --block-signal=CHLD,USR1,SEGV " +
      std::string(is_root ? "nice -n 5 " : "");
  for (const std::string& before : {std::string(), inherited}) {
    const Outcome outcome = shell("(" + before +
                                  "bombard judge --no-confinement --cases cases crash "
                                  "slow writes $right --timeout 1) | tail -4 | cut -d ' ' -f 1");
    EXPECT_EQ(outcome.out, "CRASH\nTIMEOUT\nright\nright\n") << before << outcome.err;
  }
}

// A cleaner of temporary files is no program's fault.
TEST_F(HostileClass, IsNotToBlameForARemovedDirectory) {
  program("waits", "until ! [ -e $2 ]; do sleep 0.02; done");
  const Outcome outcome = shell(
      "set -m; " + std::string(judge_class) + "$right waits & until ls tmp/*/*/*/storm*; do " +
      "sleep 0.02; done; until grep -qs waits /proc/[0-9]*/comm; do sleep 0.02; done; "
      "rm -rf tmp/*; wait $!");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "was removed while a program ran there, by another process"))
      << outcome.err;
}

TEST_F(HostileClass, MistakesInTheCommandAreToldAsSuch) {
  done(
      "ln -s loop loop; mkdir -p broken/small; cp cases/small/* broken/small; ln -s small/none/x "
      "broken/x; ln -s y broken/y");
  const std::string judge = "bombard judge $right ";
  expect_refused(2, {{judge + "--cases broken", "broken/y"},
                     {judge + "--cases loop", "--cases loop: Too many levels of symbolic links"},
                     {judge + "--ranking $right/page.html", "/page.html: "},
                     {judge + "--names loop --ranking a.html", "loop: "},
                     {"bombard judge --keep loop/cases", "loop/cases"},
                     {"TMPDIR=loop " + judge + "--cases cases", "name another one in TMPDIR"}});
}

}  // namespace
}  // namespace bombard::tests
