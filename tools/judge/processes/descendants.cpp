#include "tools/judge/processes/descendants.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <thread>

#include "inputs/token.hpp"
#include "kernels/base/timer.hpp"

namespace bombard::judge {

namespace {

/// A number in the status of a process, after a label: "RssAnon:     1234 kB"; 0 if there is none,
/// or if the process has ended in the meantime.
std::int64_t number_in_status(pid_t process, std::string_view label) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(label)) return std::strtoll(line.c_str() + label.size(), nullptr, 10);
  }
  return 0;
}

}  // namespace

std::vector<pid_t> descendants() {
  std::multimap<pid_t, pid_t> children;  // by their parents
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto process = number_of<pid_t>(entry->path().filename().string());
    if (process) children.emplace(number_in_status(*process, "PPid:"), *process);
  }
  std::vector<pid_t> found{::getpid()};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

std::int64_t memory_of(const std::vector<pid_t>& processes) {
  std::int64_t sum = 0;
  for (const pid_t process : processes) {
    sum += number_in_status(process, "RssAnon:") + number_in_status(process, "RssShmem:");
  }
  return sum * 1024;
}

std::int64_t bytes_of_shared_memory() {
  struct statvfs found {};
  if (::statvfs("/dev/shm", &found) != 0) return 0;
  return static_cast<std::int64_t>((found.f_blocks - found.f_bfree) * found.f_frsize);
}

int end_descendants(pid_t process) {
  constexpr double longest_seconds = 20;  // a dying process first frees its memory
  const WallTimer timer;
  int status_of_process = 0;
  do {
    int status = 0;
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended == process) status_of_process = status;
    }
    if (ended < 0) break;  // no child is left: orphans would be ours
    for (const pid_t left : descendants()) ::kill(left, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (timer.seconds() < longest_seconds);
  return status_of_process;
}

}  // namespace bombard::judge
