#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace bombard {

/// A named pipe with a writer, which gives a text once and then another one for ever, unless that
/// one is empty. The test reads the pipe before its end.
class Pipe {
 public:
  explicit Pipe(const std::string& path, const std::string& once, const std::string& for_ever = "")
      : path_(path) {
    if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("no pipe");
    std::signal(SIGPIPE, SIG_IGN);
    writer_ = std::jthread([=] {
      std::string many;
      while (!for_ever.empty() && many.size() < 10'000) many += for_ever;
      std::ofstream pipe(path, std::ios::binary);
      pipe << once;
      while (!many.empty() && pipe << many) continue;
    });
  }
  ~Pipe() {
    writer_.join();
    ::unlink(path_.c_str());
  }

 private:
  std::string path_;
  std::jthread writer_;
};

}  // namespace bombard
