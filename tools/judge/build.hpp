#pragma once

#include <string>

#include "tools/judge/process.hpp"
#include "tools/judge/run_directory.hpp"

namespace bombard::judge {

/// A program that is built in a copy of its folder, which is removed with the object.
class BuiltProgram {
 public:
  /// Runs a command of the shell (`make energy_storms`) in the copy, within the limits of a run.
  BuiltProgram(const std::string& program, const std::string& command, const Limits& limits);

  const std::string& path() const { return path_; }
  /// Why there is no program; empty when there is one.
  const std::string& failure() const { return failure_; }

 private:
  ScratchDirectory directory_;
  std::string path_, failure_;
};

}  // namespace bombard::judge
