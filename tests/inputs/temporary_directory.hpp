#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "inputs/output_file.hpp"
#include "tests/text.hpp"

namespace bombard {

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Inputs, each with the message with which read(input) refuses it, behind `begin`: the name of
/// the file, and perhaps more.
template <class Read>
void expect_refused(const Read& read, const tests::Refusals& inputs,
                    const std::string& begin = "a:") {
  tests::expect_messages(
      inputs, [&](const auto& input) { return tests::message_of([&] { read(input); }); }, begin);
}

/// A test with a directory of its own, removed with it.
class TemporaryDirectory : public testing::Test {
 protected:
  TemporaryDirectory() : directory_(testing::TempDir() + "bombard_test_XXXXXX") {
    if (::mkdtemp(directory_.data()) == nullptr) throw std::runtime_error("no directory");
  }
  ~TemporaryDirectory() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  /// Writes a new file and returns its path.
  std::string written(const std::string& name, const std::string& bytes) const {
    std::filesystem::remove(path(name));  // a truncated file would wait for the disk
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  /// The same by write(file).
  template <class Write>
  std::string written_by(const std::string& name, const Write& write) const {
    OutputFile file(path(name));
    write(file);
    file.commit();
    return path(name);
  }

  std::string content(const std::string& name) const { return content_of(path(name)); }

  /// The message with which an action is rejected, the directory's name left out.
  template <class Action>
  std::string rejection(const Action& action) const {
    return without_directory(tests::message_of(action));
  }

  /// The message with which an action is refused for want of memory, up to the amount that is free.
  template <class Action>
  std::string refusal(const Action& action) const {
    const std::string message = without_directory(tests::message_of<CannotRun>(action));
    return message.substr(0, message.find(", ", message.find(" of memory")));
  }

 private:
  std::string without_directory(std::string message) const {
    for (std::size_t at; (at = message.find(directory_ + "/")) != std::string::npos;) {
      message.erase(at, directory_.size() + 1);
    }
    return message;
  }

  std::string directory_;
};

}  // namespace bombard
