// What `bombard judge` offers for a class: programs that are started in other ways, and results for
// other systems. The programs are scripts around a right one (tests/tools/judge/).

#include <csignal>
#include <filesystem>

#include "sim/processor.hpp"
#include "tests/tools/cli/judged_programs.hpp"

namespace bombard::tests {
namespace {

using JudgedClass = JudgeTest;

TEST_F(JudgedClass, OtherArgumentsAndVariables) {
  program("threads_first", "[ $1 = -t$(nproc) ] || exit 9; shift; exec $right \"$@\"");
  expect_right("threads_first --command '{program} -t{threads} {cells} {storms}'");
  program("storms_first", "[ $2 = 2000 ] || exit 9; exec $right $2 $1");
  expect_right("storms_first --command '{program} {storms} {cells}'");
  program("launch", "[ $2 = $(nproc) ] || exit 9; shift 2; exec \"$@\"");
  expect_right("$right --command \"$PWD/launch -n {ranks} {program} {cells} {storms}\"");
  program("needs", "[ \"$FIRST-$SECOND\" = 'a,b=c-' ] || exit 9; exec $right \"$@\"");
  expect_right("needs --command 'env FIRST=a,b=c SECOND= {program} {cells} {storms}'");
  program("script", "exec $right \"$@\"");
  done("chmod -x script");  // it need not be executable
  expect_right("script --command 'sh {program} {cells} {storms}'");
}

// Where times do not count, threads that wait leave the CPU to others.
TEST_F(JudgedClass, WaitingOfThreads) {
  program("waits", "echo $OMP_WAIT_POLICY. >>" + path("policies") + "; echo 'Result: 7 1.0'");
  unsetenv("OMP_WAIT_POLICY");
  judge("waits");
  EXPECT_EQ(content("policies"), ".\npassive.\npassive.\n");
  shell("export OMP_WAIT_POLICY=active; " + (judge_cases + std::string("waits")));
  EXPECT_TRUE(matches(content("policies"), "*passive.\nactive.\npassive.\npassive.\n"));
}

// Beside other work, threads that wait actively take for ever.
TEST_F(JudgedClass, RunsAgainAfterATimeout) {
  program("spins", "[ \"$OMP_WAIT_POLICY\" = passive ] || sleep 60; exec $right \"$@\"");
  program("hangs", "sleep 60");
  setenv("OMP_WAIT_POLICY", "active", 1);
  const nlohmann::json programs = judged({"spins", "hangs"}, "--timeout 1");
  EXPECT_EQ(programs[0].at("kind"), "right");
  EXPECT_TRUE(programs[0].at("speedup").is_null());
  EXPECT_TRUE(
      contains(programs[0].at("hints").at(0), "It has not ended after 1 s, but ended when"));
  EXPECT_EQ(programs[1].at("kind"), "timeout");
}

// A launcher may put a line of one process into the middle of another's.
TEST_F(JudgedClass, RunsAgainUnderALauncherThatMixesLines) {
  for (const auto& [name, most] : {std::pair("sometimes", "1"), {"always", "9"}}) {
    program(name, "echo >>" + path("runs") + "; [ $(wc -l <" + path("runs") + ") -gt " + most +
                      " ] && exec $right \"$@\"; echo 'Result: 5 rank 1 ready'");
  }
  const std::string launched = "--command 'env {program} {cells} {storms}'";
  EXPECT_EQ(judged({"sometimes"}).at(0).at("kind"), "no_answer");
  done("rm runs");
  const nlohmann::json programs = judged({"sometimes", "always"}, launched);
  EXPECT_EQ(programs[0].at("kind"), "right");
  EXPECT_EQ(row(programs[1], "small").at("complaint"),
            "in its Result: line maximum \"rank\" is not a number");
}

// A program that is wrong with more threads than cores alone, as with a race.
TEST_F(JudgedClass, IsTriedForRacesUnderALauncher) {
  done("sed -i 's/{/{\"shows_races\": true, /' cases/*/case.json");
  program("race",
          "[ ${OMP_NUM_THREADS:-1} -gt $(OMP_NUM_THREADS= nproc) ] && echo 'Result: 7 1' || "
          "exec $right \"$@\"");
  const auto command = [](const std::string& launcher) {
    return "--command '" + launcher + " {program} {cells} {storms}'";
  };
  EXPECT_EQ(judged({"race"}, command("env A=B")).at(0).at("kind"), "race");
  EXPECT_EQ(judged({"$right"}, command("env A=B")).at(0).at("hints"), nlohmann::json::array());
  EXPECT_TRUE(
      contains(judge("$right " + command("env OMP_NUM_THREADS=1")).out,
               "\nIts launcher sets the number of threads itself: races between threads may "
               "not show.\n"));
  if (usable_cores() == 1) GTEST_SKIP();
  EXPECT_TRUE(contains(judge("$right " + command("taskset -c 0")).out,
                       "\nIts launcher binds a process to 1 of "));
}

TEST_F(JudgedClass, GetsACleanEnvironment) {
  program("tells", "env | grep -vE '^(PWD|SHLVL|_|OMP[^=]*)=' >" + path("variables"));
  shell(
      "unset $(compgen -e | grep -v PATH); export PATH HOME=/home TOKEN=secret GIT_AUTHOR_NAME=x "
      "LD_PRELOAD= OMP_STACKSIZE=8M; " +
      (judge_cases + std::string("tells")) + " --command 'env ONE=1 {program} {cells} {storms}'");
  EXPECT_TRUE(matches(done("sort variables | cut -d = -f 1").out, "HOME\n*ONE\nPATH\nTMPDIR\n"));
}

// Programs that look for the right answers, in their own folder or elsewhere.
TEST_F(JudgedClass, IsConfinedUnlessToldOtherwise) {
  done(
      "bombard judge --cases cases --keep kept; rm -r cases; mkdir team; mv kept team/cases; ln -s "
      "team/cases link");
  const std::string answer = "cases/small/result.txt";
  program("team/inside", "cat ${0%/*}/" + answer + " 2>/dev/null || cat " + path("team/" + answer));
  program("beside", "cd ${0%/*} && cat team/cases/small/result.txt");
  const std::string judge = "TMPDIR=$PWD/tmp bombard judge --cases link --format json team/inside ";
  done(judge + "--no-confinement");
  const nlohmann::json programs =
      nlohmann::json::parse(shell(judge + "beside $right").out).at("programs");
  if (!matches(programs.at(0).at("confinement"), "confined*")) GTEST_SKIP() << programs[0];
  EXPECT_TRUE(contains(row(programs[0], "small").at("complaint"), "Permission denied"));
  EXPECT_TRUE(contains(row(programs[1], "small").at("complaint"), "No such file"));
  EXPECT_EQ(programs[2].at("kind"), "right");
}

TEST_F(JudgedClass, RunsScriptsAndBuildsConfined) {
  done("mkdir team; cp $right team/right");
  written("team/script", "exec ${0%script}right \"$@\"\n");
  for (const std::string arguments : {"team/script --command 'sh {program} {cells} {storms}'",
                                      "team/built --build 'cp right built'"}) {
    expect("TMPDIR=$PWD/tmp bombard judge --cases cases " + arguments,
           "*confined*\nright in 1 case\n");
  }
}

TEST_F(JudgedClass, IsCopiedAloneWhereTooMuchIsBesideIt) {
  done("mkdir team; echo 1 >team/small; head -c 90000000 /dev/zero >team/large");
  program("team/looks", "[ $(ls ${0%/*}) = looks ] && exec $right \"$@\"");
  expect_right("team/looks");
}

TEST_F(JudgedClass, IsBuiltInCopies) {
  done(
      "mkdir -p src/anna src/ben 'src/dora d'; printf 'all:\\n\\tcp %s prog\\n' $right "
      ">src/anna/Makefile");
  done("echo 'all:; echo prog.c:1: error: no luck >&2; exit 2' >src/ben/Makefile");
  const Outcome outcome = judge("src/anna/prog src/ben/prog src/cleo/prog --build 'make all'");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(
      matches(outcome.out,
              "src/anna/prog\n*right in 1 case\n\nsrc/ben/prog\n\nNOT BUILT: `make all` ends "
              "with exit code 2; it says \"prog.c:1: error: no luck\"\n\nsrc/cleo/prog\n\n"
              "NOT BUILT: *; its folder cannot be copied: cp *\nright *\nNOT BUILT *\nNOT BUILT *"))
      << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(path("src/anna/prog")));
  EXPECT_TRUE(
      contains(judge("src/* --build 'true prog'").out, "`true prog` makes no program prog"));
  expect_right("src/anna --build 'make all; : prog'");
  EXPECT_TRUE(
      contains(judge("src/ben/prog --build make --format junit").out, "<failure type=\"build\""));
  // The line that says why, not the last one; all lines with --keep.
  done("mkdir src/eva; printf 'int f(void); int main(void) { return f(); }' >src/eva/prog.c");
  EXPECT_TRUE(matches(judge("src/eva/prog --build 'make prog' --keep kept --format csv").out,
                      "*undefined reference to*"));
  EXPECT_TRUE(matches(shell("cat kept/*_src_eva_prog.log").out, "cc *undefined*ld returned 1*"));
  EXPECT_TRUE(
      contains(judge("src/ben/prog --build make --format json").out, "\"failed_build\": \"`make"));
}

class RankedClass : public JudgedClass {
 protected:
  RankedClass() {
    program("anna", "exec $right \"$@\"");
    program("ben", "echo 'Result: 7 1.0'");
    written("names", "\xEF\xBB\xBF./anna,\"<A>, \"\"Anna\"\"\"\r\nben;Ben\r\n");
  }
  std::string ranking(const std::string& arguments) {
    judge(arguments + " --ranking class.html");
    return content("class.html");
  }
};

TEST_F(RankedClass, HasNamesVerdictsAndBars) {
  const std::string page = ranking("ben anna --names names --threads 1,2");
  EXPECT_TRUE(
      matches(page,
              "*2 programs, 1 right*<tr><td class=\"number\">1</td><td class=\"text\">"
              "&lt;A&gt;, &quot;Anna&quot;</td><td class=\"text\">right</td>*"
              "style=\"width: 12.00em\"*>1: [0-9]*, 2: [0-9]*</td></tr>\n<tr>"
              "<td class=\"number\"></td><td class=\"text\">Ben</td><td class=\"text\">wrong"
              "</td><td class=\"text\">small: storm 1 of 1: position 7 in place of 5*"));
  EXPECT_EQ(page.find("<A>"), std::string::npos);  // no markup of a name
}

TEST_F(RankedClass, HasNamesOfFoldersAndTellsThoseOfNoProgram) {
  done("mkdir 'car,la'; mv anna 'car,la/program'");
  written("names", "\"car,la/\",Carla\nben,Ben\n");
  EXPECT_EQ(judge("'car,la/program' --ranking class.html --names names").err,
            "bombard: names: ben is not among the programs\n");
  EXPECT_TRUE(contains(content("class.html"), ">Carla<"));
}

// A name that is empty is none; the reason is of a case with the verdict, and no mistake of others.
TEST_F(RankedClass, HasReasonsOfTheVerdict) {
  take("one_cell plateaus ties");
  written("names", "anna,\nother,Other\n");
  program("dies", "[ $1 = 100 ] && kill -SEGV $$; MISTAKE=larger_position exec $right \"$@\"");
  const std::string page = ranking("anna dies --names names");
  EXPECT_TRUE(matches(page,
                      "*>program 1<*>program 2</td><td class=\"text\">crash</td><td "
                      "class=\"text\">plateaus: crashes: Segm*"));
}

TEST_F(RankedClass, IsWithoutNamesUnlessTheyAreGiven) {
  const std::string page = ranking("anna ben");
  EXPECT_FALSE(contains(page, "anna"));
  EXPECT_FALSE(contains(page, "ben<"));
  EXPECT_TRUE(contains(page, ">program 2<"));
  EXPECT_FALSE(contains(page, "src="));  // the page needs no other file
}

TEST_F(RankedClass, NeedsAPlaceAndNames) {
  written("page.html", "<html></html>");
  written("latin", "anna,M\xFCller\n");
  expect_refused(2, {{"bombard judge anna ben --format gradescope", "name one"},
                     {"bombard judge anna --ranking a.html --names latin",
                      "latin:1: \"M\\xfcller\" is not text in UTF-8; save it as \"CSV UTF-8\""},
                     {"bombard judge anna --ranking none/page.html", "none/page.html"},
                     {"bombard judge anna --ranking a.html --names page.html", "page.html:1: is"},
                     {"bombard judge anna --names names", "--names is for the page of --ranking"}});
}

TEST_F(RankedClass, SurvivesAnInterruption) {
  program("hangs", "sleep 60");
  const Outcome outcome = shell(
      "set -m; " + (judge_cases + std::string("anna hangs --format json --ranking class.html & ")) +
      "until grep -q right class.html; do sleep 0.02; done 2>/dev/null; kill -INT $!; wait $!");
  EXPECT_EQ(outcome.exit_code, 128 + SIGINT) << outcome.err;
  const nlohmann::json programs = nlohmann::json::parse(outcome.out).at("programs");
  ASSERT_EQ(programs.size(), 1);
  EXPECT_EQ(programs[0]["program"], "anna");
}

TEST_F(RankedClass, ShowsProgress) {
  program("slow", "sleep 1; exec $right \"$@\"");
  EXPECT_TRUE(contains(terminal_of(STDERR_FILENO, judge_cases + std::string("slow anna")),
                       "50%  1 of 2 programs judged, "));
}

/// Right in the case of 2000 cells, wrong in the one of 2001 and, beyond the assignment, in the one
/// of 2002. Its name is hard on formats.
class GradedProgram : public JudgedClass {
 protected:
  GradedProgram() {
    done("cp -r cases/small cases/wrong; sed -i s/2000/2001/ cases/wrong/case.json");
    done(
        "cp -r cases/small cases/extra; sed -i 's/2000/2002, \"group\": \"beyond\"/' "
        "cases/extra/*.json");
    program("a<&\"b", "[ $1 = 2000 ] && exec $right \"$@\"; echo 'Result: 7 1.0'");
  }
  std::string graded(const std::string& format, const std::string& more = "") {
    const Outcome outcome = judge("'a<&\"b' --points 8,2,4 --format " + format + " " + more);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

// The members and words of gradescope-autograders.readthedocs.io/en/latest/specs, "Output format".
TEST_F(GradedProgram, ForGradescope) {
  const auto compact = [](const std::string& text) {
    return nlohmann::ordered_json::parse(text).dump();
  };
  EXPECT_TRUE(matches(
      compact(graded("gradescope")),
      R"({"score":4.0,"output":"*","visibility":"visible","tests":\[{"name":"extra",)"
      R"("score":0.0,"max_score":0.0,"output":"storm 1 *","visibility":"visible","status":"failed"},)"
      R"({"name":"small","score":4.0,"max_score":4.0,"output":"","visibility":"visible",)"
      R"("status":"passed"},{"name":"wrong","score":0.0,"max_score":4.0,)"
      R"("output":"*position 7 in place of 5*","visibility":"visible","status":"failed"},)"
      R"({"name":"speed","score":0.0,"max_score":2.0,"output":"*speedup*",)"
      R"("visibility":"visible"}]*})"));
  EXPECT_TRUE(matches(compact(judge("$right --format gradescope").out),
                      R"(*,"leaderboard":\[{"name":"Time ?s?","value":[0-9]*,"order":"asc"},{)"
                      R"("name":"Speedup","value":[0-9]*}]})"));
}

// pytest's schema of this format, testing/example_scripts/junit-10.xsd, allows only these elements
// and attributes, and three decimals in the time of a suite.
TEST_F(GradedProgram, ForJUnit) {
  EXPECT_TRUE(matches(
      graded("junit"),
      "<\\?xml version=\"1.0\" encoding=\"UTF-8\"\\?>\n<testsuites>\n"
      "  <testsuite name=\"a&lt;&amp;&quot;b\" tests=\"3\" failures=\"1\" errors=\"0\" "
      "skipped=\"1\" time=\"[0-9].[0-9][0-9][0-9]\">\n"
      "    <testcase classname=\"a&lt;&amp;&quot;b\" name=\"extra\" time=\"[0-9]*\"><skipped "
      "message=\"beyond the assignment: storm 1 of 1: *\"/></testcase>\n"
      "    <testcase classname=\"a&lt;&amp;&quot;b\" name=\"small\" time=\"[0-9]*\"></testcase>\n"
      "    <testcase classname=\"a&lt;&amp;&quot;b\" name=\"wrong\" time=\"[0-9]*\"><failure "
      "type=\"wrong\" message=\"storm 1 of 1: position 7 *\">storm 1 of 1: position 7 *"
      "</failure></testcase>\n    <system-out>*</system-out>\n  </testsuite>\n</testsuites>\n"));
  // No code point that XML does not allow, whatever a program prints.
  program("says", "printf 'a\\357\\277\\277b\\001' >&2; exit 3");
  EXPECT_TRUE(contains(judge("says --format junit").out, "it says &quot;a\\uffffb\\x01&quot;"));
}

// The scores of all tests add up: 70 of 12 cases are 70.
TEST_F(GradedProgram, HasPointsThatAddUp) {
  for (int i = 0; i < 10; ++i) done("cp -r cases/small cases/small" + std::to_string(i));
  const auto result = nlohmann::json::parse(judge("$right --points 70 --format gradescope").out);
  double sum = 0;
  for (const auto& test : result.at("tests")) {
    sum += test.at("score").get<double>();
    const double most = test.at("max_score");
    EXPECT_NEAR(most, most > 0 ? 70 / 12. : 0, 1 / 12.);
  }
  EXPECT_EQ(sum, 70);
  EXPECT_EQ(result.at("score"), 70);
}

// The time of the fastest one is the program's time.
TEST_F(JudgedClass, WithSeveralNumbersOfThreads) {
  program("counts",
          "n=$OMP_NUM_THREADS; [ $n = 2 ] && exit 9; $right \"$@\"; echo Time: 0.000$((5 - n))");
  const Outcome outcome = judge("counts $right --threads 1,2,4,3");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(matches(outcome.out,
                      "counts, 1 thread\n*counts, 2 threads\n*exit code 9*counts, 4 threads\n*"
                      "threads  seconds  speedup  efficiency\n      1   0.0004 *\n"
                      "      2        -        -           -\n      4   0.0001 *"
                      "answer *\nNO ANSWER      1     0.000100 *  counts\n*"));
  program("launch", "[ $2$OMP_NUM_THREADS = 3 ] || exit 9; shift 2; exec \"$@\"");
  expect_right(
      "$right --command \"$PWD/launch -n {ranks} {program} {cells} {storms}\" --threads 3");
}

}  // namespace
}  // namespace bombard::tests
