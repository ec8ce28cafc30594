// What `bombard judge` has for a class: programs that are started in other ways, and results for
// other systems. The programs are scripts around a right one (tests/tools/judge/).

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {
namespace {

class JudgedClass : public ProgramTest {
 protected:
  JudgedClass() {
    setenv("right", BOMBARD_SEQUENTIAL_PROGRAM, 1);
    done("mkdir -p tmp cases/small; printf '2\\n5 100\\n15 90\\n' >cases/small/storm.txt");
    written("cases/small/case.json", R"({"cells": 20, "storms": ["storm.txt"]})");
  }
  /// No run leaves anything behind.
  ~JudgedClass() override { EXPECT_TRUE(std::filesystem::is_empty(path("tmp"))); }

  /// A program that is a script of the shell.
  void program(const std::string& name, const std::string& script) {
    written(name, "#!/bin/sh\n" + script + "\n");
    done("chmod u+x " + name);
  }
  Outcome judge(const std::string& arguments) {
    return shell("TMPDIR=$PWD/tmp bombard judge --cases cases " + arguments);
  }
  void expect_right(const std::string& arguments) {
    const Outcome outcome = judge(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << '\n' << outcome.out << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
};

TEST_F(JudgedClass, OtherArguments) {
  program("threads_first", "[ $1 = -t$(nproc) ] || exit 9; shift; exec $right \"$@\"");
  expect_right("threads_first --arguments '-t{threads} {cells} {storms}'");
  program("storms_first", "[ $2 = 20 ] || exit 9; exec $right $2 $1");
  expect_right("storms_first --arguments '{storms} {cells}'");
  program("launch", "[ $2 = $(nproc) ] || exit 9; shift 2; exec \"$@\"");
  expect_right("$right --launcher \"$PWD/launch -n {ranks}\"");
  expect_refused(2,
                 {{"bombard judge $right --arguments '{cells}'", "must have {cells} and {st"},
                  {"bombard judge $right --arguments '{cells} {storm}'", "nothing here: {storm}"},
                  {"bombard judge $right --arguments 'x{storms} {cells}'", "{storms} as a word"},
                  {"bombard judge $right --launcher '{rank}'", "nothing here: {rank}"}});
}

TEST_F(JudgedClass, Variables) {
  program("needs", "[ \"$FIRST-$SECOND\" = 'a,b=c d-' ] || exit 9; exec $right \"$@\"");
  expect_right("needs --environment 'FIRST=a,b=c d' --environment SECOND=");
  expect_refused(2, {{"bombard judge $right --environment =x", "\"=x\" is not NAME=VALUE"},
                     {"bombard judge $right --environment X", "\"X\" is not NAME=VALUE"}});
}

}  // namespace
}  // namespace bombard::tests
