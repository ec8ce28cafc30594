#pragma once

#include <fcntl.h>
#include <fnmatch.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

/// Runs the program that was built, as a user would.
namespace bombard::tests {

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// What a text must be like; the text itself is shown where it is not.
inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in \"" << text << '"';
}
inline testing::AssertionResult starts_with(const std::string& text, const std::string& part) {
  if (text.starts_with(part)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" at the start of \"" << text << '"';
}
inline testing::AssertionResult ends_with(const std::string& text, const std::string& part) {
  if (text.ends_with(part)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" at the end of \"" << text << '"';
}
/// The whole text, a pattern as the shell knows it: * is anything, [0-9] a digit.
inline testing::AssertionResult matches(const std::string& text, const std::string& pattern) {
  if (fnmatch(pattern.c_str(), text.c_str(), 0) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" does not match " << pattern;
}

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

/// A directory of its own for each test, and the program run in it.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    std::string name = (std::filesystem::temp_directory_path() / "bombard_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory = name;
  }
  ~ProgramTest() override {
    std::filesystem::remove_all(directory);
    for (const char* name : {"in", "out", "err"}) std::filesystem::remove(streams(name));
  }

  std::string path(const std::string& name) const { return (directory / name).string(); }

  /// Without a GPU in sight and 80 columns wide, so that every machine gives the same. Standard
  /// output goes to `out` instead of being kept, if given; "closed" closes it.
  Outcome bombard(std::vector<std::string> arguments, const std::string& input = "",
                  const std::string& out = "") {
    write_file(streams("in"), input);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, streams("in").c_str(), O_RDONLY, 0);
    const std::string out_file = out.empty() ? streams("out") : out;
    if (out == "closed") {
      posix_spawn_file_actions_addclose(&actions, 1);
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
    }
    posix_spawn_file_actions_addopen(&actions, 2, streams("err").c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    Outcome outcome;
    outcome.exit_code = spawn(BOMBARD_PROGRAM, std::move(arguments), &actions);
    posix_spawn_file_actions_destroy(&actions);
    if (out.empty()) outcome.out = content_of(streams("out"));
    outcome.err = content_of(streams("err"));
    return outcome;
  }

  /// Runs with standard output or standard error on a terminal, a pseudo-terminal, and returns what
  /// arrives there; the other one is lost.
  std::string terminal_of(int stream, const std::vector<std::string>& arguments) {
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
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO + STDERR_FILENO - stream, "/dev/null",
                                     O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, program_end, stream);
    posix_spawn_file_actions_addclose(&actions, terminal);
    EXPECT_EQ(spawn(BOMBARD_PROGRAM, arguments, &actions), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(program_end);
    reader.join();
    close(terminal);
    return seen;
  }

  /// Runs a command of the shell in the test's directory, where "$bombard" is the program; its exit
  /// code is that of the last command, 128 and the signal if one killed it.
  Outcome shell(const std::string& command) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    constexpr int created = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, 1, streams("out").c_str(), created, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, streams("err").c_str(), created, 0600);
    posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
    setenv("bombard", BOMBARD_PROGRAM, 1);
    Outcome outcome;
    outcome.exit_code = spawn("/bin/bash", {"-c", command}, &actions);
    posix_spawn_file_actions_destroy(&actions);
    outcome.out = content_of(streams("out"));
    outcome.err = content_of(streams("err"));
    return outcome;
  }

  /// The exit code; -1 when the program could not be run or was killed.
  static int spawn(const char* program, std::vector<std::string> arguments,
                   const posix_spawn_file_actions_t* actions) {
    setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    setenv("COLUMNS", "80", 1);
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    unsetenv("LANG");
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t process = 0;
    if (posix_spawn(&process, program, actions, nullptr, argv.data(), environ) != 0) return -1;
    int status = 0;
    if (waitpid(process, &status, 0) != process || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
  }

  std::filesystem::path directory;

 private:
  std::string streams(const std::string& name) const {
    return directory.string() + ".stream_" + name;
  }
};

}  // namespace bombard::tests
