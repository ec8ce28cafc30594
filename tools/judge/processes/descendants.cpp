#include "tools/judge/processes/descendants.hpp"

#include <fmt/format.h>
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

std::vector<pid_t> descendants_of(pid_t process) {
  std::multimap<pid_t, pid_t> children;  // by their parents
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto child = number_of<pid_t>(entry->path().filename().string());
    if (child) children.emplace(number_in_status(*child, "PPid:"), *child);
  }
  std::vector<pid_t> found{process};
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

void end_descendants() {
  constexpr double longest_seconds = 20;  // a dying process first frees its memory
  const WallTimer timer;
  while (timer.seconds() < longest_seconds) {
    for (const pid_t left : descendants_of(::getpid())) ::kill(left, SIGKILL);
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) continue;
    if (ended < 0) return;  // no child is left: orphans would be ours
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace bombard::judge
