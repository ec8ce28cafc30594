#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "inputs/mapped_file.hpp"
#include "inputs/npy.hpp"
#include "tests/inputs/temporary_directory.hpp"
#include "tests/text.hpp"

/// Runs the program that was built, as a user would: by a command of the shell.
namespace bombard::tests {

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

/// A directory of its own for each test, and the program run in it.
class ProgramTest : public TemporaryDirectory {
 protected:
  ProgramTest() {
    // Without a GPU in sight and 80 columns wide, so that every machine gives the same.
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    setenv("COLUMNS", "80", 1);
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

  /// Runs a command of the shell in the test's directory, where `bombard` is the program, $samples
  /// and $waves are the folders of storms, and standard input is empty. The exit code is the last
  /// command's, 128 and the signal if one killed it.
  Outcome shell(const std::string& command) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    constexpr int created = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, 1, stream("out").c_str(), created, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, stream("err").c_str(), created, 0600);
    const int exit_code = spawn(command, actions);
    return {exit_code, content_of(stream("out")), content_of(stream("err"))};
  }

  /// Runs a command that must end with 0.
  Outcome done(const std::string& command) {
    Outcome outcome = shell(command);
    EXPECT_EQ(outcome.exit_code, 0) << command << '\n' << outcome.err;
    return outcome;
  }

  /// The same, and what it prints and says on standard error matches the patterns.
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
      EXPECT_TRUE(starts_with(outcome.err, "bombard: ")) << command;
      EXPECT_TRUE(contains(outcome.err, message)) << command;
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << command << '\n' << outcome.err;
    }
  }

  /// The values of a NumPy file of this shape.
  template <class T>
  std::vector<T> values_in(const std::string& name, const std::vector<std::int64_t>& shape) {
    const MappedFile mapped(path(name));
    const NpyArray array(mapped);
    EXPECT_EQ(array.shape(), shape);
    const auto values = std::get<std::span<const T>>(array.values());
    return {values.begin(), values.end()};
  }

  /// Runs with standard output or standard error on a terminal, a pseudo-terminal, and returns what
  /// arrives there; the other one is lost.
  std::string terminal_of(int number, const std::string& command) {
    int terminal = -1;
    int program_end = -1;
    if (openpty(&terminal, &program_end, nullptr, nullptr, nullptr) != 0) return "no terminal";
    std::string seen;
    std::thread reader([&] {
      std::array<char, 4096> buffer;
      // Ends with an error once every other end is closed.
      for (ssize_t count; (count = read(terminal, buffer.data(), buffer.size())) > 0;) {
        seen.append(buffer.data(), static_cast<std::size_t>(count));
      }
    });
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int other = STDOUT_FILENO + STDERR_FILENO - number;
    posix_spawn_file_actions_addopen(&actions, other, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, program_end, number);
    posix_spawn_file_actions_addclose(&actions, terminal);
    EXPECT_EQ(spawn(command, actions), 0) << command;
    close(program_end);
    reader.join();
    close(terminal);
    return seen;
  }

 private:
  /// Beside the test's directory, in which nothing is that the test did not put there.
  std::string stream(const std::string& name) const {
    return std::filesystem::path(path(".")).parent_path().string() + ".stream_" + name;
  }

  /// The exit code; -1 when the shell could not be run or was killed. Destroys the actions.
  int spawn(const std::string& command, posix_spawn_file_actions_t& actions) const {
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addchdir_np(&actions, path("").c_str());
    std::array<std::string, 3> words{"bash", "-c", command};
    char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t process = 0;
    const int error = posix_spawn(&process, "/bin/bash", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (error != 0 || waitpid(process, &status, 0) != process || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
  }
};

}  // namespace bombard::tests
