#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "kernels/base/control_groups.hpp"

namespace bombard {

/// While such an object exists, the machine is as the files under proc and sys in a directory
/// describe it.
class SmallMachine {
 public:
  /// `available` as in /proc/meminfo.
  SmallMachine(const std::string& directory, const std::string& available) : root_(directory) {
    write("proc/meminfo",
          "MemTotal:  8000 kB\nMemFree:  10 kB\nMemAvailable:  " + available + "\n");
    system_root = root_.string();
  }
  ~SmallMachine() {
    system_root = "/";
    std::filesystem::remove_all(root_);
  }
  SmallMachine(const SmallMachine&) = delete;
  SmallMachine& operator=(const SmallMachine&) = delete;

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace bombard
