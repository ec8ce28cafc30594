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
#include <optional>
#include <sstream>
#include <string_view>
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

/// The parent of a process, behind its name, which may hold anything: "12 (a) b) S 1 ...".
std::optional<pid_t> parent_of(pid_t process) {
  const std::string text = content_of(fmt::format("/proc/{}/stat", process));
  const std::size_t name_ends = text.rfind(')');
  if (name_ends == std::string::npos || name_ends + 4 >= text.size()) return {};
  const std::size_t begin = name_ends + 4;
  return number_of<pid_t>(std::string_view(text).substr(begin, text.find(' ', begin) - begin));
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto process = number_of<pid_t>(entry->path().filename().string());
    if (!process) continue;
    if (const auto parent = parent_of(*process)) children.emplace(*parent, *process);
  }
  return children;
}

/// Kilobytes on a line "RssAnon:      1234 kB" of a process's status.
std::int64_t kilobytes(const std::string& status, const std::string& label) {
  const std::size_t at = status.find("\n" + label);
  if (at == std::string::npos) return 0;
  return std::strtoll(status.c_str() + at + 1 + label.size(), nullptr, 10);
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

std::int64_t threads_of_machine() {
  const std::string text = content_of("/proc/loadavg");  // "0.20 0.18 0.12 1/80 11206"
  const std::size_t slash = text.find('/');
  return slash == std::string::npos ? 0 : std::strtoll(text.c_str() + slash + 1, nullptr, 10);
}

std::int64_t memory_of(const std::vector<pid_t>& processes) {
  std::int64_t sum = 0;
  for (const pid_t process : processes) {
    const std::string status = content_of(fmt::format("/proc/{}/status", process));
    sum += kilobytes(status, "RssAnon:") + kilobytes(status, "RssShmem:");
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
