#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "inputs/input_file.hpp"
#include "inputs/npy.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/text.hpp"

/// Runs the program that was built, as a user would: by a shell command.
namespace bombard::tests {

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

/// A directory of its own for each test, with the program run in it.
class ProgramTest : public TemporaryDirectory {
 protected:
  ProgramTest() {
    // Without a visible GPU and 80 columns wide, so that every machine gives the same.
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    setenv("COLUMNS", "80", 1);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    for (const char* locale : {"LC_ALL", "LC_CTYPE", "LANG"}) unsetenv(locale);
    setenv("samples", BOMBARD_SOURCE_DIR "/inputs/samples", 1);
    setenv("waves", BOMBARD_PUBLIC_WAVES, 1);
    const std::string programs =
        std::filesystem::path(BOMBARD_PROGRAM).parent_path().string() + ":";
    const std::string before = getenv("PATH");
    if (!before.starts_with(programs)) setenv("PATH", (programs + before).c_str(), 1);
  }
  ~ProgramTest() override {
    for (const char* name : {"out", "err"}) std::filesystem::remove(stream(name));
  }

  /// Runs a shell command in the test's directory, where `bombard` is the program, $samples and
  /// $waves are the folders of storms, and standard input is empty. The exit code is the last
  /// command's, or 128 plus the signal if one killed it; -1 when the shell was killed.
  Outcome shell(const std::string& command) {
    setenv("command", command.c_str(), 1);
    const int status =
        std::system(("cd '" + path("") + "' && exec bash -c \"$command\" </dev/null >'" +
                     stream("out") + "' 2>'" + stream("err") + "'")
                        .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(stream("out")),
            content_of(stream("err"))};
  }

  /// Runs a command that must end with 0.
  Outcome done(const std::string& command) {
    Outcome outcome = shell(command);
    EXPECT_EQ(outcome.exit_code, 0) << command << '\n' << outcome.err;
    return outcome;
  }

  /// The same, and what it prints and what it says on standard error match the patterns.
  void expect(const std::string& command, const std::string& out, const std::string& err = "") {
    const Outcome outcome = done(command);
    EXPECT_TRUE(matches(outcome.out, out)) << command;
    EXPECT_TRUE(matches(outcome.err, err)) << command;
  }

  /// Commands, each with a part of its message: each ends with the exit code, says why in one line
  /// on standard error, and leaves standard output alone.
  void expect_refused(int exit_code,
                      const std::vector<std::pair<std::string, std::string>>& commands) {
    for (const auto& [command, message] : commands) {
      const Outcome outcome = shell(command);
      EXPECT_EQ(outcome.exit_code, exit_code) << command << '\n' << outcome.err;
      EXPECT_EQ(outcome.out, "") << command;
      EXPECT_TRUE(matches(outcome.err, "bombard: *")) << command;
      EXPECT_TRUE(contains(outcome.err, message)) << command;
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << command << '\n' << outcome.err;
    }
  }

  /// The values of a NumPy file of this shape.
  template <class T>
  std::vector<T> values_in(const std::string& name, const std::vector<std::int64_t>& shape) {
    const InputFile mapped(path(name));
    const NpyArray array(mapped);
    EXPECT_EQ(array.shape(), shape);
    const auto values = std::get<std::span<const T>>(array.values());
    return {values.begin(), values.end()};
  }

  /// Runs with standard output or standard error on a pseudo-terminal, and returns the text that
  /// arrives there; the other stream is lost.
  std::string terminal_of(int number, const std::string& command) {
    setenv("in_terminal", command.c_str(), 1);
    const std::string other = number == STDOUT_FILENO ? "2" : "1";
    return done("script -qec 'bash -c \"$in_terminal\" " + other + ">/dev/null' /dev/null").out;
  }

 private:
  /// Next to the test's directory, which contains only what the test put there.
  std::string stream(const std::string& name) const {
    return std::filesystem::path(path(".")).parent_path().string() + ".stream_" + name;
  }
};

}  // namespace bombard::tests
