#include "tools/judge/descendants.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "bombard/errors.hpp"
#include "inputs/token.hpp"
#include "kernels/base/timer.hpp"

namespace bombard::judge {

namespace {

/// What could be read: a process may end meanwhile, and then its files cannot be read on. Inserting
/// a buffer ends there; iterators on it would throw.
std::string content_of(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

/// A number in the status of a process, behind a label: "RssAnon:      1234 kB"; 0 without it.
std::int64_t number_in_status(pid_t process, const char* label) {
  const std::string status = content_of(fmt::format("/proc/{}/status", process));
  const std::size_t at = status.find(fmt::format("\n{}:", label));
  if (at == std::string::npos) return 0;
  return std::strtoll(status.c_str() + status.find(':', at) + 1, nullptr, 10);
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto process = number_of<pid_t>(entry->path().filename().string());
    if (!process) continue;
    children.emplace(static_cast<pid_t>(number_in_status(*process, "PPid")), *process);
  }
  return children;
}

}  // namespace

void remove_traces(pid_t process) {
  ::shm_unlink(fmt::format("/__KMP_REGISTERED_LIB_{}_{}", process, ::getuid()).c_str());
}

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

std::vector<pid_t> descendants() {
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  std::vector<pid_t> found;
  const auto add_children_of = [&](pid_t parent) {
    const auto [begin, end] = children.equal_range(parent);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  };
  add_children_of(::getpid());
  for (std::size_t i = 0; i < found.size(); ++i) add_children_of(found[i]);
  return found;
}

std::int64_t memory_of(const std::vector<pid_t>& processes) {
  std::int64_t sum = 0;
  for (const pid_t process : processes) {
    sum += number_in_status(process, "RssAnon") + number_in_status(process, "RssShmem");
  }
  return sum * 1024;
}

void end_descendants() {
  constexpr double longest_seconds = 20;  // a dying process gives its memory back first
  const WallTimer timer;
  while (true) {
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) remove_traces(ended);
    if (ended < 0) return;  // no child is left: orphans would be ours
    const std::vector<pid_t> left = descendants();
    if (timer.seconds() > longest_seconds) {
      throw CannotRun(fmt::format(
          "processes that a judged program started do not end, number {} for one; end them by hand",
          left.empty() ? 0 : left.front()));
    }
    for (const pid_t process : left) ::kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace bombard::judge
