#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/cli/program.hpp"

namespace bombard::tests {

/// `bombard judge` on programs that are scripts around $right, a right program that makes the
/// mistakes it is told to make (tests/tools/judge/sequential_program.cpp).
class JudgeTest : public ProgramTest {
 protected:
  JudgeTest() {
    setenv("right", BOMBARD_SEQUENTIAL_PROGRAM, 1);
    done("mkdir -p tmp cases/small cases/notes; printf '2\n5 100\n15 90\n' >cases/small/storm.txt");
    written("cases/small/case.json", R"({"cells": 2000, "storms": ["storm.txt"]})");
  }
  /// No run leaves anything behind.
  ~JudgeTest() override { EXPECT_EQ(shell("ls tmp").out, ""); }

  void program(const std::string& name, const std::string& script) {
    written(name, "#!/bin/sh\nright=" BOMBARD_SEQUENTIAL_PROGRAM "\n" + script + "\n");
    done("chmod u+x '" + name + "'");
  }
  static constexpr const char* judge_cases =
      "TMPDIR=$PWD/tmp bombard judge --no-confinement --cases cases ";
  Outcome judge(const std::string& arguments) { return shell(judge_cases + arguments); }
  void expect_right(const std::string& arguments) {
    const Outcome outcome = judge(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << '\n' << outcome.out << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
  /// Judges programs. Those that do not exist yet make these mistakes (several are separated by
  /// commas); runs that differ do so in the same way each time.
  nlohmann::json judged(const std::vector<std::string>& names, const std::string& options = "") {
    std::string programs;
    for (const std::string& name : names) {
      if (!std::filesystem::exists(path(name))) {
        program(name, "RUNS=" + path("runs_" + name) + " MISTAKE=" + name + " exec $right \"$@\"");
      }
      programs += name + ' ';
    }
    const Outcome outcome = judge(programs + "--format json " + options);
    const nlohmann::json result = nlohmann::json::parse(outcome.out);
    bool passes = true;
    for (const nlohmann::json& judged : result.at("programs")) {
      passes &= judged.at("kind") == "right" || judged.at("kind") == "rounding";
    }
    EXPECT_EQ(outcome.exit_code, passes ? 0 : 1) << options << outcome.err;
    return result.at("programs");
  }
  static nlohmann::json row(const nlohmann::json& program, const std::string& name) {
    for (const nlohmann::json& row : program.at("cases")) {
      if (row.at("case") == name) return row;
    }
    return {};
  }

  /// Replaces the cases with some of the built-in ones: "ties plateaus".
  void take(const std::string& cases) {
    done("bombard judge --keep all; rm -r cases; mkdir cases; cd all; mv " + cases + " ../cases");
  }
};

}  // namespace bombard::tests
