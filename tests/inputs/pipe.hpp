#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace bombard {

/// A named pipe with a writer, which gives a text once.
class Pipe {
 public:
  explicit Pipe(const std::string& path, const std::string& text) : path_(path) {
    if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("no pipe");
    std::signal(SIGPIPE, SIG_IGN);
    writer_ = std::jthread([=] { std::ofstream(path, std::ios::binary) << text; });
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
